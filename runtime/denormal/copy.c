// SPDX-License-Identifier: MIT
/* Denormals in memory that was copied: prs_den_copy(). */
#include "runtime/denormal/den.h"

typedef uint16_t __attribute__((may_alias, aligned(1))) u16;
typedef uint64_t __attribute__((may_alias, aligned(1))) u64;

/* By type: bytes of a number, bits of its mantissa in them, and all exponents of those in 8 bytes. */
static const struct {
	unsigned bytes, mantissa;
	uint64_t exponents;
} of[PRS_DEN_TYPES] = {{2, 10, 0x7c007c007c007c00},
		       {4, 23, 0x7f8000007f800000},
		       {8, 52, 0x7ff0000000000000},
		       {16, 0, 0},
		       {16, 0, 0}};

/* In 8 bytes. */
static unsigned in_word(uint64_t word, uint32_t type)
{
	unsigned bits = 8 * of[type].bytes, n = 0;

	for (unsigned at = 0; at < 64; at += bits) {
		uint64_t x = word >> at << (65 - bits);

		n += x && !(x >> (of[type].mantissa + 65 - bits));
	}
	return n;
}

/* The sum of an exponent that is not 0 and all its ones reaches the bit above, and no further. */
static uint64_t in_words(const unsigned char *from, uint64_t bytes, uint32_t type)
{
	uint64_t all = of[type].exponents, signs, n = 0, i, word = 0;

	signs = type == PRS_DEN_DOUBLE  ? 1ull << 63
		: type == PRS_DEN_FLOAT ? 0x8000000080000000
					: 0x8000800080008000;
	for (i = 0; i + 8 <= bytes; i += 8) {
		word = *(const u64 *)(from + i);
		if (~((word & all) + all) & signs)
			n += in_word(word, type);
	}
	if (i < bytes) {
		word = 0;
		for (unsigned k = 0; i + k < bytes; k++)
			word |= (uint64_t)from[i + k] << 8 * k;
		n += in_word(word, type);
	}
	return n;
}

static bool is_wide(const unsigned char *at, uint32_t type)
{
	uint64_t low = *(const u64 *)at, high = *(const u64 *)(at + 8);

	if (type == PRS_DEN_LONG_DOUBLE)
		return low && !(*(const u16 *)(at + 8) & 0x7fff);
	return (low || high << 16) && !(high & 0x7fff000000000000);
}

DEN_EXPORT uint64_t prs_den_copy(const struct prs_den_site *site, const void *from, uint64_t bytes)
{
	const unsigned char *at = from;
	uint64_t n = 0;

	den_begin();
	if (site->type >= PRS_DEN_TYPES || !den_self())
		return 0;
	if (site->type <= PRS_DEN_DOUBLE)
		return in_words(at, bytes - bytes % of[site->type].bytes, site->type);
	for (uint64_t i = 0; i + 16 <= bytes; i += 16)
		n += is_wide(at + i, site->type);
	return n;
}
