/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

bool ranks_any(const struct ranks *r, bool mine)
{
	uint8_t own = mine, *all;
	bool any = false;

	if (!r)
		return mine;
	all = mem_new(r->size, 1);
	r->gather(r->ctx, &own, all, 1);
	for (uint32_t i = 0; i < r->size; i++)
		any |= all[i];
	free(all);
	return any;
}

void ranks_share(const struct ranks *r, void *data, size_t bytes)
{
	uint8_t *all;

	if (!r || !bytes)
		return;
	all = mem_new(r->size, bytes);
	r->gather(r->ctx, data, all, bytes);
	memcpy(data, all, bytes);
	free(all);
}
