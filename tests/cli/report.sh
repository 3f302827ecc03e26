#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus report and perseus sites on a small program with a known answer.
. tests/lib.sh
. tests/soon.inc

cat >"$T/prog.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/runtime/asleep.h"

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static unsigned spin(unsigned n)
{
	volatile unsigned x = 0;

	for (unsigned i = 0; i < n; i++)
		x += i;
	return x;
}

__attribute__((noinline)) static unsigned heavy(void)
{
	return spin(40000000) + spin(40000000);
}

__attribute__((noinline)) static unsigned light(void)
{
	return spin(1000);
}

static pid_t late_tid;
static void *late(void *arg)
{
	i_am(&late_tid);
	pthread_mutex_lock(&door);
	pthread_mutex_unlock(&door);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	unsigned sum = 0;

	pthread_mutex_lock(&door);
	pthread_create(&t, NULL, late, NULL);
	until_asleep(&late_tid);
	usleep(100000);
	pthread_mutex_unlock(&door);
	pthread_join(t, NULL);
	for (int i = 0; i < 500; i++)
		sum += light();
	sum += heavy();
	if (argc > 1) {
		fclose(fopen("there", "w"));
		for (;;)
			pause();
	}
	printf("%u %s\n", sum & 1, argv[0] ? "end" : "");
	return 0;
}
C
line() { grep -nF "$1" "$T/prog.c" | head -1 | cut -d: -f1; }
call=$(line "spin(40000000)") light=$(line "unsigned light(") lock=$(line "pthread_mutex_lock")
top=$(pwd)
cd "$T" || exit 1
it "program builds with the plugin" gcc -O1 -D_GNU_SOURCE -I"$top" -pthread -fplugin="$PLUGIN" -o prog prog.c
gcc -O1 -D_GNU_SOURCE -I"$top" -pthread -o plain prog.c
exits 0 "it is recorded" perseus record ./prog
says 'trust .*[0-9]+ of [0-9]+ sites registered, nothing lost' "the summary says whether to trust the run"
says "^ +spin +prog\\.c:$call +[0-9.]+ %" "the summary names the function that takes the time"

exits 0 "a complete run is reported" perseus report --calls 100
says "^ *[0-9.]+ % .* 502 .* spin \(called at prog\\.c:$call\)" "calls of a function are counted exactly"
says "^ *[0-9.]+ % .* 500 .* light \(prog\\.c:$light\)" "functions stand with their place"
says "^  wait-[0-9]{6} late waits [0-9.]+ % for main at mutex .door. \(prog\\.c:$lock\)" "the wait names who, at what and where"
says '^  wait-[0-9]{6} main waits [0-9.]+ % at sleep' "sleeping is waiting"
says '^ *[0-9.]+ % .* late \(prog\.c:[0-9]+\), start of a thread$' "a start routine is called that, not a creator of threads"
silent 'starts threads|no end|alive at the end' "and nothing is left open"
silent 'condition|barrier' "no wait is made up"
exits 0 "rows and order can be chosen" perseus report --calls 1 --sort=calls --threads @last
says '^ *[0-9.]+ % .* 502 .* spin' "the most called function comes first"
silent '^ *[0-9.]+ % .* main \(prog' "and only one row is shown"
says ' late$' "the table of threads names the start routine"
exits 0 "JSON is printed" perseus report --json
if command -v python3 >/dev/null; then
	it "it is valid and holds the counts" python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
f = {x["name"]: x for x in r["functions"]}
assert r["schema"] == 1 and r["complete"] and f["spin"]["calls"] == 502
assert abs(sum(x["self"] for x in f.values()) + r["waiting"] + r["outside"] + r["in_line"] - 1) < 0.01' "$T/out"
else
	skip "it is valid and holds the counts" "python3 is not installed"
fi

# Twin: the same program killed.
perseus record ./prog x >/dev/null 2>"$T/record.err" &
rec=$!
soon test -e there
pid=$(ps -o pid= --ppid $rec | head -1)
[ -n "$pid" ] && kill -9 "$pid"
wait $rec
it "the recorder returns 128 + 9" [ $? = 137 ]
exits 4 "a killed run is reported with status 4" perseus report
says 'incomplete: the program was killed by SIGKILL' "and called incomplete"
says ' 502 .* spin' "with everything that was published"

