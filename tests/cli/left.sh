#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls that an exception or longjmp() leaves have no end.  What runs after them
# has its time and its place all the same, and so have deep recursions.
. tests/lib.sh
cd "$T" || exit 1
cat >thrown.cc <<'E'
#include <cstdio>
#include <stdexcept>
#define NI __attribute__((noipa))
NI int parse(int i)
{
	if (i & 1)
		throw std::runtime_error("odd");
	return i;
}
NI double step(double x)
{
	for (int i = 0; i < 3000000; i++)
		x = x * 0.9999 + 1;
	return x;
}
int main(int argc, char **)
{
	long sum = 0, caught = 0;
	double x = 1;

	for (int i = 0; i < 20000; i++)
		try {
			sum += parse(argc > 1 ? 2 * i : i);
		} catch (std::exception &) {
			caught++;
		}
	for (int i = 0; i < 20; i++)
		x = step(x);
	std::printf("%ld %ld %g\n", sum, caught, x);
}
E
cat >jumped.c <<'E'
#include <setjmp.h>
#include <stdio.h>
#define NI __attribute__((noipa))
static jmp_buf back;
NI void inner(int i)
{
	if (i & 1)
		longjmp(back, 1);
}
NI void outer(int i) { inner(i); }
NI double work(double x)
{
	for (int i = 0; i < 3000000; i++)
		x = x * 0.9999 + 1;
	return x;
}
/* More calls inside each other than are timed, twice. */
NI long deep(long n) { return n ? 1 + deep(n - 1) * (n & 1 ? 1 : 1) : 0; }
int main(int argc, char **argv)
{
	double x = 1;
	volatile int i;
	long sum;

	(void)argv;
	for (i = 0; i < 2000 && argc < 2; i++)
		if (!setjmp(back))
			outer(i);
	for (i = 0; i < 20; i++)
		x = work(x);
	sum = deep(5000) + deep(5000);
	printf("%g %ld\n", x, sum);
	return 0;
}
E
# time FUNCTION, its part of the CPU time of the run in whole percent; calls FUNCTION
time_of() { python3 -c "import json; r = json.load(open('json')); print(int(100 * sum(f['self_ns'] for f in r['functions'] if f['name'] == '$1') / r['cpu_ns']))"; }
longest() { python3 -c "import json; r = json.load(open('json')); print(max(f['total_ns'] for f in r['functions'] if f['name'] != 'deep') <= 1.05 * r['thread_ns'])"; }
calls() { python3 -c "import json; r = json.load(open('json')); print(sum(f['calls'] for f in r['functions'] if f['name'] == '$1'))"; }
for o in -O0 -O2; do
	it "$o: a program that throws builds" g++ $o -g -fplugin="$PLUGIN" -o thrown thrown.cc
	it "$o: ... one that jumps" gcc $o -g -fplugin="$PLUGIN" -o jumped jumped.c
	for run in thrown thrown-never jumped jumped-never; do
		case $run in *-never) arg=never ;; *) arg= ;; esac
		it "$o: $run is recorded" perseus record -q -o $run$o ./${run%-never} $arg
		perseus report --json $run$o >json
		perseus report --paths $run$o >paths
		case $run in thrown*) work=step ;; *) work=work ;; esac
		it "$o: ... the work has its time" [ "$(time_of $work)" -ge 40 ]
		it "$o: ... its calls are counted" [ "$(calls $work)" = 20 ]
		it "$o: ... nothing took longer than the run" [ "$(longest)" = True ]
		says "^ .* \[?main .*" "$o: ... there is a tree" paths
		silent "^ .*  {6,}$work " "$o: ... in which the work is main's" paths
	done
	it "$o: throws are counted" sh -c "perseus report --json thrown$o | python3 -c \"import json,sys; sys.exit(sum(f['calls'] for f in json.load(sys.stdin)['functions'] if f['name'] == '__cxa_throw') != 10000)\""
done
finish
