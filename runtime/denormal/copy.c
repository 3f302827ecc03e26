// SPDX-License-Identifier: MIT
/* Denormals in memory that was copied: prs_den_copy(). */
#include <string.h>

#include "runtime/denormal/den.h"

/* By type: bytes of a number. */
static const uint64_t width[PRS_DEN_TYPES] = {2, 4, 8, 16, 16};

/* The mantissa's bits of 16-, 32- and 64-bit numbers. */
static const unsigned mantissa[] = {10, 23, 52};

static bool is_denormal(const unsigned char *at, uint32_t type)
{
	uint64_t low = 0, high = 0;

	memcpy(&low, at, width[type] < 8 ? width[type] : 8);
	if (type <= PRS_DEN_DOUBLE) {
		uint64_t x = low << (65 - 8 * width[type]);

		return x && !(x >> (mantissa[type] + 65 - 8 * width[type]));
	}
	memcpy(&high, at + 8, type == PRS_DEN_LONG_DOUBLE ? 2 : 8);
	if (type == PRS_DEN_LONG_DOUBLE)
		return low && !(high & 0x7fff);
	return (low || high << 16) && !(high & 0x7fff000000000000ull);
}

DEN_EXPORT uint64_t prs_den_copy(const struct prs_den_site *site, const void *from, uint64_t bytes)
{
	const unsigned char *at = from;
	uint64_t n = 0, step;

	den_begin();
	if (site->type >= PRS_DEN_TYPES || !den_self())
		return 0;
	step = width[site->type];
	for (uint64_t i = 0; i + step <= bytes; i += step)
		n += is_denormal(at + i, site->type);
	return n;
}
