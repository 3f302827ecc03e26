/* SPDX-License-Identifier: MIT */
/* Numbers by chance for what damages files: the same ones in each run, others for another PERSEUS_FUZZ_SEED. */
#ifndef TESTS_VERIFY_DRAW_H
#define TESTS_VERIFY_DRAW_H

#include <stdint.h>
#include <stdlib.h>

static uint64_t draw_state = 1;

static void __attribute__((constructor)) draw_begin(void)
{
	const char *asked = getenv("PERSEUS_FUZZ_SEED");

	draw_state = asked ? strtoull(asked, NULL, 10) : 1;
}

/* Below @n; 0 if that is 0. */
static inline uint64_t draw(uint64_t n)
{
	uint64_t z = draw_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return n ? (z ^ z >> 31) % n : 0;
}

#endif
