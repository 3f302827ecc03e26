/* SPDX-License-Identifier: MIT */
/* What a unit with denormal probes looks like, by hand: counts that the test knows. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perseus/denormal.h"

#define SLOTS 100000

extern uint64_t *prs_den_open(const struct prs_den_desc *, uint64_t **) __attribute__((weak));
extern void prs_den_array(const struct prs_den_site *, const void *, uint64_t) __attribute__((weak));

static struct prs_den_site site[2] = {
	{1, PRS_DEN_LOAD, PRS_DEN_FLOAT, 7, 3, 0, 0, "a.c", "work", "in"},
	{2, PRS_DEN_STORE, PRS_DEN_FLOAT, 8, 3, PRS_DEN_SITE_ROOT, 0, "a.c", "work", "out"},
};
static struct prs_den_slot slots[SLOTS];
static struct prs_den_desc desc = {PRS_DEN_VERSION, PRS_DEN_FULL, 2, 0, slots, {0}};
static __thread uint64_t *table;
static float fixed[64];

/* In one page; a file without the symbols of the first still has the second's. */
__asm__(".data\n\t.balign 4096\n\t.type hidden, @object\n\t.size hidden, 256\nhidden: .zero 256\n\t"
	".globl shown\n\t.type shown, @object\n\t.size shown, 256\nshown: .zero 256\n\t.text");
extern float hidden[64] __attribute__((visibility("hidden"))), shown[64];

static void count(unsigned slot, uint64_t n)
{
	static uint64_t nobody[SLOTS];

	if (!table)
		table = prs_den_open ? prs_den_open(&desc, &table) : nobody;
	table[slot] += n;
}

static void at(unsigned s, const void *p, uint64_t n)
{
	if (prs_den_array)
		prs_den_array(&site[s], p, n);
}

static void *work(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++)
		count(0, 1);
	return NULL;
}

static void threads(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, work, NULL))
			abort();
		pthread_join(t, NULL);
	}
}

static void arrays(void)
{
	float *a = malloc(4096), *b = calloc(512, 8), local[64] = {0};

	for (int i = 0; i < 1000; i++) {
		at(0, i % 2 ? a + 7 : b + 9, 2);
		at(1, i % 2 ? b : a, 1);
	}
	free(a);
	at(1, fixed + 3, 5);
	at(1, local, 6);
	for (int i = 0; i < 10000; i++) {
		float *short_lived = malloc(8192);

		at(0, short_lived + 1, 1);
		free(short_lived);
	}
	free(b);
}

static bool in_one_page(const void *a, const void *b)
{
	return (uintptr_t)a >> 12 == (uintptr_t)b >> 12;
}

/* One site meets a small block first, then blocks in the same page that were there before, and that come later. */
static void small(void)
{
	char *few, *many, *again;

	do {
		few = malloc(100);
		many = malloc(600);
		again = malloc(700);
	} while (!in_one_page(few, again + 699));
	free(again);
	at(0, few + 8, 3);
	at(0, many + 8, 20);
	at(0, few + 12, 4);
	again = malloc(700);
	if (!in_one_page(few, again))
		abort();
	at(0, again + 8, 100);
	free(many);
	at(0, few + 16, 5);
	free(few);
	free(again);
}

static void neighbours(void)
{
	at(0, hidden + 1, 3);
	at(0, shown + 1, 20);
	at(0, hidden + 2, 4);
	at(1, fixed + 1, 100);
}

static void forks(void)
{
	count(0, 10);
	pid_t pid = fork();

	count(0, pid ? 1 : 5);
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	for (unsigned i = 0; i < SLOTS; i++)
		slots[i] = (struct prs_den_slot){&site[i % 2], PRS_DEN_RESULT, 0};
	if (!strcmp(what, "threads"))
		threads(argc > 2 ? atoi(argv[2]) : 1);
	else if (!strcmp(what, "arrays"))
		arrays();
	else if (!strcmp(what, "small"))
		small();
	else if (!strcmp(what, "neighbours"))
		neighbours();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "many")) {
		desc.n_slots = SLOTS;
		for (unsigned i = 0; i < SLOTS; i++)
			count(i, i);
	} else if (!strcmp(what, "kill")) {
		count(1, 1234);
		raise(SIGKILL);
	} else if (!strcmp(what, "flush")) {
		unsigned mxcsr = 0x9fc0;

		__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
		count(0, 1);
	}
	puts("done");
	return 0;
}
