/* SPDX-License-Identifier: MIT */
/*
 * Which record a call belongs to, if the slot's newest one is not it.
 *
 * A record stands for (slot, callee, path), the path being the chain of
 * records of the open calls that are timed every time.  A call that is open
 * already with the same site and callee is used again, so recursion makes no
 * path longer.  What was found is kept in a cache of single words: a signal
 * handler may come at any moment.  A word is believed only if its record has
 * the site and callee that are looked for; site numbers are never given again.
 */
#include "runtime/base/file.h"
#include "runtime/calls/budget.h"
#include "runtime/calls/call.h"

#define PATHS_REVIEW 16u

/* The slot's record for this callee and parent, 0: none.  *known: the callee has one at all. */
static uint32_t of_slot(const struct prs_slot *slot, uint64_t callee, uint64_t parent, bool *known)
{
	for (uint64_t at = slot->record; at; at = rt_call_record((uint32_t)at)->next / 64) {
		const struct prs_call *r = rt_call_record((uint32_t)at);

		if (r->callee != callee)
			continue;
		*known = true;
		if (r->parent_record == parent)
			return (uint32_t)at;
	}
	return 0;
}

/* The open call on the path that this one repeats, 0: none. */
static uint32_t of_path(uint32_t path, uint32_t number, uint64_t callee)
{
	while (path) {
		const struct prs_call *r = rt_call_record(path);

		if (r->site == number && r->callee == callee)
			return path;
		path = r->flags & PRS_CALL_OVERFLOW ? 0 : (uint32_t)(r->parent_record / 64);
	}
	return 0;
}

/* All records of a slot have one period, see call_review(). */
static uint32_t first_period(const struct prs_slot *slot, uint32_t number)
{
	const struct prs_call *head = slot->record ? rt_call_record(slot->record) : NULL;

	if (rt.budget_ppm)
		return budget_first(head, number);
	return rt.period ? rt.period : head ? head->period : 1;
}

static uint32_t path_make(struct rt_thread *t, struct prs_slot *slot, uint32_t number, uint64_t callee,
			  uint64_t parent)
{
	struct prs_open *open = rt_innermost(t);
	struct prs_chunk *at;
	struct prs_call *r;
	uint32_t head;

	r = stream_take(&t->call, PRS_CHUNK_CALL, sizeof(*r), t->index, RT_CALL_MAX, &at);
	if (!r) {
		rt_add(&rt.header->lost_calls, 1);
		return 0;
	}
	r->site = number;
	r->parent = open ? open->site : PRS_NO_SITE;
	r->callee = callee;
	r->parent_record = parent;
	r->min = ~0ull;
	r->period = first_period(slot, number);
	if (parent == PRS_PARENT_MANY) {
		r->flags = PRS_CALL_OVERFLOW;
		rt_add(&rt.header->lost_paths, 1);
	}
	rt_store(&r->hist[PRS_HIST_BUCKETS - 1], 0); /* its second page, too, gets its memory now */
	do {
		head = slot->record;
		r->next = (uint64_t)head * 64;
	} while (!local_swap32(&slot->record, head, (uint32_t)(file_offset(r) / 64)));
	stream_publish(at);
	return (uint32_t)(file_offset(r) / 64);
}

/* A record for the path, or, if there are too many, the one for all that are left over. */
static uint32_t make_timed(struct rt_thread *t, struct prs_slot *slot, uint32_t number, uint64_t callee,
			   bool known)
{
	uint64_t begin = rt_ticks(), parent = t->path;
	uint32_t record = 0;

	if (known && t->paths >= RT_PATHS) {
		parent = PRS_PARENT_MANY;
		record = of_slot(slot, callee, parent, &known);
	} else {
		t->paths += known;
	}
	if (!record)
		record = path_make(t, slot, number, callee, parent);
	if (known && t->paths % PATHS_REVIEW == 0) /* many paths that are taken a few times each */
		call_review(slot);
	call_charge(t, rt_ticks() - begin);
	return record;
}

RT_COLD uint32_t path_find(struct rt_thread *t, struct prs_slot *slot, uint32_t number, uint64_t callee)
{
	uint32_t path = (uint32_t)(t->path / 64);
	uint64_t *place = path_place(t, t->path, slot, callee);
	bool known = false;
	uint32_t record;

	record = of_slot(slot, callee, t->path, &known);
	if (!record)
		record = of_path(path, number, callee);
	if (!record)
		record = make_timed(t, slot, number, callee, known);
	if (record) {
		t->cached = 1;
		rt_store(place, (uint64_t)path << 32 | record);
	}
	return record;
}
