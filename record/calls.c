/* SPDX-License-Identifier: MIT */
/* Call records of either layout, the calls that were open, and who called whom. */
#include <stdlib.h>
#include <string.h>

#include "lib/search.h"
#include "perseus/abi.h"
#include "record/parts.h"

/* A bucket of minor 0 is a power of two: its calls are dealt to the four that lie in it. */
static void spread(uint32_t to[PRS_HIST_BUCKETS], const uint32_t from[PRS_HIST_BUCKETS_0])
{
	for (uint32_t b = 0; b < PRS_HIST_BUCKETS_0; b++) {
		uint32_t first = prs_hist_index(1ull << b), n = b < PRS_HIST_OCTAVE0 ? 1 : PRS_HIST_SUB;

		for (uint32_t i = 0; i < n && first + i < PRS_HIST_BUCKETS; i++)
			to[first + i] += from[b] / n + (i < from[b] % n);
	}
}

static void fill_old(struct rec_call *r, const struct prs_call_0 *c)
{
	r->open = c->open;
	r->min = c->min;
	spread(r->hist, c->hist);
}

static void fill_new(struct rec_call *r, const struct prs_call *c)
{
	r->flags = c->flags;
	r->min = c->timed ? c->min : 0;
	r->switched = c->switched;
	r->switched_ticks = c->switched_ticks;
	r->untimed_ticks = c->untimed_ticks;
	r->mean = c->mean;
	r->seen_untimed = c->seen_untimed;
	r->up_at = c->parent_record;
	memcpy(r->hist, c->hist, sizeof(r->hist));
}

void calls_add(struct run_process *p, struct run_thread *t, const struct chunk_ref *chunk, const void *entry)
{
	const struct prs_call_0 *c = entry; /* the front is the same in both */
	struct rec_call *r = &t->records[t->n_calls];

	if (!c->count && !c->timed)
		return;
	if (c->site >= p->header->n_calls) {
		process_damage(p, "a call record names site %u of %u", c->site, p->header->n_calls);
		return;
	}
	*r = (struct rec_call){.site = c->site,
			       .parent = c->parent < p->header->n_calls ? c->parent : PRS_NO_SITE,
			       .callee = c->callee,
			       .count = c->count,
			       .timed = c->timed,
			       .sum = c->sum,
			       .max = c->max,
			       .child = c->child,
			       .period = c->period,
			       .at = (uint64_t)((const unsigned char *)entry - (unsigned char *)p->map)};
	if (chunk->stride < sizeof(struct prs_call))
		fill_old(r, entry);
	else
		fill_new(r, entry);
	t->n_calls++;
}

/* Records are in file order. */
struct rec_call *calls_find(const struct run_thread *t, uint64_t at)
{
	size_t lo = search_first(t->n_calls, i, t->records[i].at < at);

	return lo < t->n_calls && t->records[lo].at == at ? &t->records[lo] : NULL;
}

/* A path only leads to records made earlier, and those lie in front: no circle can pass. */
static void tie(struct run_process *p, struct run_thread *t)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		struct rec_call *r = &t->records[i];

		if (!r->up_at || r->flags & PRS_CALL_OVERFLOW)
			continue;
		if (r->up_at < r->at)
			r->up = calls_find(t, r->up_at);
		else
			process_damage(p, "the call record at byte %llu lies below one at byte %llu",
				       (unsigned long long)r->at, (unsigned long long)r->up_at);
	}
}

/* The call that was left last may not be in its record yet. */
static void add_pending(struct run_thread *t, const struct prs_block *b)
{
	struct rec_call *r = b->pend_record ? calls_find(t, b->pend_record) : NULL;

	if (!r)
		return;
	if (!r->timed || b->pend_ticks < r->min)
		r->min = b->pend_ticks;
	if (b->pend_ticks > r->max)
		r->max = b->pend_ticks;
	r->sum += b->pend_ticks;
	r->hist[prs_hist_index(b->pend_ticks)]++;
	r->timed++;
}

/* The calls open at the end of what was written: the outermost first. */
static void add_open(struct run_process *p, struct run_thread *t, const unsigned char *block, uint64_t bytes)
{
	const struct prs_block *b = (const void *)block;
	uint64_t n = b->depth;

	if (!b->open)
		return;
	if (b->open > bytes || b->open % 8 || n > b->open / sizeof(struct prs_open)) {
		process_damage(p, "thread %u has %u calls open, and no room for them", t->raw->index,
			       b->depth);
		return;
	}
	t->open = mem_new(n + 1, sizeof(*t->open));
	for (uint64_t d = 1; d <= n; d++) {
		const struct prs_open *o = (const void *)(block + b->open - d * sizeof(*o));
		struct rec_call *r = o->record ? calls_find(t, 64 * (uint64_t)o->record) : NULL;

		if (!o->start || o->site >= p->header->n_calls)
			continue;
		if (r)
			r->open++;
		t->open[t->n_open++] =
			(struct rec_open){.call = r, .site = o->site, .start = o->start, .child = o->child};
	}
}

static int by_site(const void *a, const void *b)
{
	const struct rec_call *x = *(const struct rec_call *const *)a;
	const struct rec_call *y = *(const struct rec_call *const *)b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/*
 * Calls that the slot of call record @c has prepaid and not made: 0 if there
 * is no slot, or if it has passed to another object since (its head is then a
 * record of another site, or none).
 */
static uint64_t prepaid(const struct run_process *p, const struct rec_call *c, const unsigned char *block,
			uint64_t bytes)
{
	const struct run_unit *u = process_unit(p, false, c->site);
	const struct prs_call_0 *head; /* the front is the same in both layouts */
	struct prs_slot slot;
	uint32_t local;

	if (!block || !u)
		return 0;
	local = c->site - u->raw->first_call;
	if (local >= u->raw->n_calls || !chunk_holds(u->raw->base, u->raw->n_calls, bytes))
		return 0;
	memcpy(&slot, block + u->raw->base + 8 * (uint64_t)local, sizeof(slot));
	if (slot.left <= 0 || !slot.record || 64 * (uint64_t)slot.record > p->map_bytes - sizeof(*head))
		return 0;
	head = (const void *)((const unsigned char *)p->map + 64 * (uint64_t)slot.record);
	return head->site == c->site ? (uint64_t)slot.left : 0;
}

/* Lower the counts of a site's records by what its slot has prepaid, first record first. */
static void settle(struct run_process *p, struct run_thread *t, const unsigned char *block, uint64_t bytes)
{
	uint64_t rest = 0;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct rec_call *c = t->calls[i];
		uint64_t least = c->timed < c->count ? c->timed : c->count, taken;

		if (!i || t->calls[i - 1]->site != c->site)
			rest = prepaid(p, c, block, bytes);
		taken = rest < c->count - least ? rest : c->count - least;
		t->totals[i] = c->count - taken;
		rest -= taken;
	}
}

void calls_finish(struct run_process *p, struct run_thread *t, const unsigned char *block, uint64_t bytes)
{
	tie(p, t);
	if (p->header->minor >= 1 && block && bytes >= sizeof(struct prs_block)) {
		add_pending(t, (const void *)block);
		add_open(p, t, block, bytes);
	}
	t->calls = mem_new(t->n_calls + 1, sizeof(*t->calls));
	for (size_t i = 0; i < t->n_calls; i++)
		t->calls[i] = &t->records[i];
	qsort(t->calls, t->n_calls, sizeof(*t->calls), by_site);
	settle(p, t, block, bytes);
}
