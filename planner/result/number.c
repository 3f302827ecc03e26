/* SPDX-License-Identifier: MIT */
#include "planner/result/number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "perseus/sites.h"

#define HALF 4999 /* 1..HALF: one for each generated function; above: the rest */

struct item {
	uint64_t hash; /* of what the number stands for */
	uint32_t from; /* in plan.triggers, as they came */
	uint32_t low, high;
};

static uint64_t hash_text(uint64_t h, const char *s)
{
	return prs_fnv64(h, s, strlen(s) + 1);
}

/* In the order of its bytes, whatever the machine's is. */
static uint64_t hash_number(uint64_t h, uint32_t n)
{
	const unsigned char bytes[] = {n & 255, n >> 8 & 255, n >> 16 & 255, n >> 24};

	return prs_fnv64(h, bytes, sizeof(bytes));
}

static uint64_t hash_site(uint64_t h, const struct plan *p, uint32_t site)
{
	if (site == PLAN_NONE)
		return hash_text(h, "-");
	return hash_text(hash_text(h, p->sites[site].id), p->sites[site].instance);
}

/* Who created it, where, and as which of them: indices change when a thread comes in before it. */
static uint64_t hash_thread(uint64_t h, const struct plan *p, uint32_t thread)
{
	const struct plan_thread *t = &p->threads[thread];

	/* Creators stand before what they create. */
	while (t->creator != PLAN_NONE && t->creator < thread) {
		h = hash_number(hash_site(h, p, t->create_site), t->ordinal);
		thread = t->creator;
		t = &p->threads[thread];
	}
	return hash_number(hash_text(h, "main"), thread);
}

/* FNV moves the last bytes it was fed too little for a remainder of the result. */
static uint64_t number_spread(uint64_t h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
	return h ^ h >> 33;
}

static bool same_point(const struct plan_trigger *a, const struct plan_trigger *b)
{
	return a->at == PLAN_AT_CALL && b->at == PLAN_AT_CALL && a->site == b->site && a->after == b->after;
}

static bool comes_before(const struct plan_trigger *a, const struct plan_trigger *b)
{
	if (a->thread != b->thread)
		return a->thread < b->thread;
	return a->first != b->first ? a->first < b->first : a->every < b->every;
}

/* Is another trigger the first of the function that trigger @i is in? */
static bool follows(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < p->n_triggers; k++)
		if (k != i && same_point(&p->triggers[i], &p->triggers[k]) &&
		    comes_before(&p->triggers[k], &p->triggers[i]))
			return true;
	return false;
}

static struct item item_of(const struct plan *p, size_t i)
{
	const struct plan_trigger *t = &p->triggers[i];
	struct item item = {.from = (uint32_t)i, .low = 1, .high = HALF};
	uint64_t h = hash_number(PRS_FNV_INIT, t->at);

	if (t->at == PLAN_AT_CALL)
		h = hash_number(hash_site(h, p, t->site), t->after);
	else
		h = hash_thread(h, p, t->thread);
	if (follows(p, i)) {
		h = hash_number(hash_thread(h, p, t->thread), t->first);
		item.low = HALF + 1;
		item.high = NUMBER_MAX;
	}
	item.hash = number_spread(h);
	return item;
}

/* By hash; equal hashes are of one thread and visit, which differ in how often they come again. */
static int by_hash(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static int by_number(const void *a, const void *b)
{
	const struct plan_trigger *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* The item's own number, else the next one that is free, at last in the other half. */
static uint32_t number_take(bool *taken, const struct item *x)
{
	uint32_t span = x->high - x->low + 1, at = (uint32_t)(x->hash % span);

	for (uint32_t i = 0; i < span; i++) {
		uint32_t n = x->low + (at + i) % span;

		if (!taken[n]) {
			taken[n] = true;
			return n;
		}
	}
	for (at = 1; taken[at]; at++)
		;
	taken[at] = true;
	return at;
}

void number_triggers(struct plan *plan)
{
	struct item *items = mem_new(plan->n_triggers + 1, sizeof(*items));
	bool *taken = mem_new(NUMBER_MAX + 1, sizeof(*taken));

	for (size_t i = 0; i < plan->n_triggers; i++)
		items[i] = item_of(plan, i);
	qsort(items, plan->n_triggers, sizeof(*items), by_hash);
	for (size_t i = 0; i < plan->n_triggers; i++)
		plan->triggers[items[i].from].number = number_take(taken, &items[i]);
	if (plan->n_triggers)
		qsort(plan->triggers, plan->n_triggers, sizeof(*plan->triggers), by_number);
	free(taken);
	free(items);
}
