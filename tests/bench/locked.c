/* SPDX-License-Identifier: MIT */
/*
 * locked WHAT: threads that hold each other up, each for a known part of its
 * work.  Work is counted in units of about a microsecond.
 *
 *   lock ROUNDS WORK HELD ...   a thread for each WORK and HELD: in each round WORK
 *                               units, the last HELD of them under the one mutex
 *   stream ITEMS MAKE USE ROOM  one makes items, one uses them; up to ROOM lie between
 *   turns ITEMS MAKE USE        one makes an item, and waits until the other has used it
 *
 * All words may come in one, with commas between.  Checks its own result; exit
 * status 1 if it is wrong.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS    4
#define WORDS      (2 + 2 * THREADS)
#define UNIT       700 /* steps of the generator, four or five cycles each */
#define MULTIPLIER 6364136223846793005ull
#define INCREMENT  1442695040888963407ull

struct worker {
	_Alignas(64) pthread_t thread;
	void *(*run)(void *);
	unsigned long free, held; /* units a round */
	uint64_t state;
};

static struct worker workers[THREADS];
static int n_workers;
static unsigned long rounds, room;
static unsigned long made, used; /* items; under the mutex */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;

__attribute__((noinline)) static void work(struct worker *w, unsigned long units)
{
	uint64_t x = w->state;

	for (unsigned long i = 0; i < units * UNIT; i++)
		x = x * MULTIPLIER + INCREMENT;
	w->state = x;
}

static void *lock_worker(void *arg)
{
	struct worker *w = arg;

	for (unsigned long i = 0; i < rounds; i++) {
		work(w, w->free);
		pthread_mutex_lock(&mutex);
		work(w, w->held);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

/* Without room the item is waited for. */
static void *maker(void *arg)
{
	struct worker *w = arg;

	for (unsigned long i = 0; i < rounds; i++) {
		work(w, w->free);
		pthread_mutex_lock(&mutex);
		while (room && made - used >= room)
			pthread_cond_wait(&not_full, &mutex);
		made++;
		pthread_cond_signal(&not_empty);
		while (!room && made > used)
			pthread_cond_wait(&not_full, &mutex);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void count_used(void)
{
	used++;
	pthread_cond_signal(&not_full);
}

/* With room an item is off the room before it is worked on, else after it. */
static void *user(void *arg)
{
	struct worker *w = arg;

	for (unsigned long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		while (made == used)
			pthread_cond_wait(&not_empty, &mutex);
		if (room)
			count_used();
		pthread_mutex_unlock(&mutex);
		work(w, w->free);
		if (room)
			continue;
		pthread_mutex_lock(&mutex);
		count_used();
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

/* The generator after @n steps from @x, by repeated squaring of x -> a x + c. */
static uint64_t jump(uint64_t x, uint64_t n)
{
	uint64_t a = MULTIPLIER, c = INCREMENT;

	for (; n; n >>= 1) {
		if (n & 1)
			x = x * a + c;
		c += a * c;
		a *= a;
	}
	return x;
}

static int check(void)
{
	for (int i = 0; i < n_workers; i++) {
		struct worker *w = &workers[i];

		if (w->state != jump((uint64_t)i, rounds * (w->free + w->held) * UNIT)) {
			fprintf(stderr, "locked: thread %d ends in a wrong state\n", i);
			return 1;
		}
	}
	if (made != used || (made && made != rounds)) {
		fprintf(stderr, "locked: %lu made, %lu used, expected %lu\n", made, used, rounds);
		return 1;
	}
	return 0;
}

/* Split the words at commas, too; how many there are. */
static int split(int argc, char **argv, char **word)
{
	int n = 0;

	for (int i = 1; i < argc; i++)
		for (char *s = strtok(argv[i], ","); s && n < WORDS; s = strtok(NULL, ","))
			word[n++] = s;
	return n;
}

static void add(void *(*run)(void *), unsigned long free, unsigned long held)
{
	workers[n_workers] =
		(struct worker){.run = run, .free = free, .held = held, .state = (uint64_t)n_workers};
	n_workers++;
}

static int set_up(char **word, int n)
{
	unsigned long v[WORDS] = {0};

	for (int i = 1; i < n; i++)
		v[i - 1] = strtoul(word[i], NULL, 10);
	rounds = v[0];
	room = v[3];
	if (n >= 4 && n % 2 == 0 && !strcmp(word[0], "lock")) {
		for (int i = 1; i < n - 1; i += 2)
			if (v[i + 1] <= v[i])
				add(lock_worker, v[i] - v[i + 1], v[i + 1]);
	} else if ((n == 5 && room && !strcmp(word[0], "stream")) || (n == 4 && !strcmp(word[0], "turns"))) {
		add(maker, v[1], 0);
		add(user, v[2], 0);
	}
	return n_workers && rounds ? 0 : -1;
}

int main(int argc, char **argv)
{
	char *word[WORDS];

	if (set_up(word, split(argc, argv, word))) {
		fprintf(stderr, "usage: locked lock ROUNDS WORK HELD ... | stream ITEMS MAKE USE ROOM | "
				"turns ITEMS MAKE USE\n");
		return 2;
	}
	for (int i = 0; i < n_workers; i++)
		if (pthread_create(&workers[i].thread, NULL, workers[i].run, &workers[i])) {
			perror("locked: pthread_create");
			return 1;
		}
	for (int i = 0; i < n_workers; i++)
		pthread_join(workers[i].thread, NULL);
	return check();
}
