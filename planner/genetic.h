/* SPDX-License-Identifier: MIT */
/*
 * The genetic algorithm, for problems too large to enumerate.  Genes: seat ->
 * unit (thread x phase -> core) and era x domain -> step, so every genome can
 * be carried out.  Tournament selection, k-point crossover, mutation,
 * elitism, some individuals made from knowledge of the domain, re-infusion
 * when the population has become alike (by genotype, not by fitness: fitness
 * is alike whenever there is little to gain), incest prevention by Hamming
 * distance.
 *
 * Same problem, same seed, same result on any machine: each individual draws
 * from a generator of its own, keyed by (seed, generation, index), and ties
 * go to the lower index.
 */
#ifndef PERSEUS_PLANNER_GENETIC_H
#define PERSEUS_PLANNER_GENETIC_H

#include "planner/eval.h"

struct genetic_options {
	struct goal goal;
	uint64_t seed;
	uint64_t max_evaluations;
	bool (*stop)(void *ctx); /* asked each generation; may be NULL */
	void *ctx;
};

/*
 * Improve @best: the result is never worse than what it holds at the call.
 * @evaluations is added to.
 */
void genetic_search(const struct problem *pb, const struct genetic_options *opts, struct scratch *s,
		    struct design *best, uint64_t *evaluations);

#endif
