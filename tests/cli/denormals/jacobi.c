/* SPDX-License-Identifier: MIT */
/*
 * A stencil that dies out, counted by hand as the plugin's code counts: edges 1, the rest
 * ARGV[2] (default 0), ARGV[1] sweeps.  It is a unit of mode full, or results with "results" behind.
 * Prints the last array as numbers.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perseus/denormal.h"

#define N 512

extern uint64_t *prs_den_open(const struct prs_den_desc *, uint64_t **) __attribute__((weak));
extern void prs_den_array(const struct prs_den_site *, const void *, uint64_t) __attribute__((weak));

enum { LOAD, ADD = 4, MUL = 7, STORE, SITES };
#define AT(kind, line, column, flags, n, name)                                                               \
	{100 + (line) * 10 + (column), kind, PRS_DEN_FLOAT, line, column, flags, n, "src/jacobi.c", "sweep", name}
static const struct prs_den_site site[SITES] = {
	AT(PRS_DEN_LOAD, 40, 1, 0, 0, "old"), AT(PRS_DEN_LOAD, 40, 2, 0, 0, "old"),
	AT(PRS_DEN_LOAD, 40, 3, 0, 0, "old"), AT(PRS_DEN_LOAD, 40, 4, 0, 0, "old"),
	AT(PRS_DEN_ADD, 40, 5, 0, 2, ""),     AT(PRS_DEN_ADD, 40, 6, 0, 2, ""),
	AT(PRS_DEN_ADD, 40, 7, 0, 2, ""),     AT(PRS_DEN_MUL, 41, 8, PRS_DEN_SITE_ROOT, 2, ""),
	AT(PRS_DEN_STORE, 41, 9, 0, 0, "new"),
};

/* A slot for the results of each site, then births and deaths of the arithmetic. */
enum { BIRTH = SITES, DEATH = BIRTH + 4, SLOTS = DEATH + 4 };
static const struct prs_den_slot slots[SLOTS] = {
	{&site[0], PRS_DEN_RESULT, 0}, {&site[1], PRS_DEN_RESULT, 0}, {&site[2], PRS_DEN_RESULT, 0},
	{&site[3], PRS_DEN_RESULT, 0}, {&site[4], PRS_DEN_RESULT, 0}, {&site[5], PRS_DEN_RESULT, 0},
	{&site[6], PRS_DEN_RESULT, 0}, {&site[7], PRS_DEN_RESULT, 0}, {&site[8], PRS_DEN_RESULT, 0},
	{&site[4], PRS_DEN_BIRTH, 0},  {&site[5], PRS_DEN_BIRTH, 0},  {&site[6], PRS_DEN_BIRTH, 0},
	{&site[7], PRS_DEN_BIRTH, 0},  {&site[4], PRS_DEN_DEATH, 0},  {&site[5], PRS_DEN_DEATH, 0},
	{&site[6], PRS_DEN_DEATH, 0},  {&site[7], PRS_DEN_DEATH, 0},
};
static const struct prs_den_desc full = {PRS_DEN_VERSION, PRS_DEN_FULL, SLOTS, 0, slots, {0}},
				 few = {PRS_DEN_VERSION, PRS_DEN_RESULTS, 1, 0, slots + STORE, {0}};
static __thread uint64_t *table;
static uint64_t here[SLOTS];

static int denormal(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return !(bits & 0x7f800000) && (bits & 0x7fffff);
}

/* @operands: of the operation; @leaves: of all that it was made of. */
static float counted(int at, float r, int operands, int leaves)
{
	here[at] += (uint64_t)denormal(r);
	here[BIRTH + at - ADD] += denormal(r) && !operands && !leaves;
	here[DEATH + at - ADD] += !denormal(r) && operands;
	return r;
}

__attribute__((noinline)) void sweep(const float *old, float *new)
{
	uint64_t loads = here[0] + here[1] + here[2] + here[3], stores = here[STORE];

	for (int i = 1; i < N - 1; i++)
		for (int k = 1; k < N - 1; k++) {
			const float *at = old + i * N + k, v[4] = {at[-N], at[N], at[-1], at[1]};
			float sum = v[0];
			int leaves = 0;

			for (int o = 0; o < 4; o++) {
				here[LOAD + o] += (uint64_t)denormal(v[o]);
				leaves |= denormal(v[o]);
				if (o)
					sum = counted(ADD + o - 1, sum + v[o], denormal(sum) || denormal(v[o]),
						      leaves);
			}
			sum = counted(MUL, sum * .25f, denormal(sum), leaves);
			here[STORE] += (uint64_t)denormal(sum);
			new[i * N + k] = sum;
		}
	loads = here[0] + here[1] + here[2] + here[3] - loads;
	if (prs_den_array && loads)
		prs_den_array(&site[0], old + N, loads);
	if (prs_den_array && here[STORE] != stores)
		prs_den_array(&site[STORE], new + N, here[STORE] - stores);
}

static float *grid(float inside)
{
	float *a = malloc(sizeof(*a) * N * N);

	for (int i = 0; i < N * N; i++)
		a[i] = i < N || i >= N * N - N || i % N == 0 || i % N == N - 1 ? 1.f : inside;
	return a;
}

static void flush(int only_stores)
{
	uint64_t *t = table;

	if (!t && prs_den_open)
		t = prs_den_open(only_stores ? &few : &full, &table);
	for (int i = 0; t && i < SLOTS && !only_stores; i++)
		t[i] += here[i];
	if (t && only_stores)
		t[0] += here[STORE];
}

int main(int argc, char **argv)
{
	int sweeps = argc > 1 ? atoi(argv[1]) : 100;
	float inside = argc > 2 ? strtof(argv[2], NULL) : 0, *a = grid(inside), *b = grid(inside);

	for (int i = 0; i < sweeps; i++)
		if (i % 2)
			sweep(b, a);
		else
			sweep(a, b);
	flush(argc > 3 && !strcmp(argv[3], "results"));
	if (argc > 3 && !strcmp(argv[3], "kill"))
		raise(SIGKILL);
	for (int i = 0; i < N; i += 8)
		printf("%.9g\n", (double)(sweeps % 2 ? b : a)[(N / 8) * N + i]);
	free(a);
	free(b);
	return 0;
}
