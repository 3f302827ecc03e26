/* SPDX-License-Identifier: MIT */
/*
 * Call probes.
 *
 *   calls made = sum of count over the slot's records - left
 *
 * holds at any instant: the probe lowers `left` by one, a reload adds the
 * same number to `left` and to `count`, each step is one instruction, and so
 * a signal handler, a longjmp or a kill in between changes nothing.
 *
 * A token is depth << 48 | low bits of the clock.  Leave goes back to the
 * depth of the token, whatever lies above it: calls left by longjmp or an
 * exception are dropped that way.  The clock bits tell whether open[depth]
 * still belongs to the token; where stacks are switched by hand, or the call
 * returns on another thread, it does not, and the time goes to the slot
 * without a parent.
 */
#include "runtime/append.h"
#include "runtime/call.h"
#include "runtime/file.h"
#include "runtime/thread.h"

#define REVIEW_CALLS 64u /* timed calls between two looks at the period */
#define PERIOD_FIRST 16u /* sampling steps */
#define PERIOD_LAST  64u
#define QUIET        (1 << 30) /* reload of a slot that has no record and gets none */

static struct prs_call *record_at(uint64_t offset)
{
	return (struct prs_call *)(rt.base + offset);
}

static struct prs_call *record_make(struct rt_thread *t, struct prs_slot *slot, uint32_t number,
				    uint64_t callee)
{
	struct rt_open *open = rt_innermost(t);
	struct prs_chunk *at;
	struct prs_call *r;
	uint32_t head;

	r = stream_take(&t->call, PRS_CHUNK_CALL, sizeof(*r), t->index, RT_CALL_MAX, &at);
	if (!r) {
		rt_add(&rt.header->lost_calls, 1);
		return NULL;
	}
	r->site = number;
	r->parent = open ? open->site : PRS_NO_SITE;
	r->callee = callee;
	r->period = rt.period ? rt.period : 1;
	do {
		head = slot->record;
		r->next = (uint64_t)head * 64;
	} while (!local_swap32(&slot->record, head, (uint32_t)(file_offset(r) / 64)));
	stream_publish(at);
	return r;
}

/* The record of this callee; an indirect call has one for each. */
static struct prs_call *record_find(struct rt_thread *t, struct prs_slot *slot, uint32_t number,
				    uint64_t callee)
{
	for (uint64_t at = (uint64_t)slot->record * 64; at;) {
		struct prs_call *r = record_at(at);

		if (r->callee == callee)
			return r;
		at = r->next;
	}
	return record_make(t, slot, number, callee);
}

uint64_t call_total(const struct prs_slot *slot)
{
	uint64_t n = 0;

	for (uint64_t at = (uint64_t)slot->record * 64; at; at = record_at(at)->next)
		n += record_at(at)->count;
	return n - (uint64_t)(int64_t)slot->left;
}

void call_fold(struct prs_slot *slot)
{
	uint64_t left = (uint64_t)(int64_t)slot->left;

	for (uint64_t at = (uint64_t)slot->record * 64; at; at = record_at(at)->next) {
		struct prs_call *r = record_at(at);

		if (slot->left > 0 && r->count < left)
			continue;
		r->count -= left;
		break;
	}
	slot->left = 0;
	slot->record = 0;
}

/*
 * Reload.  A fixed period would lock in step with a loop that calls through
 * the site in turns and always time the same turn: it is spread by half.
 */
static uint32_t reload(struct rt_thread *t, const struct prs_call *r)
{
	uint32_t period = r->period;

	if (period == 1 || rt.period)
		return period;
	t->random = t->random * 1664525u + 1013904223u;
	return period / 2 + 1 + (t->random >> 16) % period;
}

/* Every REVIEW_CALLS timed calls: sample cheap sites, time dear ones. */
static void review(struct prs_call *r)
{
	uint64_t mean = r->sum / (r->timed ? r->timed : 1);

	if (call_pinned(r) || rt.period)
		return;
	if (mean < rt.backoff_ticks)
		r->period = r->period == 1 ? PERIOD_FIRST : PERIOD_LAST;
	else if (mean > 2 * rt.backoff_ticks)
		r->period = 1;
}

