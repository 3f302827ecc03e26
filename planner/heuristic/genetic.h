/* SPDX-License-Identifier: MIT */
/*
 * One island of the genetic algorithm, for problems too large to enumerate.
 *
 * Genes are those of genome.h, so every individual can be carried out.
 * Tournament selection, elitism, some individuals made from knowledge of the
 * domain, re-infusion when the population has become alike (by genotype, not
 * by fitness: fitness is alike whenever there is little to gain), incest
 * prevention by Hamming distance.  Children are made by
 *
 *   cross    k-point crossover
 *   phases   each phase from the parent that is cheaper there
 *   mutate   a few genes drawn anew, a unit or package emptied or exchanged
 *            with another, or one step for a domain, in a few phases
 *   descent  a kick in a few phases, then local search in them
 *
 * Each operator is credited with the children that were better than their
 * mother, by the work that they took, and is used in that proportion.
 *
 * Same problem, same seed, same result on any machine: each individual draws
 * from a generator of its own, keyed by (seed, island, generation, slot),
 * and ties go to the lower index.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_GENETIC_H
#define PERSEUS_PLANNER_HEURISTIC_GENETIC_H

#include "planner/heuristic/genome.h"

enum genetic_operator { GENETIC_CROSS, GENETIC_PHASES, GENETIC_MUTATE, GENETIC_DESCENT, GENETIC_OPERATORS };

struct genetic_options {
	struct goal goal;
	uint64_t seed;
	uint32_t island;         /* its number */
	uint64_t max_descent;    /* effort of one local search; 0: as much as its phases ask for */
	bool (*stop)(void *ctx); /* asked each generation, by any thread; may be NULL */
	void *ctx;
};

struct genetic_counts {
	uint64_t evaluations;               /* individuals */
	uint64_t work;                      /* effort, in units of about 0.1 us */
	uint64_t diversity;                 /* mean distance to the best, permille of the genes */
	uint32_t credit[GENETIC_OPERATORS]; /* share of the children that each makes, permille */
};

struct genetic;

/* An island near @start, to be released by genetic_free(); @pb must outlive it. */
struct genetic *genetic_new(const struct problem *pb, const struct genetic_options *opts,
			    const struct design *start);
void genetic_free(struct genetic *g);

/* At most @generations more; begins none after @max_work of effort in all, see genetic_counts(). */
void genetic_evolve(struct genetic *g, uint32_t generations, uint64_t max_work);

/* The effort of evaluating one phase of @pb. */
uint64_t genetic_phase_work(const struct problem *pb);

/* Take @d in in place of the worst individual, unless it is here already. */
void genetic_receive(struct genetic *g, const struct design *d);

/* The best individual so far. */
const struct individual *genetic_best(const struct genetic *g);

struct genetic_counts genetic_counts(const struct genetic *g);

#endif
