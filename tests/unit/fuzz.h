/* SPDX-License-Identifier: MIT */
/* How long loops of mutations go and where they begin: PERSEUS_FUZZ_ROUNDS, PERSEUS_FUZZ_SEED. */
#ifndef PERSEUS_TESTS_FUZZ_H
#define PERSEUS_TESTS_FUZZ_H

#include <stdint.h>
#include <stdlib.h>

static inline unsigned long fuzz_rounds(unsigned long usual)
{
	const char *asked = getenv("PERSEUS_FUZZ_ROUNDS");

	return asked ? strtoul(asked, NULL, 10) : usual;
}

/* The last part of a generator's key. */
static inline uint64_t fuzz_seed(void)
{
	const char *asked = getenv("PERSEUS_FUZZ_SEED");

	return asked ? strtoull(asked, NULL, 10) : 0;
}

#endif
