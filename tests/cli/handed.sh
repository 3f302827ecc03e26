#!/bin/sh
# SPDX-License-Identifier: MIT
# A block that one thread fills and another takes, again and again, is handed over: the second
# needs what the first wrote, and no room parts them.  Its twin: both use a part of it at a time.
. tests/lib.sh
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "blocks that are handed over" "one core only"; finish; exit; }
mkdir src && cd src || exit 1
cat >hand.c <<'E2'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct item {
	long id;
	struct item *next;
	long a;
	long b;
};
static sem_t full, taken;
static pthread_barrier_t both;
static struct item *volatile head;
static void *consumer(void *arg)
{
	for (int i = 0; i < 400; i++) {
		sem_wait(&full);
#ifdef TWIN
		for (int k = 0; k < 20; k++) {
			pthread_barrier_wait(&both);
			head->b++;
		}
#else
		head = head->next;
#endif
		sem_post(&taken);
	}
	return arg;
}
static void producer(void)
{
	for (int i = 0; i < 400; i++) {
		struct item *it = malloc(sizeof(*it));
		it->id = i;
		it->next = head;
		it->a = it->b = 0;
		head = it;
		sem_post(&full);
#ifdef TWIN
		for (int k = 0; k < 20; k++) {
			pthread_barrier_wait(&both);
			it->a++;
			__asm__ volatile("" ::: "memory");
		}
#endif
		sem_wait(&taken);
		head = NULL;
		free(it);
	}
}
int main(void)
{
	pthread_t t;
	sem_init(&full, 0, 0);
	sem_init(&taken, 0, 0);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t, NULL, consumer, NULL);
	producer();
	pthread_join(t, NULL);
	return 0;
}
E2
for o in -O0 -O2; do
	C="gcc -std=gnu11 $o -g -fplugin=$PLUGIN hand.c -pthread"
	it "$o: both build" sh -c "$C -o ../hand && $C -DTWIN -o ../twin"
	for p in hand twin; do
		perseus record -q --purpose=sharing --sharing=precise -o "../$p$o" "../$p" &&
			perseus conflicts --all "../$p$o" >"../$p$o.txt"
	done
	silent 'false-sharing [^ ]*item' "$o: what is handed over is not called false sharing" "../hand$o.txt"
	says '^share-[0-9]+ true-sharing [^ ]*item' "$o: ... but true: the line has to move" "../hand$o.txt"
	says '^share-[0-9]+ false-sharing [^ ]*item[^ ]*a' "$o: two fields of it at a time are false sharing" "../twin$o.txt"
done
finish
