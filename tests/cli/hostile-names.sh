#!/bin/sh
# SPDX-License-Identifier: MIT
# Names of files, programs and threads that would rule a terminal, turn text
# round, or add to a patch.
. tests/lib.sh
cd "$T" || exit 1
dir=$(printf 'sou\302\233r\342\200\256ce') prog=$(printf 'pr\033[32mog\302\233\342\200\256')
mkdir "$dir"
cat >"$dir/x.c" <<'EOP'
#include <pthread.h>
#include <sys/prctl.h>
int shared[2];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void bump(volatile int *p)
{
	for (int i = 0; i < 500000; i++)
		(*p)++;
}
static void *run(void *p)
{
	prctl(PR_SET_NAME, "t\033[31m\302\233\342\200\256z");
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&m);
		bump(p);
		pthread_mutex_unlock(&m);
		bump(p);
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, run, &shared[0]);
	pthread_create(&b, 0, run, &shared[1]);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return shared[0] == 3;
}
EOP
# shellcheck disable=SC2046
it "a program of such names builds" gcc -O1 -g $(perseus flags) "$dir/x.c" -o "$prog" -pthread
it "and is recorded" perseus record -q -o t "./$prog"
it "... for its sharing, too" perseus record -q --purpose=sharing -o s "./$prog"
cat >shown.py <<'EOP'
import sys
text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
bad = [i for i, c in enumerate(text) if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c == "\u202e"]
for i in bad[:3]:
    print(ascii(text[max(0, i - 40):i + 20]))
sys.exit(not text or bool(bad))
EOP
platform=$O/../tests/cli/conflicts/platform.yaml
[ -e "$platform" ] || { perseus calibrate --quick -o p.yaml >/dev/null 2>&1; platform=p.yaml; }
clean() {
	perseus "$@" >o 2>e
	cat o e | python3 shown.py >seen && ok "perseus $1 $2: nothing rules the terminal" || not_ok "perseus $1 $2: nothing rules the terminal" "$(cat seen; head -c 300 e)"
}
clean report t
clean report --paths t
clean report --folded t
clean report --json t
clean waits t
clean waits --json t
clean sites t
clean sites --check "./$prog"
clean sites --suggest t
clean conflicts -p "$platform" s
clean conflicts --json -p "$platform" s
clean analyze t -o m.yaml
python3 shown.py <m.yaml && ok "what analyze writes has them in letters" || not_ok "what analyze writes has them in letters"

# A folder that adds to a patch.
evil=$(printf 'x\n--- a/Makefile\n+++ b/Makefile\n@@ -0,0 +1,1 @@\n+all: evil')
mkdir -p "$evil" good
cp "$dir/x.c" "$evil/y.c"
cp "$dir/x.c" good/z.c
# shellcheck disable=SC2046
it "a program of a folder with lines in its name builds" gcc -O1 -g $(perseus flags) "$evil/y.c" -o y -pthread
perseus record -q --purpose=sharing -o ey ./y >/dev/null 2>&1
perseus conflicts -p "$platform" --patch=y.patch --source=. ey >/dev/null 2>&1
if [ -e y.patch ] && grep -q Makefile y.patch; then not_ok "nothing of its name is in a patch" "$(head -5 y.patch)"; else ok "nothing of its name is in a patch"; fi
finish
