/* SPDX-License-Identifier: MIT */
#include "lib/crc32c.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* bit-reversed */

uint32_t crc32c_plain(uint32_t crc, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint32_t table[256];

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (int bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? POLYNOMIAL : 0);
		table[i] = v;
	}
	crc = ~crc;
	while (len--)
		crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
	return ~crc;
}

#ifdef __x86_64__
static __attribute__((target("sse4.2"))) uint32_t by_instruction(uint32_t crc, const unsigned char *p,
								 size_t len)
{
	uint64_t sum = ~crc, word;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum = __builtin_ia32_crc32di(sum, word);
	}
	while (len--)
		sum = __builtin_ia32_crc32qi((uint32_t)sum, *p++);
	return ~(uint32_t)sum;
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return by_instruction(crc, data, len);
#endif
	return crc32c_plain(crc, data, len);
}

/* The product of two polynomials modulo ours; the highest bit is the coefficient of x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		if (a >> 31)
			product ^= b;
		b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
	}
	return product;
}

/* A zero byte multiplies by x^8: @len of them by its power, put together from squares. */
uint32_t crc32c_zeros(uint32_t crc, uint64_t len)
{
	uint32_t sum = ~crc, power = 1u << 23;

	for (; len; len >>= 1) {
		if (len & 1)
			sum = multiply(power, sum);
		power = multiply(power, power);
	}
	return ~sum;
}
