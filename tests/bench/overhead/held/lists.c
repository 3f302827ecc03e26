/* SPDX-License-Identifier: MIT */
/* lists ROUNDS: two threads build lists of blocks of all lengths, and free each other's. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 400

struct item {
	struct item *next;
	char text[];
};
static struct item *shelf[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static struct item *build(unsigned seed)
{
	struct item *first = NULL;

	for (int i = 0; i < LENGTH; i++) {
		size_t bytes = 8 + (seed = seed * 1664525u + 1013904223u) % 200;
		struct item *it = malloc(sizeof(*it) + bytes);

		memset(it->text, 'x', bytes);
		it->next = first;
		first = it;
	}
	return first;
}

static struct item *exchange(struct item *mine, int with)
{
	struct item *theirs;

	pthread_mutex_lock(&mutex);
	theirs = shelf[with];
	shelf[with] = mine;
	pthread_mutex_unlock(&mutex);
	return theirs;
}

static void drop(struct item *it)
{
	while (it) {
		struct item *next = it->next;

		free(it);
		it = next;
	}
}

static void *work(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < rounds; i++)
		drop(exchange(build((unsigned)(i * 2 + me)), i % 2));
	return NULL;
}

int main(int argc, char **argv)
{
	int number[2] = {0, 1};
	pthread_t t[2];

	rounds = argc > 1 ? atoi(argv[1]) : 8000;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &number[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	drop(shelf[0]);
	drop(shelf[1]);
	puts("done");
	return 0;
}
