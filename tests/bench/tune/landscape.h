/* SPDX-License-Identifier: MIT */
/* Landscapes whose best setting is known, and searches of others on them. */
#ifndef TESTS_BENCH_TUNE_LANDSCAPE_H
#define TESTS_BENCH_TUNE_LANDSCAPE_H

#include "tuner/search/trials.h"

struct landscape {
	const char *name;
	const char *text; /* the space */
	double (*value)(const struct space *s,
			const double *v); /* > 0; v: numbers, or indices of words and orders */
	double noise;                     /* standard deviation of ln of a run */
	unsigned trials;                  /* that a search may make */
};

extern const struct landscape landscapes[];
extern const unsigned n_landscapes;

/* Measurements of a landscape with noise. */
struct oracle {
	const struct landscape *l;
	const struct space *s;
	struct rng rng;
	double drift; /* of ln, from run to run (AR(1), 0.97) */
	double tail;  /* every twentieth run is longer by up to so much */
	double level;
	unsigned runs;
};

double oracle_truth(const struct oracle *o, const struct setting *x);
double oracle_run(struct oracle *o, const struct setting *x);

/* The least value of all settings. */
double oracle_least(const struct oracle *o);

/* A search that runs settings until the oracle has been asked o->l->trials times; it gives its choice. */
typedef struct setting peer_search(struct oracle *o, uint64_t seed);
peer_search peer_random, peer_seed001, peer_evolution, peer_annealing;

#endif
