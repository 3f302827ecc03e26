#!/bin/sh
# SPDX-License-Identifier: MIT
# Elements of blocks that live for one round each: which of them the threads use is
# said where it is the same in all rounds, and not said where it is not.
. tests/lib.sh
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "elements of short-lived blocks" "one core only"; finish; }
cat >rounds.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static long *volatile w;
static long first; /* of the elements of this round */
static pthread_barrier_t gate;
static void *part(void *a)
{
	long me = (long)a, at = first + me;
	cpu_set_t all, one;
	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&one);
	for (int c = 0, n = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &all) && n++ == me)
			CPU_SET(c, &one);
	sched_setaffinity(0, sizeof one, &one);
	for (long i = 0; i < 1000000; i++) {
		if (i % 10000 == 0)
			pthread_barrier_wait(&gate); /* together, however busy the machine is */
		__atomic_fetch_add(&w[at], i, __ATOMIC_RELAXED); /* USED */
	}
	return a;
}
int main(void)
{
	pthread_barrier_init(&gate, NULL, 2);
	for (int r = 0; r < 6; r++) {
		pthread_t h[2];
		w = aligned_alloc(64, 64); /* ASKED */
		for (int i = 0; i < 8; i++)
			w[i] = 0;
#ifdef MOVES
		first = r;
#endif
		for (long t = 0; t < 2; t++)
			pthread_create(h + t, NULL, part, (void *)t);
		for (int t = 0; t < 2; t++)
			pthread_join(h[t], NULL);
		free(w);
	}
	return 0;
}
E2
for moves in "" -DMOVES; do
	it "it builds $moves" gcc -O2 -g $moves -pthread -fplugin="$PLUGIN" -o rounds rounds.c
	rm -rf run
	it "it is recorded" perseus record -q -o run --purpose=sharing ./rounds
	perseus conflicts --all run >out 2>&1
	says "^share-[0-9]{6} [a-z]+-sharing heap@rounds.c:[0-9]+\[\]" "the block goes by its place, 'long int' being no word"
	if [ -z "$moves" ]; then
		says "^    line +\[0\] .*written by" "the first thread's element"
		says "^ +\[1\] .*written by" "... and the second's"
		silent "^(    line)? +\[\] written by" "... in all rounds"
	else
		says "^    line +\[\] written by" "other elements in each round: no number"
	fi
done
cat >page.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
struct pair { long in, out; };
static pthread_barrier_t gate;
static struct pair *s;
static void *part(void *p)
{
	cpu_set_t all, one;
	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&one);
	for (int c = 0, n = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &all) && n++ == (p == &s->in))
			CPU_SET(c, &one);
	sched_setaffinity(0, sizeof one, &one);
	pthread_barrier_wait(&gate);
	for (long i = 0; i < 20000000; i++)
		__atomic_fetch_add((long *)p, i, __ATOMIC_RELAXED);
	return p;
}
int main(void)
{
	s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t h;
	pthread_barrier_init(&gate, NULL, 2);
	pthread_create(&h, NULL, part, &s->in);
	part(&s[SECOND].out);
	pthread_join(h, NULL);
	return s->in == 0;
}
E2
for second in 0 1; do
	it "a mapping of $second more structs than one builds" gcc -O2 -g -DSECOND=$second -pthread -fplugin="$PLUGIN" -o page page.c
	rm -rf run
	it "it is recorded" perseus record -q -o run --purpose=sharing ./page
	perseus conflicts --all run >out 2>&1
	[ $second = 1 ] || says "^share-[0-9]{6} false-sharing pair\.in/out" "one struct is no array of them, though a page has room"
	[ $second = 0 ] || says "^share-[0-9]{6} false-sharing pair\[\]\.in/out" "two of them are"
done
# A struct somewhere in a mapping, or behind what an allocator of the program keeps there.
cat >inside.c <<'E3'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
struct ring { char name[32]; volatile unsigned head, tail; volatile long log[8]; };
static pthread_barrier_t gate;
static struct ring *r;
static volatile struct { _Alignas(64) long n; } round_of[2];
/* Neither is a round ahead, on one processor either. */
static void together(int me)
{
	for (long n = ++round_of[me].n; round_of[!me].n < n;)
		sched_yield();
}
static void *put(void *p)
{
	pthread_barrier_wait(&gate);
	for (long i = 0; i < 1000000; i++) {
		if (i % 1000 == 0)
			together(0);
		r->head++;
	}
	return p;
}
static void get(void)
{
	pthread_barrier_wait(&gate);
	for (long i = 0; i < 1000000; i++) {
		if (i % 1000 == 0)
			together(1);
		r[SECOND].tail++;
	}
}
int main(void)
{
	char *m = MEMORY;
	pthread_t h;
	r = (struct ring *)(m + OFFSET);
	pthread_barrier_init(&gate, NULL, 2);
	pthread_create(&h, NULL, put, NULL);
	get();
	pthread_join(h, NULL);
	return r->head == 0;
}
E3
MAP='mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)'
for case in "0 4096 $MAP" "0 64 aligned_alloc(64, 8192)" "1 4120 $MAP"; do
	set -- $case
	second=$1 offset=$2
	shift 2
	it "a struct at $offset builds" gcc -O2 -g -DSECOND="$second" -DOFFSET="$offset" "-DMEMORY=$*" -pthread -fplugin="$PLUGIN" -o inside inside.c
	rm -rf run
	it "it is recorded" perseus record -q -o run --purpose=sharing --sharing=precise ./inside
	perseus conflicts --all run >out 2>&1
	if [ "$second" = 0 ]; then
		says "^share-[0-9]{6} false-sharing ring\.head/tail" "one struct at $offset is no array"
		says "^    object +struct ring, 104 bytes," "... and has the bytes of its type"
		says " tail \(offset 36\) written by" "... and its members their offsets"
	else
		silent "ring\.head" "two of them at $offset are an array, if they met at all"
	fi
done
finish
