/* SPDX-License-Identifier: MIT */
/*
 * A counter-based generator (splitmix64 over a key): the value depends only
 * on the key and on how many were drawn, so every individual of a search can
 * have a generator of its own and results do not depend on thread counts.
 */
#ifndef PERSEUS_LIB_RNG_H
#define PERSEUS_LIB_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

/* A generator for the key (seed, a, b, c). */
struct rng rng_keyed(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* Next 64 bits. */
uint64_t rng_u64(struct rng *rng);

/* Uniform in [0, n), n > 0, without modulo bias. */
uint64_t rng_below(struct rng *rng, uint64_t n);

/* Uniform in [0, 1). */
double rng_unit(struct rng *rng);

/* Of the normal distribution of mean 0 and deviation 1. */
double rng_normal(struct rng *rng);

#endif
