#!/bin/sh
# SPDX-License-Identifier: MIT
# Variables of a function's frame that threads meet in: by their names where it is known
# which one lies there, and never by the name of what lies beside.
. tests/lib.sh
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "variables of frames" "one core only"; finish; }
cat >meet.h <<'E2'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
/* Round after round none goes on before both have come so far, however busy the machine is. */
static struct { int round __attribute__((aligned(64))); } at[2];
static int numbers;
static void meet(int me)
{
	int round = __atomic_add_fetch(&at[me].round, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&at[!me].round, __ATOMIC_ACQUIRE) < round)
		sched_yield();
}
static void *run(void *arg)
{
	long *p = arg;
	int me = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
	}
	return 0;
}
E2
# The compiler makes a clone of two() for the only function that it is given.
cat >clone.c <<'E2'
#include "meet.h"
struct part { long n, sum; } __attribute__((aligned(APART)));
static __attribute__((noinline)) int two(void *(*f)(void *), void *a, void *(*g)(void *), void *b)
{
	pthread_t x, y;
	pthread_create(&x, NULL, f, a);
	pthread_create(&y, NULL, g, b);
	return pthread_join(x, NULL) + pthread_join(y, NULL);
}
int main(void)
{
	_Alignas(64) struct part parts[2] = {{0, 0}, {0, 0}};
	return two(run, &parts[0], run, &parts[1]);
}
E2
# No table has a variable whose size the program computes; p and q lie near it.
cat >size.c <<'E2'
#include "meet.h"
int main(int argc, char **argv)
{
	pthread_t p, q;
	volatile long counts[argc + 1];
	memset((void *)counts, 0, sizeof counts);
	pthread_create(&p, NULL, run, (void *)&counts[0]);
	pthread_create(&q, NULL, run, (void *)&counts[1]);
	pthread_join(p, NULL);
	pthread_join(q, NULL);
	return argv == 0 && counts[0] == counts[1];
}
E2
for o in -O0 -O2; do
	for p in clone size; do
		it "$o: $p builds" gcc $o -g -DAPART=16 -pthread -fplugin="$PLUGIN" -o $p $p.c
		rm -rf run
		it "$o: $p is recorded" perseus record -q -o run --purpose=sharing ./$p
		perseus conflicts --all run >out 2>&1
		silent "[pqxy](@|\[\]@| of )(main|two)" "$o: $p: no neighbour gives its name"
		[ $p = clone ] || { says "^share-[0-9]+ [a-z]+-sharing stack@main" "$o: whose stack it is is said"; continue; }
		says "^share-[0-9]+ false-sharing parts\[\]" "$o: the variable handed on to a clone is named"
		says "parts of main\(\), struct part, 32 bytes" "$o: ... with its function, type and size"
	done
	it "$o: parts on lines of their own" gcc $o -g -DAPART=64 -pthread -fplugin="$PLUGIN" -o apart clone.c
	rm -rf run
	it "$o: recorded" perseus record -q -o run --purpose=sharing ./apart
	perseus conflicts --all run >out 2>&1
	silent "parts" "$o: ... are no finding"
done
finish
