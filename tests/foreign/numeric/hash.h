/* SPDX-License-Identifier: MIT */
/* Of all bits of a result. */
#ifndef TESTS_FOREIGN_NUMERIC_HASH_H
#define TESTS_FOREIGN_NUMERIC_HASH_H

#include <stddef.h>

static unsigned hash(const void *p, size_t n)
{
	unsigned h = 1;

	for (size_t i = 0; i < n; i++)
		h = h * 31 + ((const unsigned char *)p)[i];
	return h;
}

#endif
