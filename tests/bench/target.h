/* SPDX-License-Identifier: MIT */
/*
 * An instance and a target, for searches of any origin: the same fitness for
 * all of them.  Genes are whole numbers: a unit for each slot that can be
 * chosen, then a step for each epoch and domain.
 */
#ifndef PERSEUS_BENCH_TARGET_H
#define PERSEUS_BENCH_TARGET_H

#ifdef __cplusplus
extern "C" {
#endif

struct target;

/* "signal" or "planted"; NULL if there is no such instance. */
struct target *target_open(const char *name);
void target_close(struct target *t);

/* Number of genes, the largest value of gene @i, and the energy (J) that counts as found. */
unsigned int target_genes(const struct target *t);
unsigned int target_limit(const struct target *t, unsigned int i);
double target_joules(const struct target *t);

/* Energy of a design, J; not for several threads at once. */
double target_fitness(struct target *t, const double *genes);

/* CPU seconds that the planner needs to the target without enumeration; below 0: not found. */
double target_planner_seconds(struct target *t, unsigned int seed);

/* CPU time of the process, s. */
double target_now(void);

#ifdef __cplusplus
}
#endif

#endif
