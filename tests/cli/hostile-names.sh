#!/bin/sh
# SPDX-License-Identifier: MIT
# Names of files, programs and threads that would rule a terminal, turn text
# round, or add to a patch.
. tests/lib.sh
repo=$PWD
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
	what=$(printf '%s' "perseus $1${2:+ $2}" | LC_ALL=C tr -c ' -~' '?')
	perseus "$@" >"$T/o" 2>"$T/e"
	cat "$T/o" "$T/e" | python3 "$T/shown.py" >"$T/seen" && ok "$what: nothing rules the terminal" || not_ok "$what: nothing rules the terminal" "$(cat "$T/seen"; head -c 300 "$T/e" | LC_ALL=C tr -c ' -~\n' '?')"
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
clean plan m.yaml -p "$platform" --baseline=random -o "$dir/p.yaml"
clean plan m.yaml -p "$platform" --sensitivity --json -o "$dir/p.yaml"
clean plan predict m.yaml -p "$platform" "$dir/p.yaml"
clean plan check -m m.yaml -p "$platform" "$dir/p.yaml"
clean plan diff "$dir/p.yaml" "$dir/p.yaml"
clean plan "no-$dir.yaml" -p "$platform"
mkdir -p "$dir/plain"
clean codegen "$dir/p.yaml" -o "$dir/gen"
sed 's/^name: .*/name: "pl\\e[31m\\u202E"/' "$repo/yaml/examples/platform.yaml" >"$dir/other.yaml"
clean plan m.yaml -p "$dir/other.yaml" -o "$dir/q.yaml"
(cd "$repo" && tests/sysroot/make smt-64 "$T/$dir/sys")
clean calibrate --sysroot="$dir/sys" -o "$dir/c.yaml" --name "$prog"
cd "$dir" || exit 1
clean calibrate --list
cd "$T" || exit 1
printf '#!/bin/sh\necho "$$"\n' >"$dir/$prog"
chmod 755 "$dir/$prog"
clean prove --pairs=5 "$dir/$prog" "$dir/$prog"
printf '#!/bin/sh\nexit 1\n' >"$dir/$prog"
clean prove --pairs=5 "$dir/$prog" "$dir/$prog"
printf '#!/bin/sh\nexit 0\n' >"$dir/$prog"
clean prove --pairs=5 "$dir/$prog" "$dir/$prog"
clean prove --json --pairs=5 "$dir/$prog" "$dir/$prog"
clean doctor --sysroot "$dir/sys"
clean doctor --events="$prog"
clean doctor "$prog"
clean build --rules="$dir/none" true
clean build "$prog"
mkdir "$T/empty"
cd "$T/empty" || exit 1
clean build --check-transparency -- sh -c "printf '%s\\n' '$prog' >&2; exit 3"
clean build --check-transparency -- sh -c "echo \$\$; printf '%s\\n' '$prog' >&2"
cd "$T" || exit 1
clean ctl status --socket="$dir/none"
clean explain "$prog"
clean "$prog"
clean flags --rules="$prog" 2>/dev/null
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

# A path with a backslash, of which every entry of the table has an escape.
mkdir 'back\dir'
printf '#include <pthread.h>\nlong n;\nstatic void *f(void *p) { n++; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }\n' >'back\dir/z.c'
# shellcheck disable=SC2046
it "a program of a folder with a backslash builds" gcc -O2 -g $(perseus flags) 'back\dir/z.c' -o z -pthread
exits 0 "... is recorded" perseus record -q --purpose=sharing -o zrun ./z
exits 0 "... and read" perseus report zrun
it "its sites have the path" sh -c "perseus sites z | grep -qF 'back\\dir/z.c:4'"
finish
