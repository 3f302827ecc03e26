#!/bin/sh
# SPDX-License-Identifier: MIT
# record --sharing: how lines are watched, and what the summary says of a run
# that looked now and then.
. tests/lib.sh
[ -z "$SAN" ] || { skip "record --sharing" "the plugin is not built with a sanitizer"; finish; }
cd "$T" || exit 1
cat >fight.c <<'E'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include "together.h"
static struct { long left, right; } both __attribute__((aligned(64)));
static struct { long left, far[15], right; } apart __attribute__((aligned(64)));
static int shared = 1;
__attribute__((noinline)) static void step(long *p, long n) { while (n--) if (*p >= 0) ++*(volatile long *)p; }
static void *work(void *arg)
{
	long *p = arg ? shared ? &both.right : &apart.right : shared ? &both.left : &apart.left;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(arg != NULL, &one);
	pthread_setaffinity_np(pthread_self(), sizeof one, &one);
	while (together_more(arg != NULL, 0.5, 300))
		step(p, 20000);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	shared = argc < 2;
	(void)argv;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, &b);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
E
it "the program builds" gcc -O2 -g -pthread -I"$OLDPWD/tests" -fplugin="$PLUGIN" -o fight fight.c

for mode in adaptive precise rate; do
	exits 0 "$mode: it is recorded" perseus record -o $mode --purpose=sharing --sharing=$mode ./fight
	cp "$T/err" "$T/$mode.txt"
	exits 0 "$mode: it can be reported" perseus report --json $mode
	perseus conflicts --all $mode >"$T/out" 2>"$T/err"
	says '^share-[0-9]+ false-sharing both\.left/right ' "... and the two fields are found" "$T/out"
	exits 0 "$mode: the padded twin is recorded" perseus record -q -o $mode-apart --purpose=sharing --sharing=$mode ./fight apart
	exits 0 "... and nothing is found" perseus conflicts $mode-apart
done
says 'bursts +[0-9]+, [0-9.]+ ms each, [0-9.]+ % of the time: all that was looked at' "rate: the summary says how much was seen" "$T/rate.txt"
says 'is missed with a probability (of|below) [0-9.e-]+$' "... and how surely" "$T/rate.txt"
says 'all that was looked at after the first [0-9.]+ m?s' "adaptive: it says until when all was looked at" "$T/adaptive.txt"
it "precise: it promises nothing of the kind" sh -c '! grep -q probability "$1"' - "$T/precise.txt"

exits 2 "an unknown mode" perseus record --purpose=sharing --sharing=often ./fight
says 'expected adaptive, precise or rate' "... is refused by name" "$T/err"
exits 2 "a mode in a timing run" perseus record --sharing=rate ./fight
says 'add --purpose=sharing' "... with the remedy" "$T/err"
exits 2 "a trace of all accesses in a run that looks at some" perseus record --purpose=sharing --sharing=rate --trace ./fight
says 'leave one of them out' "... with the choice" "$T/err"
finish
