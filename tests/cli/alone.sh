#!/bin/sh
# SPDX-License-Identifier: MIT
# A sharing run of a program that has one thread, at first or for ever: memory
# probes sleep until the second comes, and what was allocated meanwhile is known.
. tests/lib.sh
[ -z "$SAN" ] || { skip "programs of one thread" "the plugin is not built with a sanitizer"; finish; }
cd "$T" || exit 1
probed() { c=$1; shift; "$c" -O2 -g -pthread -I"$OLDPWD/tests" -fplugin="$PLUGIN" "$@"; }
# stores RUN: how often memory probes came to the runtime
gcc -I"$OLDPWD" -I"$OLDPWD/include" -D_GNU_SOURCE -o readrec "$OLDPWD/tests/runtime/readrec.c" || exit 99
slow() { for f in "$1"/*.prec; do ./readrec "$f"; done | sed -n 's/^slow .*count=//p' | awk '{ n += $1 } END { print n + 0 }'; }

# Before its threads the program writes megabytes, and allocates a million blocks; two fields of one are fought for.
cat >p.c <<'E'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "together.h"
struct other { long x; };
struct pair { long left, right; } *fought;
static volatile char big[1 << 22];
__attribute__((noinline)) static void step(long *p, long n) { while (n--) if (*p >= 0) ++*(volatile long *)p; }
static void *work(void *p)
{
	while (together_more(p != &fought->left, 0.3, 200))
		step(p, 20000);
	return NULL;
}
static void *start(void)
{
	return malloc(sizeof(struct other));
}
static void fight(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, &fought->left);
	pthread_create(&b, NULL, work, &fought->right);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long blocks = argc > 2 ? atol(argv[2]) : 0;
	void **kept;
	if (!strcmp(how, "fork") && fork())
		return wait(NULL) < 0;
	kept = calloc((size_t)blocks + 1, sizeof *kept);
	for (int k = 0; k < 8; k++)
		for (size_t i = 0; i < sizeof big; i += 8)
			big[i] = (char)(big[i] + k);
	for (long i = 0; i < blocks / 2; i++)
		kept[i] = start();
	fought = aligned_alloc(64, 64); /* a line of its own: nothing else on it can be meant */
	fought->left = fought->right = 0;
	for (long i = blocks / 2; i < blocks; i++)
		kept[i] = start();
	if (strcmp(how, "one"))
		fight();
	free(kept);
	return 0;
}
E
it "the program builds" probed gcc -o p p.c
exits 0 "one thread for ever" perseus record -o one --purpose=sharing ./p one
says '^findings +one thread only: nothing can be shared' "... which is said" "$T/err"
it "... nothing came to the runtime" test "$(slow one)" = 0
exits 0 "... and no conflict is found" perseus conflicts one

exits 0 "threads that come late" perseus record -o late --purpose=sharing ./p late
perseus conflicts --all late >"$T/out" 2>"$T/err"
says '^share-[0-9]+ (false|unclear)-sharing pair' "... are seen" "$T/out"
says 'allocated at p\.c:44' "... with the block that the first one allocated" "$T/out"
exits 0 "a fork child that makes threads" perseus record -o fork --purpose=sharing ./p fork
perseus conflicts --all fork >"$T/out" 2>"$T/err"
says '^share-[0-9]+ (false|unclear)-sharing pair' "... likewise" "$T/out"
exits 0 "one block of a million" perseus record -o million --purpose=sharing ./p late 1000000
perseus conflicts --all million >"$T/out" 2>"$T/err"
says 'allocated at p\.c:44' "... is known by where it was allocated" "$T/out"

# A library with probes comes when threads are there already, into a program without.
cat >lib.c <<'E'
struct { long left, right; } both __attribute__((aligned(64)));
void bump(int right, long n) { while (n--) { if (right) ++*(volatile long *)&both.right; else ++*(volatile long *)&both.left; } }
E
cat >host.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
#include "together.h"
static pthread_barrier_t b;
static void (*bump)(int, long);
static void *work(void *p)
{
	pthread_barrier_wait(&b);
	while (together_more(p != 0, 0.3, 200))
		bump(p != 0, 20000);
	return p;
}
int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&b, 0, 3);
	pthread_create(&t[0], 0, work, 0);
	pthread_create(&t[1], 0, work, t);
	bump = (void (*)(int, long))dlsym(dlopen("./lib.so", RTLD_NOW), "bump");
	pthread_barrier_wait(&b);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
E
it "a library and a host without probes" sh -c "gcc -O2 -pthread -I'$OLDPWD/tests' -o host host.c -ldl && gcc -O1 -g -fPIC -shared -fplugin='$PLUGIN' -o lib.so lib.c"
exits 0 "a library that is loaded by a program with threads" perseus record -o plug --purpose=sharing ./host
perseus conflicts --all plug >"$T/out" 2>"$T/err"
says '^share-[0-9]+ (false|unclear)-sharing both' "... is awake at once" "$T/out"
finish
