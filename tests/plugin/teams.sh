#!/bin/sh
# SPDX-License-Identifier: MIT
# OpenMP: what the compiler makes of regions and tasks has names and places of
# the source, and the work of a thread is that of the region it works in.
. tests/lib.sh
. tests/plugin/helpers
echo 'int main(void) { return 0; }' >"$T/none.c"
gcc -fopenmp "$T/none.c" -o "$T/none" 2>/dev/null || { skip "OpenMP" "no libgomp"; finish; }

cat >"$T/team.c" <<'X'
#include <omp.h>
#include <stdio.h>
#include <time.h>
static volatile long sink[8];
__attribute__((noinline)) void turn(long n) { for (long i = 0; i < n; i++) sink[omp_get_thread_num() & 7]++; }
static long fib(int n)
{
	long a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a) /* task a */
	a = fib(n - 1);
#pragma omp task shared(b) /* task b */
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}
int main(void)
{
	long f = 0;
	omp_set_dynamic(0);
#pragma omp parallel num_threads(3) /* calls */
	turn(1000);
#pragma omp parallel num_threads(2) /* computes */
	for (long i = 0; i < 20000000; i++)
		sink[4 + (omp_get_thread_num() & 1) * 2] += i;
#pragma omp parallel for num_threads(2) schedule(dynamic) /* loop */
	for (int i = 0; i < 10; i++)
		turn(100);
#pragma omp parallel sections num_threads(2) /* sections */
	{
#pragma omp section
		turn(1);
#pragma omp section
		turn(2);
	}
#pragma omp parallel num_threads(2) /* makes tasks */
#pragma omp single
	f = fib(12);
	for (int k = 0; k < 3; k++)
#pragma omp parallel num_threads(2) /* outer */
		{
#pragma omp parallel num_threads(1) /* inner */
			turn(3);
		}
	printf("%ld\n", f);
	return 0;
}
X
sed 's/static long fib/template <int K> static long fib/; s/fib(n - /fib<K>(n - /; s/fib(12)/fib<1>(12)/' "$T/team.c" >"$T/team.cc"
line() { grep -n "/\* $1 \*/" "$T/team.c" | head -1 | cut -d: -f1; }

# calls NAME: how often the run called it; "F (task": all tasks of F
calls() { python3 - "$T/report" "$1" <<'X'
import json, sys
r = json.load(open(sys.argv[1]))
print(sum(f["calls"] for f in r["functions"] if f["name"] == sys.argv[2] or (sys.argv[2].endswith("(task") and f["name"].startswith(sys.argv[2]))))
X
}
check() { # LEVEL COMPILER FILE
	it "$3 $1: builds" probed $2 $1 -g -fopenmp "$T/$3" -o "$T/team"
	exits 0 "... runs asleep" "$T/team"
	says '^144$' "... and right"
	perseus sites "$T/team" >"$T/sites"
	silent '^call.* -:0 ' "$3 $1: no call of the library without a place" "$T/sites"
	says "$3:$(line calls) main -> GOMP_parallel" "... that of a region is its directive's" "$T/sites"
	says "$3:$(line 'task a') .*fib.* -> GOMP_task" "... also a task's" "$T/sites"
	exits 0 "... is recorded" perseus record -q -o "$T/run" "$T/team"
	says '^144$' "... and right"
	perseus report --json --calls 99 "$T/run" >"$T/report"
	for want in "main (parallel region $3:$(line calls)):3" "main (parallel region $3:$(line computes)):2" "main (parallel region $3:$(line loop)):2" \
	  "main (parallel region $3:$(line sections)):2" "main (parallel region $3:$(line outer)):6" "main (parallel region $3:$(line inner)):6" turn:21 GOMP_task:464; do
		it "$3 $1: ${want%:*} is called ${want##*:} times" test "$(calls "${want%:*}")" = "${want##*:}"
	done
	it "$3 $1: each task is one call" test "$(grep -o '"name": "fib[^"]*(task '"$3"':[0-9]*)"' "$T/report" | sort -u | wc -l)" = 2
	it "... and there are as many as calls but the first" test $(($(calls "fib (task") + $(calls "fib<1> (task"))) = 464
	perseus report --calls 99 "$T/run" >"$T/text"
	says "^ +[1-9][0-9.]+ % .*  main \(parallel region $3:$(line computes)\)$" "a region that only computes has its time" "$T/text"
	silent "main \(parallel region.*start of a thread|main._omp_fn" "... and none is taken for what a thread starts in" "$T/text"
	rm -rf "$T/run"
}
check -O0 gcc team.c
check -O2 gcc team.c
check -O2 g++ team.cc
it "probes of regions hold all of the function, and are no fault" sh -c "perseus sites --check '$T/team' >'$T/checked'"
probed gcc -O2 -fopenmp '-fplugin-arg-perseus-skip=main*' "$T/team.c" -o "$T/skipped"
perseus sites "$T/skipped" >"$T/sites"
silent '^call.*main \(parallel' "a function left out by request has no probes in its regions" "$T/sites"
finish
