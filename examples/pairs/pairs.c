/* SPDX-License-Identifier: MIT */
/*
 * pairs [SIZE [STEPS]]: eight threads in four pairs.  Each thread steps a number
 * generator and counts its blocks of steps with relaxed atomic adds.  The two
 * counters of a pair lie in one cache line: logically nothing is shared, yet
 * the line travels between the cores for every add (false sharing).  The
 * lines of different pairs are apart.
 *
 *   make               pairs, and pairs-padded: the same with one line a counter
 *   ./pairs 1          SIZE scales the work; 1 is about a second on two cores
 *   ./pairs 1 64       STEPS of the generator between two counts, default 2: the
 *                      more, the more seldom the line is fought for
 *
 * Checks its own result: every counter, and every generator against a closed
 * form; exit status 1 if one is wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PAIRS      4
#define LINE       64
#define STEPS      2      /* generator steps a count */
#define BLOCK      200000 /* steps a call of count_left() or count_right() */
#define BLOCKS     1000   /* calls a thread, times SIZE */
#define MULTIPLIER 6364136223846793005ull
#define INCREMENT  1442695040888963407ull

#ifdef PADDED
#define ALIGN_FIELD _Alignas(LINE)
#else
#define ALIGN_FIELD
#endif

struct pair {
	_Alignas(LINE) atomic_ullong left;
	ALIGN_FIELD atomic_ullong right;
};

struct worker {
	_Alignas(LINE) pthread_t thread;
	struct pair *pair;
	unsigned long blocks;
	int steps;
	uint64_t state; /* of the generator */
};

static struct pair pairs[PAIRS];
static struct worker workers[2 * PAIRS];

static inline uint64_t step(uint64_t x)
{
	return x * MULTIPLIER + INCREMENT;
}

static uint64_t count_left(struct pair *pair, int steps, uint64_t x)
{
	for (int i = 0; i < BLOCK / steps; i++) {
		for (int k = 0; k < steps; k++)
			x = step(x);
		atomic_fetch_add_explicit(&pair->left, 1, memory_order_relaxed);
	}
	return x;
}

static uint64_t count_right(struct pair *pair, int steps, uint64_t x)
{
	for (int i = 0; i < BLOCK / steps; i++) {
		for (int k = 0; k < steps; k++)
			x = step(x);
		atomic_fetch_add_explicit(&pair->right, 1, memory_order_relaxed);
	}
	return x;
}

static void *left_worker(void *arg)
{
	struct worker *w = arg;
	uint64_t x = w->state;

	for (unsigned long i = 0; i < w->blocks; i++)
		x = count_left(w->pair, w->steps, x);
	w->state = x;
	return NULL;
}

static void *right_worker(void *arg)
{
	struct worker *w = arg;
	uint64_t x = w->state;

	for (unsigned long i = 0; i < w->blocks; i++)
		x = count_right(w->pair, w->steps, x);
	w->state = x;
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

static int check(int i)
{
	struct worker *w = &workers[i];
	unsigned long long counts = atomic_load(i % 2 ? &w->pair->right : &w->pair->left);
	unsigned long long expected = (unsigned long long)w->blocks * (unsigned)(BLOCK / w->steps);

	if (counts != expected) {
		fprintf(stderr, "pairs: thread %d counted %llu, expected %llu\n", i, counts, expected);
		return 1;
	}
	if (w->state != jump((uint64_t)i, expected * (unsigned)w->steps)) {
		fprintf(stderr, "pairs: thread %d ends in a wrong state\n", i);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	double size = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	int steps = argc > 2 ? atoi(argv[2]) : STEPS;
	unsigned long blocks;
	int bad = 0;

	if (argc > 3 || !(size > 0.0 && size <= 1000.0) || steps < 1 || steps > BLOCK) {
		fprintf(stderr, "usage: pairs [SIZE [STEPS]]   (0 < SIZE <= 1000, 1 <= STEPS <= %d)\n",
			BLOCK);
		return 2;
	}
	blocks = (unsigned long)(BLOCKS * size) + 1;
	for (int i = 0; i < 2 * PAIRS; i++) {
		workers[i] = (struct worker){
			.pair = &pairs[i / 2], .blocks = blocks, .steps = steps, .state = (uint64_t)i};
		if (pthread_create(&workers[i].thread, NULL, i % 2 ? right_worker : left_worker,
				   &workers[i])) {
			perror("pairs: pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < 2 * PAIRS; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < 2 * PAIRS; i++)
		bad |= check(i);
	printf("pairs: %d threads counted %lu each: %s\n", 2 * PAIRS, blocks * (unsigned)(BLOCK / steps),
	       bad ? "WRONG" : "right");
	return bad;
}