static uint64_t open_call(struct rt_thread *t, struct prs_call *r, struct prs_slot *slot, uint32_t number)
{
	uint32_t depth = t->depth;
	struct rt_open *o;
	uint64_t now;

	if (depth >= RT_OPEN_MAX)
		return 0;
	o = &t->open[depth];
	o->record = NULL;
	rt_barrier();
	t->depth = depth + 1;
	rt_barrier(); /* a handler from here on opens above us */
	o->slot = slot;
	o->site = number;
	o->child = 0;
	o->record = r;
	local_add32(&r->open, 1);
	now = rt_ticks();
	o->start = now;
	return (uint64_t)(depth + 1) << RT_TOKEN_BITS | (now & RT_TOKEN_MASK);
}

static struct prs_slot *slot_of(const struct prs_desc *d, uint32_t site)
{
	return (struct prs_slot *)((unsigned char *)rt_block + d->base) + site;
}

/* The thread's first touch: the probe had no block to count in. */
static bool first_touch(const struct prs_desc *d, uint32_t site)
{
	if (rt_block && rt_block == rt.dead) { /* keep its slots quiet */
		rt_store(&slot_of(d, site)->left, QUIET);
		return false;
	}
	if (!thread_touch())
		return false;
	local_add32((uint32_t *)&slot_of(d, site)->left, (uint32_t)-1);
	return true;
}

uint64_t rt_enter(const struct prs_desc *d, uint32_t site, const void *target)
{
	struct rt_thread *t = rt_self;
	struct prs_slot *slot;
	struct prs_call *r;
	uint32_t number, period;

	if (rt_unlikely(!t)) {
		if (!first_touch(d, site))
			return 0;
		t = rt_self;
	}
	slot = slot_of(d, site);
	number = rt_call_number(d, site);
	r = record_find(t, slot, number, (uint64_t)target);
	if (rt_unlikely(!r)) {
		local_add32((uint32_t *)&slot->left, slot->record ? 1 : QUIET);
		return 0;
	}
	period = reload(t, r);
	local_add64(&r->count, period);
	local_add32((uint32_t *)&slot->left, period);
	return open_call(t, r, slot, number);
}

static void account(struct prs_call *r, uint64_t ticks, uint64_t child)
{
	uint32_t bucket = 63 - (uint32_t)__builtin_clzll(ticks | 1);

	if (!r->timed || ticks < r->min)
		r->min = ticks;
	if (ticks > r->max)
		r->max = ticks;
	local_add64(&r->sum, ticks);
	local_add64(&r->child, child);
	local_add32(&r->hist[bucket < PRS_HIST_BUCKETS ? bucket : PRS_HIST_BUCKETS - 1], 1);
	if (r->open)
		local_add32(&r->open, (uint32_t)-1);
	local_add64(&r->timed, 1);
	if (rt_unlikely(r->timed % REVIEW_CALLS == 0))
		review(r);
}

/* The token's place was taken by another call: what is known for sure is the time. */
static void leave_astray(const struct prs_desc *d, uint32_t site, uint64_t token, uint64_t now)
{
	struct prs_slot *slot = slot_of(d, site);

	if (slot->record)
		account(record_at((uint64_t)slot->record * 64), (now - token) & RT_TOKEN_MASK, 0);
}

/* The depth goes back to that of the token, which stacks switched by hand may have done before. */
static void close_call(struct rt_thread *t, uint32_t depth, uint64_t ticks)
{
	if (depth > t->depth)
		return;
	t->depth = depth - 1;
	if (depth > 1)
		t->open[depth - 2].child += ticks;
}

void rt_leave(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	uint32_t depth = (uint32_t)(token >> RT_TOKEN_BITS);
	struct rt_thread *t;
	struct rt_open open;
	uint64_t now, ticks;

	if (rt_unlikely(!rt_recording())) /* the clock may be out of bounds since: process_seal() */
		return;
	now = rt_ticks();
	t = rt_self;
	if (rt_unlikely(!t || depth - 1 >= RT_OPEN_MAX))
		return;
	open = t->open[depth - 1];
	if (rt_unlikely((open.start ^ token) & RT_TOKEN_MASK)) {
		leave_astray(d, site, token, now);
		return;
	}
	ticks = now > open.start ? now - open.start : 0;
	rt_barrier();
	close_call(t, depth, ticks);
	if (rt_unlikely(!open.record)) /* entered before a fork */
		return;
	account(open.record, ticks, open.child);
	if (rt_unlikely(ticks >= rt.block_ticks))
		append_log(t, open.site, depth - 1, now, ticks);
}
