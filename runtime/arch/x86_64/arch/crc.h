/* SPDX-License-Identifier: MIT */
/* CRC-32C by the processor's instruction: about 8 GB/s, no tables. */
#ifndef RUNTIME_ARCH_CRC_H
#define RUNTIME_ARCH_CRC_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool arch_has_crc32(void)
{
	uint32_t a, b, c, d;

	__cpuid(1, a, b, c, d); /* every x86-64 has leaf 1 */
	return c >> 20 & 1;     /* SSE4.2 */
}

typedef uint64_t arch_word64 __attribute__((may_alias, aligned(1)));
typedef uint32_t arch_word32 __attribute__((may_alias, aligned(1)));

/* Go on from @crc (0 to begin with) over @bytes, a multiple of 4. */
static inline uint32_t arch_crc32c(uint32_t crc, const void *data, uint64_t bytes)
{
	const unsigned char *p = data, *end = p + bytes / 8 * 8;
	uint64_t sum = ~crc;

	for (; p < end; p += 8)
		__asm__("crc32q %1, %0" : "+r"(sum) : "m"(*(const arch_word64 *)p));
	if (bytes & 4)
		__asm__("crc32l %1, %k0" : "+r"(sum) : "m"(*(const arch_word32 *)p));
	return ~(uint32_t)sum;
}

#endif
