/* SPDX-License-Identifier: MIT */
/* Sets of cores. */
#include <stdio.h>
#include <string.h>

#include "monitor/act/act.h"

void act_cores_add(struct act_cores *c, unsigned core)
{
	if (core < ACT_CORES)
		c->bits[core / 64] |= 1ull << core % 64;
}

bool act_cores_has(const struct act_cores *c, unsigned core)
{
	return core < ACT_CORES && c->bits[core / 64] >> core % 64 & 1;
}

unsigned act_cores_count(const struct act_cores *c)
{
	unsigned n = 0;

	for (size_t i = 0; i < ACT_CORES / 64; i++)
		n += (unsigned)__builtin_popcountll(c->bits[i]);
	return n;
}

const char *act_cores_text(char *buf, size_t size, const struct act_cores *c)
{
	size_t len = 0;

	buf[0] = 0;
	for (unsigned i = 0; i < ACT_CORES; i++) {
		unsigned last = i;
		char part[24];

		if (!act_cores_has(c, i))
			continue;
		while (act_cores_has(c, last + 1))
			last++;
		if (last > i)
			snprintf(part, sizeof(part), "%s%u-%u", len ? "," : "", i, last);
		else
			snprintf(part, sizeof(part), "%s%u", len ? "," : "", i);
		if (len + strlen(part) + 3 > size) {
			strcpy(buf + len, "..");
			break;
		}
		strcpy(buf + len, part);
		len += strlen(part);
		i = last;
	}
	return buf;
}
