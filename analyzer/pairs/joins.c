/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/joins.h"

#include <stdlib.h>

#include "lib/mem.h"

/* Part of an object's transfers from which on the objects that it meets with belong to the finding. */
#define LEAST_PART 0.01

/* The transfers of all records of two objects; one object: both are the same. */
struct join {
	uint32_t low, high; /* objects */
	size_t record;
	uint64_t transfers;
};

static void stretch(struct join *j, const struct pair_side *s)
{
	for (uint32_t i = 0; i < s->n_parts; i++) {
		uint32_t o = s->part[i].object;

		j->low = o < j->low ? o : j->low;
		j->high = o > j->high ? o : j->high;
	}
}

static int by_objects(const void *a, const void *b)
{
	const struct join *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

/* Is what @j's two objects, of @all transfers each, do together too little? */
static bool too_little(const struct join *j, uint64_t together, const uint64_t *all)
{
	uint64_t most = all[j->low] > all[j->high] ? all[j->low] : all[j->high];

	return j->low != j->high && (double)together < LEAST_PART * (double)most;
}

bool *joins_weak(const struct pair_records *records, const struct objects *os)
{
	struct join *joins = mem_new(records->n + 1, sizeof(*joins));
	uint64_t *all = mem_new(os->n + 1, sizeof(*all));
	bool *weak = mem_new(records->n + 1, sizeof(*weak));
	size_t to;

	for (size_t i = 0; i < records->n; i++) {
		const struct pair_record *r = &records->at[i];

		joins[i] = (struct join){UINT32_MAX, 0, i, r->transfers};
		stretch(&joins[i], &r->a);
		stretch(&joins[i], &r->b);
		all[joins[i].low] += r->transfers;
		all[joins[i].high] += joins[i].high != joins[i].low ? r->transfers : 0;
	}
	if (records->n)
		qsort(joins, records->n, sizeof(*joins), by_objects);
	for (size_t from = 0; from < records->n; from = to) {
		uint64_t together = 0;

		for (to = from; to < records->n && joins[to].low == joins[from].low &&
				joins[to].high == joins[from].high;
		     to++)
			together += joins[to].transfers;
		for (size_t i = from; i < to; i++)
			weak[joins[i].record] = too_little(&joins[from], together, all);
	}
	free(joins);
	free(all);
	return weak;
}

static int joins_by_line(const void *a, const void *b)
{
	const struct join_line *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

struct join_line *joins_lines(const struct pair_records *records, size_t *n)
{
	struct join_line *out = mem_new(records->n + 1, sizeof(*out));

	*n = 0;
	for (size_t i = 0; i < records->n; i++) {
		const struct pair_record *r = &records->at[i];
		struct join j = {.low = UINT32_MAX};

		if (r->verdict != SHARING_FALSE)
			continue;
		stretch(&j, &r->a);
		stretch(&j, &r->b);
		out[(*n)++] = (struct join_line){r->line, j.low, j.high, i};
	}
	if (*n)
		qsort(out, *n, sizeof(*out), joins_by_line);
	return out;
}

bool joins_same(const struct join_line *a, const struct join_line *b)
{
	return a->line == b->line && (a->low == b->low || a->high == b->high);
}
