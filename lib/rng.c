/* SPDX-License-Identifier: MIT */
#include "lib/rng.h"

#include <math.h>

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

struct rng rng_keyed(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t s = mix(seed + 0x9e3779b97f4a7c15ull);

	s = mix(s ^ (a + 0x9e3779b97f4a7c15ull));
	s = mix(s ^ (b + 0xbf58476d1ce4e5b9ull));
	s = mix(s ^ (c + 0x94d049bb133111ebull));
	return (struct rng){s};
}

uint64_t rng_u64(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15ull;
	return mix(rng->state);
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t x;

	do
		x = rng_u64(rng);
	while (x >= limit);
	return x % n;
}

double rng_unit(struct rng *rng)
{
	return (double)(rng_u64(rng) >> 11) * 0x1.0p-53;
}

double rng_normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}
