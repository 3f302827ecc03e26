// SPDX-License-Identifier: MIT
/*
 * Denormals in memory that was copied: prs_den_copy().  This file may use vector
 * registers, since the program calls it as a function.
 */
#include "runtime/denormal/den.h"

typedef uint16_t __attribute__((may_alias, aligned(1))) u16;
typedef uint64_t __attribute__((may_alias, aligned(1))) u64;

#define EXPONENTS 0x7c007c007c007c00 /* of four numbers of 16 bits */
#define SIGNS     0x8000800080008000

/* In 8 bytes. */
static unsigned in_word(uint64_t word)
{
	unsigned n = 0;

	for (unsigned at = 0; at < 64; at += 16)
		n += word >> at & 0x3ff && !(word >> at & 0x7c00);
	return n;
}

/* The sum of an exponent that is not 0 and all its ones reaches the bit above, and no further. */
static uint64_t in_halves(const unsigned char *from, uint64_t bytes)
{
	uint64_t n = 0, i, word;

	for (i = 0; i + 8 <= bytes; i += 8) {
		word = *(const u64 *)(from + i);
		if (~((word & EXPONENTS) + EXPONENTS) & SIGNS)
			n += in_word(word);
	}
	for (; i + 2 <= bytes; i += 2)
		n += in_word(*(const u16 *)(from + i));
	return n;
}

static inline __attribute__((always_inline)) uint64_t in_floats(const unsigned char *from, uint64_t n)
{
	uint64_t sum = 0;

	while (n) {
		uint32_t part = n < 1u << 20 ? (uint32_t)n : 1u << 20, some = 0, x;

		for (uint32_t i = 0; i < part; i++) {
			__builtin_memcpy(&x, from + 4 * (uint64_t)i, 4);
			some += (x << 1) - 1 < 0xffffffu;
		}
		sum += some;
		from += 4 * (uint64_t)part;
		n -= part;
	}
	return sum;
}

static inline __attribute__((always_inline)) uint64_t in_doubles(const unsigned char *from, uint64_t n)
{
	uint64_t sum = 0, x;

	for (uint64_t i = 0; i < n; i++) {
		__builtin_memcpy(&x, from + 8 * i, 8);
		sum += (x << 1) - 1 < 0x1fffffffffffffu;
	}
	return sum;
}

#define VARIANT(name, what)                                                                                  \
	__attribute__((target(what), noinline)) static uint64_t name(const unsigned char *from, uint64_t n,  \
								     bool floats)                            \
	{                                                                                                    \
		return floats ? in_floats(from, n) : in_doubles(from, n);                                    \
	}
VARIANT(numbers_sse, "sse2")
VARIANT(numbers_avx2, "avx2")
VARIANT(numbers_avx512, "avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")

static uint64_t in_numbers(const unsigned char *from, uint64_t n, bool floats)
{
	static uint64_t (*variant)(const unsigned char *, uint64_t, bool);

	if (!variant) {
		__builtin_cpu_init();
		variant = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
					  __builtin_cpu_supports("avx512dq")
				  ? numbers_avx512
			  : __builtin_cpu_supports("avx2") ? numbers_avx2
							   : numbers_sse;
	}
	return variant(from, n, floats);
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
	if (site->type == PRS_DEN_FLOAT || site->type == PRS_DEN_DOUBLE)
		return in_numbers(at, bytes / (site->type == PRS_DEN_FLOAT ? 4 : 8),
				  site->type == PRS_DEN_FLOAT);
	if (site->type == PRS_DEN_FLOAT16)
		return in_halves(at, bytes);
	for (uint64_t i = 0; i + 16 <= bytes; i += 16)
		n += is_wide(at + i, site->type);
	return n;
}
