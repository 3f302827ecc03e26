#!/bin/sh
# SPDX-License-Identifier: MIT
# What may lie elsewhere in the plain build is said with the finding; of what lies there, too, nothing is said.
. tests/lib.sh
[ -z "$SAN" ] || { skip "places" "needs the plugin and a runtime without a sanitizer"; finish; }
cd "$T" || exit 1
cat >stk.c <<'E2'
#include <pthread.h>
#include <sched.h>
static struct { volatile long a, b; } g;
static _Alignas(128) int turn[32];
__attribute__((noinline)) static void *run(void *p)
{
	volatile long *v = p;
	int me = (int)((long)p >> 3 & 1);

	for (int n = 0; n < 3000; n++) { /* by turns, so that they meet on one core, too */
		while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != me)
			sched_yield();
		*v += n;
		__atomic_store_n(turn, !me, __ATOMIC_SEQ_CST);
	}
	return p;
}
int main(int argc, char **argv)
{
	volatile long v[2] = {0};
	pthread_t t[2];

	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, run, argc > 1 ? (void *)(i ? &g.a : &g.b) : (void *)&v[i]);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	return 0;
}
E2
gcc -O2 -g -pthread -fplugin="$PLUGIN" stk.c -o stk
# what conflicts says of the objects of one finding
told() { perseus record -q --purpose=sharing -o "$1" ./stk $2 >/dev/null 2>&1; perseus conflicts --all "$1" >"$1.out"; }
told stack ""
told global g
says '^    place     on a stack' "of a variable on a stack it is said that its place may differ" stack.out
it "a global is found" grep -q '^share-.* g[.]' global.out
it "of a global it is not" sh -c "! grep -q 'place .*on a stack' global.out"
finish
