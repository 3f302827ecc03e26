/* SPDX-License-Identifier: MIT */
#include "verify/elf/cut.h"

#include <string.h>

const uint8_t *cut_take(struct cut *c, uint64_t n)
{
	const uint8_t *p = c->at;

	if (c->bad || n > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return NULL;
	}
	c->at += n;
	return p;
}

uint64_t cut_number(struct cut *c, unsigned n)
{
	const uint8_t *p = cut_take(c, n);
	uint64_t v = 0;

	for (unsigned i = n; p && i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

uint64_t cut_leb(struct cut *c, bool is_signed)
{
	uint64_t v = 0, byte;
	unsigned shift = 0;

	do {
		byte = cut_number(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : shift;
	} while (byte & 0x80 && !c->bad);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~UINT64_C(0) << shift;
	return v;
}

const char *cut_text(struct cut *c)
{
	const uint8_t *p = c->at, *nul = c->bad ? NULL : memchr(p, 0, (size_t)(c->end - p));

	cut_take(c, nul ? (uint64_t)(nul - p) + 1 : UINT64_MAX);
	return nul ? (const char *)p : NULL;
}