exits 4 "a missing run is refused" perseus report nosuch
says "there is no run 'nosuch'" "by name"
exits 4 "sites of what is no file and no run" perseus sites nosuch
says "'nosuch' is neither a file nor a run" "... says both"
exits 2 "an unknown option is refused" perseus report --bogus
exits 2 "a bad number is refused" perseus report --calls 0
cp -r perseus.data/prog-1 cut
for f in cut/*.prec; do head -c 6000 "$f" >x && mv x "$f"; done
exits 4 "a truncated run is refused" perseus report ./cut
says 'truncated' "as truncated"
rm cut/*.prec
exits 4 "a run without records is refused" perseus report ./cut
says 'record file of run .* is missing' "with the reason"

exits 0 "sites of a program are listed" perseus sites prog
says '^call [0-9a-f]{16} [0-9a-f]{8} prog\.c:[0-9]+ heavy -> spin' "caller and callee"
says '^call .* main -> pthread_create  .*create' "calls that start threads are marked"
exits 0 "sites of a run are the same" perseus sites @last
says '^call [0-9a-f]{16} [0-9a-f]{8} prog\.c:[0-9]+ heavy -> spin' "from the copy in the run"
exits 0 "what was skipped can be listed" perseus sites prog --skipped
exits 4 "a program without probes is refused" perseus sites plain
says 'built without -fplugin=perseus\.so' "with the remedy"
exits 4 "a text file is refused" perseus sites prog.c
exits 4 "a missing file is refused" perseus sites nosuch
cd "$top" || exit 1

# ---- a slow way through a function that is taken seldom -----------------------------------------
cat >"$T/seldom.c" <<'C'
#include <stdio.h>
#include <time.h>
__attribute__((noipa)) static unsigned long job(unsigned long x, int i)
{
	for (int n = i % 50 ? 30 : 9000; n > 0; n--)
		x = x * 0x9e3779b97f4a7c15 + 1;
	return x;
}
int main(void)
{
	struct timespec a, b;
	unsigned long x = 1;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (int i = 0; i < 1000000; i++)
		x = job(x, i);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	printf("%.0f %lu\n", 1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec), x);
	return 0;
}
C
it "a program with a slow way builds" gcc -O2 -g -fplugin="$PLUGIN" -o "$T/seldom" "$T/seldom.c"
it "... is recorded" sh -c 'perseus record -q -o "$1/seldom-1" "$1/seldom" >"$1/cpu"' - "$T"
perseus report --json "$T/seldom-1" >"$T/seldom.json"
it "its function has at least half of what it took" python3 -c 'import json, sys
self = [f["self_ns"] for f in json.load(open(sys.argv[1]))["functions"] if f["name"].startswith("job")]
sys.exit(sum(self) < 0.5 * float(open(sys.argv[2]).read().split()[0]))' "$T/seldom.json" "$T/cpu"

# ---- calls that the clock cannot tell from nothing --------------------------------------------
cat >"$T/tiny.c" <<'C'
static long sum;
#ifdef LONGER
#define N 2000
#define BODY for (int i = 0; i < 20000; i++) sum += i * k
#else
#define N 20000000
#define BODY sum += k
#endif
__attribute__((noinline)) static void add(long k)
{
	BODY;
	__asm__ volatile("" ::: "memory");
}
int main(void)
{
	for (long k = 0; k < N; k++)
		add(k);
	return sum == 1;
}
C
for twin in SHORT LONGER; do
	it "a program with one function builds ($twin)" gcc -O1 -g -D$twin -fplugin="$PLUGIN" -o "$T/tiny-$twin" "$T/tiny.c"
	it "... is recorded" perseus record -q -o "$T/$twin" "$T/tiny-$twin"
	perseus report "$T/$twin" >"$T/out" 2>"$T/err"
	case $twin in
	# Beside load a core may be so slow that the clock can just tell them from nothing.
	SHORT) says '^(add: 20,000,000 calls too short for the clock: up to|calls of less than) [0-9.]+ [mn]?s ' "what may be theirs is said" ;;
	*) silent 'too short for the clock|^calls of less than' "... and nothing of others" ;;
	esac
done
finish
