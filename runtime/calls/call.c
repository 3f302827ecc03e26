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
 * exception are dropped that way.  The clock bits tell whether the open call
 * of that depth still belongs to the token; where stacks are switched by
 * hand, or the call returns on another thread, it does not, and the time goes
 * to the slot without a parent.
 *
 * Enter reads the clock last and leave first.  What does not depend on that
 * reading runs while the clock is being read, so it costs nothing; what does
 * is kept to a few stores.  Therefore leave only notes its pair in the block,
 * and puts the one before it into its record.  Readers of a record add the
 * noted pair.
 */
#define RT_CLOCK_INLINE /* calls are timed here */
#include "arch/entry-trace.h"
#include "arch/entry.h"
#include "arch/rseq.h"
#include "runtime/base/file.h"
#include "runtime/calls/append.h"
#include "runtime/calls/budget.h"
#include "runtime/calls/call.h"
#include "runtime/calls/counters.h"
#include "runtime/calls/trace.h"
#include "runtime/base/self.h"

#define PERIOD_FIRST 16u /* sampling steps */
#define PERIOD_LAST  64u
#define THIN_US      128u /* sharing runs: a site times one call in so much of its own time */
#define THIN_LAST    8192u
#define THIN_REVIEW  16u       /* timed calls between two looks at a period */
#define ROUND_NOTES  512u      /* ... but all, at first, in which memory is allocated */
#define LOG_US       20u       /* an entry of the log takes at most */
#define QUIET        (1 << 30) /* reload of a slot that has no record and gets none */
#define DEEPER       1024      /* bytes of stack that a page of nested calls takes at least */
#define SKIPS_MAX    64u       /* leaves that respect one in progress */

/* ---- clock and switches -------------------------------------------------------- */

ARCH_RSEQ_TEXT;

static const struct arch_rseq_cs never_here = {
	.start = (uint64_t)arch_rseq_start,
	.bytes = 1,
	.abort = (uint64_t)arch_rseq_abort,
};

/* The thread did not run through since the mark was set: all calls open by now have seen that. */
static RT_COLD void mark_again(struct rt_thread *t)
{
	*t->mark = (uint64_t)&never_here;
	rt_barrier();
	t->marked_at = rt_ticks();
}

bool call_ran_through(struct rt_thread *t, uint64_t since)
{
	if (t->mark == &t->no_mark)
		return false;
	if (!rt_load(t->mark))
		mark_again(t);
	return t->marked_at < since;
}

static RT_COLD uint64_t slow_clock(void)
{
	return rt_ticks();
}

static uint64_t probe_clock(void)
{
	return __builtin_expect(rt.tsc, 1) ? arch_tsc() : slow_clock();
}

/* ---- slots and records ----------------------------------------------------------- */

static struct prs_call *first_record(const struct prs_slot *slot)
{
	return slot->record ? rt_call_record(slot->record) : NULL;
}

static struct prs_call *next_record(const struct prs_call *r)
{
	return r->next ? (struct prs_call *)(rt.base + r->next) : NULL;
}

uint64_t call_total(const struct prs_slot *slot)
{
	uint64_t n = 0;

	for (const struct prs_call *r = first_record(slot); r; r = next_record(r))
		n += r->count;
	return n - (uint64_t)(int64_t)slot->left;
}

void call_fold(struct prs_slot *slot)
{
	uint64_t left = (uint64_t)(int64_t)slot->left;

	for (struct prs_call *r = first_record(slot); r; r = next_record(r)) {
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
static uint32_t reload(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r)
{
	uint32_t period = r->period;

	if (period == 1 || rt.period)
		return period;
	if (rt_unlikely(rt.budget_ppm)) {
		period = budget_reload(t, slot, r);
		if (period == 1)
			return 1;
	}
	t->random = t->random * 1664525u + 1013904223u;
	return period / 2 + 1 + (uint32_t)((uint64_t)(t->random >> 16) * period >> 16);
}

/*
 * In a sharing run nobody asks how long a call takes: what is needed is who
 * calls whom, and where threads and memory come from.
 */
static RT_COLD uint32_t thin(uint64_t mean)
{
	uint64_t ratio = rt.backoff_ticks * THIN_US / (mean | 1);
	uint32_t period = 1;

	while (period < THIN_LAST && 2 * period <= ratio)
		period *= 2;
	return period;
}

/*
 * Sample cheap sites, time costly ones.  The records of a slot share one period:
 * the calls that a reload stands for are then as many whichever of them
 * triggers it, and in the mean each callee and path gets its share.
 */
void call_review(const struct prs_slot *slot)
{
	uint64_t sum = 0, timed = 0, mean;
	uint32_t period, flags = 0;

	if (!slot->record || rt.period || rt.budget_ppm)
		return;
	for (struct prs_call *r = first_record(slot); r; r = next_record(r)) {
		sum += r->sum;
		timed += r->timed;
		flags |= r->flags;
	}
	period = rt_call_record(slot->record)->period;
	mean = sum / (timed ? timed : 1);
	if (flags & PRS_CALL_PINNED || (rt.thin && flags & PRS_CALL_NOTES && timed < ROUND_NOTES))
		period = 1;
	else if (rt.thin)
		period = thin(mean);
	else if (mean > 2 * rt.backoff_ticks)
		period = 1;
	else if (mean < rt.backoff_ticks)
		period = period == 1 ? PERIOD_FIRST : PERIOD_LAST;
	for (struct prs_call *r = first_record(slot); r; r = next_record(r))
		r->period = period;
}

void call_thin(void)
{
	rt.thin = !trace_here();
	if (rt.thin && !rt.period)
		rt.review_mask = THIN_REVIEW - 1;
}

void call_pin(const struct prs_slot *slot)
{
	for (struct prs_call *r = first_record(slot); r; r = next_record(r)) {
		r->period = 1;
		r->flags |= PRS_CALL_PINNED;
	}
}

/* Now and then. */
static RT_COLD void review(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r, uint64_t now)
{
	counters_tick(t, now, PRS_COUNTER_TICK);
	if (rt.budget_ppm)
		budget_review(t, slot, r, now);
	else
		call_review(slot);
}

static void account(struct prs_call *r, uint64_t ticks)
{
	if (rt_unlikely(ticks < r->min))
		r->min = ticks;
	if (rt_unlikely(ticks > r->max))
		r->max = ticks;
	local_add64(&r->sum, ticks);
	local_add32(&r->hist[prs_hist_index(ticks)], 1);
	local_add64(&r->timed, 1);
}

/* ---- enter --------------------------------------------------------------------------- */

static struct prs_slot *call_slot_of(const struct prs_block *b, const struct prs_desc *d, uint32_t site)
{
	return (struct prs_slot *)((unsigned char *)b + d->base) + site;
}

/* The thread's first touch: the probe had no block to count in. */
static bool first_touch(const struct prs_desc *d, uint32_t site)
{
	if (rt_block && rt_block == rt.dead) { /* keep its slots quiet */
		rt_store(&call_slot_of(rt_block, d, site)->left, QUIET);
		return false;
	}
	if (!thread_touch())
		return false;
	local_add32((uint32_t *)&call_slot_of(rt_block, d, site)->left, (uint32_t)-1);
	return true;
}

static RT_COLD uint64_t enter_first(const struct prs_desc *d, uint32_t site, const void *target)
{
	uint64_t begin = rt_ticks();

	if (!first_touch(d, site))
		return 0;
	call_charge(rt_self, rt_ticks() - begin);
	return rt_enter(d, site, target);
}

/* No room for a record: the slot's calls are only counted. */
static RT_COLD uint64_t enter_lost(struct prs_slot *slot)
{
	local_add32((uint32_t *)&slot->left, slot->record ? 1 : QUIET);
	return 0;
}

/*
 * Space for the next page of open calls; false: the call is only counted.  If the
 * stack is hardly deeper than when the list was full before, exceptions or longjmp()
 * left the calls that are in it, and it begins anew.
 */
static RT_COLD bool more_open(struct rt_thread *t)
{
	struct prs_block *b = t->block;
	uint32_t max = b->open_max + PRS_PAGE_BYTES / sizeof(struct prs_open);
	uint64_t sp = (uint64_t)__builtin_frame_address(0);

	if ((int64_t)(t->full_sp - sp) < DEEPER) {
		t->path = b->depth = 0;
		return true;
	}
	if (max > RT_OPEN_MAX)
		max = RT_OPEN_MAX;
	else
		t->full_sp = sp;
	if (b->open_max == RT_OPEN_MAX ||
	    !file_back(file_offset(t->opens - max), (max - b->open_max) * sizeof(struct prs_open)))
		return false;
	b->open_max = max;
	return true;
}

/* Number of the record for this call, 0: no room. */
static uint32_t call_find(struct rt_thread *t, const struct prs_desc *d, struct prs_slot *slot, uint32_t site,
			  uint64_t callee)
{
	uint32_t head = slot->record, path = (uint32_t)(t->path / 64), number;
	struct prs_call *r = rt_call_record(head);
	uint64_t kept;

	if (__builtin_expect(head && r->callee == callee &&
				     (r->parent_record == (uint64_t)path * 64 || head == path),
			     1))
		return head;
	number = rt_call_number(d, site);
	kept = *path_place(t, t->path, slot, callee);
	r = rt_call_record((uint32_t)kept);
	if (__builtin_expect(kept >> 32 == path && (uint32_t)kept && r->site == number && r->callee == callee,
			     1))
		return (uint32_t)kept;
	return path_find(t, slot, number, callee);
}

static RT_COLD uint64_t too_deep(struct rt_thread *t, const struct prs_slot *slot, uint32_t record)
{
	if (rt.budget_ppm)
		budget_too_deep(t, slot, rt_call_record(record));
	return 0;
}

static uint64_t open_call(struct rt_thread *t, struct prs_slot *slot, uint32_t record, uint64_t path)
{
	struct prs_block *b = t->block;
	uint32_t depth = b->depth + 1;
	struct prs_open *o = t->opens - depth;
	uint64_t now;

	if (rt_unlikely(depth > b->open_max)) {
		if (!more_open(t))
			return too_deep(t, slot, record);
		depth = b->depth + 1;
		o = t->opens - depth;
	}
	o->start = 0;
	rt_barrier();
	b->depth = depth;
	rt_barrier(); /* a handler from here on opens above us */
	o->record = record;
	o->parent = (uint32_t)(t->path / 64);
	o->child = 0;
	o->site = rt_call_record(record)->site;
	o->slot = (uint32_t)((unsigned char *)slot - (unsigned char *)b);
	t->path = path;
	if (rt_unlikely(!*t->mark))
		mark_again(t);
	now = probe_clock();
	o->start = now;
	return (uint64_t)depth << RT_TOKEN_BITS | (now & RT_TOKEN_MASK);
}

uint64_t rt_enter(const struct prs_desc *d, uint32_t site, const void *target)
{
	struct rt_thread *t = rt_self;
	struct prs_slot *slot;
	struct prs_call *r;
	uint32_t record, period;

	if (rt_unlikely(!t))
		return enter_first(d, site, target);
	slot = call_slot_of(t->block, d, site);
	record = call_find(t, d, slot, site, (uint64_t)target);
	if (rt_unlikely(!record))
		return enter_lost(slot);
	r = rt_call_record(record);
	period = reload(t, slot, r);
	local_add64(&r->count, period);
	local_add32((uint32_t *)&slot->left, period);
	return open_call(t, slot, record, r->period == 1 ? (uint64_t)record * 64 : t->path);
}

/* ---- leave --------------------------------------------------------------------------- */

/* The token's place was taken by another call: what is known for sure is the time. */
static RT_COLD void leave_astray(struct rt_thread *t, const struct prs_desc *d, uint32_t site, uint64_t token,
				 uint64_t now)
{
	struct prs_slot *slot = call_slot_of(t->block, d, site);

	if (!slot->record)
		return;
	account(rt_call_record(slot->record), (now - token) & RT_TOKEN_MASK);
	if (t->ring)
		trace_pair(t, rt_call_number(d, site), now, (now - token) & RT_TOKEN_MASK, 0);
}

/* A core whose counter is behind: the call took no time. */
static RT_COLD uint64_t stepped_back(uint64_t by)
{
	if (by < rt.tick_hz && by > rt_load(&rt.header->clock_offset_ticks))
		rt_store(&rt.header->clock_offset_ticks, (uint32_t)by);
	return 0;
}

/* The depth goes back to that of the token, which stacks switched by hand may have done before. */
static void close_call(struct rt_thread *t, struct prs_open *o, uint32_t depth, uint64_t ticks)
{
	if (rt_unlikely(depth > t->block->depth))
		return;
	t->path = (uint64_t)o->parent * 64;
	rt_barrier();
	o->start = 0; /* what lies above the depth is not valid */
	t->block->depth = depth - 1;
	o[1].child += ticks;
}

/*
 * A handler in the middle of a leave closes its own calls at once.  It opened
 * them above that one; a leave below it, or one that came too often, knows
 * that the handler jumped out.  The leave of arch/entry.h shows that it goes on
 * by the pending pair, and not how deep it is.
 */
static RT_COLD bool leave_inside(struct rt_thread *t, struct prs_call *r, uint32_t depth, uint64_t ticks)
{
	if (depth < t->busy.depth || ++t->busy.skips >= SKIPS_MAX)
		return false;
	account(r, ticks);
	return true;
}

/* A leave that was jumped out of may have come as far as its pair's histogram, and not to the count of it. */
static RT_COLD void call_settle(uint64_t pending)
{
	struct prs_call *r = (struct prs_call *)(rt.base + (pending & ~(uint64_t)PRS_PEND_BUSY));
	uint64_t n = 0;

	if (pending == PRS_PEND_BUSY)
		return;
	for (uint32_t i = 0; i < PRS_HIST_BUCKETS; i++)
		n += r->hist[i];
	if (n == r->timed + 1)
		r->timed = n;
}

/* Note this pair, and put the one before it into its record. */
static void leave_pair(struct rt_thread *t, struct prs_open *o, uint32_t depth, uint64_t ticks)
{
	uint32_t record = o->record;
	struct prs_call *r = rt_call_record(record);
	struct prs_block *b = t->block;
	uint64_t pending;

	local_add64(&r->child, o->child);
	if (rt_unlikely(t->busy.depth || b->pend_record & PRS_PEND_BUSY) &&
	    leave_inside(t, r, depth, ticks)) {
		close_call(t, o, depth, ticks);
		return;
	}
	t->busy.both = depth | (uint64_t)(t->ring != NULL) << 48;
	rt_barrier();
	pending = b->pend_record;
	b->pend_record = pending | PRS_PEND_BUSY;
	rt_barrier();
	if (rt_unlikely(pending & PRS_PEND_BUSY))
		call_settle(pending);
	else if (__builtin_expect(pending != 0, 1))
		account((struct prs_call *)(rt.base + pending), b->pend_ticks);
	close_call(t, o, depth, ticks);
	b->pend_ticks = ticks;
	rt_barrier();
	b->pend_record = (uint64_t)record * 64;
	rt_barrier();
	t->busy.depth = 0;
}

static RT_COLD void note_switched(struct prs_call *r, uint64_t ticks)
{
	local_add64(&r->switched, 1);
	local_add64(&r->switched_ticks, ticks);
}

/*
 * The log may grow, and reads the CPU time: no time of the caller's own.  More
 * than it can take was spent in line for a core.
 */
static RT_COLD void note_long(struct rt_thread *t, uint32_t site, uint32_t depth, uint64_t now,
			      uint64_t ticks)
{
	uint64_t cost, most = rt.tick_hz / 1000000 * LOG_US;

	append_log(t, site, depth, now, ticks);
	cost = rt_ticks() - now;
	call_charge(t, cost < most ? cost : most);
}

/* Calibration runs before recording. */
static bool calibrating(void)
{
	return rt_self && !rt_self->entry;
}

/* An exception was caught by a function that began with @mark - 1 calls open: those above ended by it. */
static RT_COLD void caught(struct rt_thread *t, const struct prs_desc *d, uint64_t mark, uint64_t now)
{
	uint64_t depth;

	while ((depth = t->block->depth) >= mark && mark) {
		uint64_t start = (t->opens - depth)->start;

		if (start)
			rt_leave_at(d, 0, depth << RT_TOKEN_BITS | (start & RT_TOKEN_MASK), now);
		else /* a handler that left by it came while the call was being entered */
			t->block->depth = (uint32_t)depth - 1;
	}
}

void rt_leave_at(const struct prs_desc *d, uint32_t site, uint64_t token, uint64_t now)
{
	uint32_t depth = (uint32_t)(token >> RT_TOKEN_BITS), number;
	struct rt_thread *t = rt_self;
	uint64_t ticks, begin;
	struct prs_call *r;
	struct prs_slot *slot;
	struct prs_open *o;
	bool due;

	if (rt_unlikely(!t || depth - 1 >= RT_OPEN_MAX)) {
		if (t && !depth)
			caught(t, d, token, now);
		return;
	}
	o = t->opens - depth;
	begin = o->start;
	if (rt_unlikely((begin ^ token) & RT_TOKEN_MASK)) {
		leave_astray(t, d, site, token, now);
		return;
	}
	ticks = now - begin;
	if (rt_unlikely((int64_t)ticks < 0))
		ticks = stepped_back(-ticks);
	if (rt_unlikely(!o->record)) { /* entered before a fork */
		close_call(t, o, depth, ticks);
		return;
	}
	if (rt_unlikely(!*t->mark))
		mark_again(t);
	number = o->site;
	r = rt_call_record(o->record);
	slot = call_slot(t, o);
	due = (r->timed && !(r->timed & rt.review_mask)) || (t->ring && trace_turn(t));
	leave_pair(t, o, depth, ticks);
	if (rt_unlikely(t->marked_at > begin))
		note_switched(r, ticks);
	if (rt_unlikely(due))
		review(t, slot, r, now);
	if (rt_unlikely(t->ring))
		trace_pair(t, number, now, ticks, t->marked_at > begin ? PRS_TRACE_MOVED : 0);
	if (rt_unlikely(ticks >= rt.block_ticks))
		note_long(t, number, depth - 1, now, ticks);
}

void rt_leave(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	if (rt_unlikely(!rt_recording()) &&
	    !calibrating()) /* the clock may be out of bounds: process_seal() */
		return;
	rt_leave_at(d, site, token, probe_clock());
}

ENTRY_FUNCTION void rt_entry_enter(void)
{
	__asm__ volatile(ENTRY_ENTER : : ENTRY_OFFSETS);
}

ENTRY_FUNCTION void rt_entry_leave(void)
{
	__asm__ volatile(ENTRY_LEAVE : : ENTRY_OFFSETS);
}

ENTRY_FUNCTION void rt_entry_leave_trace(void)
{
	__asm__ volatile(ENTRY_LEAVE_TRACE : : ENTRY_OFFSETS);
}

ENTRY_FUNCTION void rt_entry_enter_to(void)
{
	__asm__ volatile(ENTRY_ENTER_TO : : ENTRY_OFFSETS);
}

/* Jumped to by the others, which name them in their text. */
ENTRY_RARE void rt_entry_enter_on(void) __attribute__((used));
ENTRY_RARE void rt_entry_leave_on(void) __attribute__((used));

ENTRY_RARE void rt_entry_enter_on(void)
{
	__asm__ volatile(ENTRY_ENTER_ON : :);
}

ENTRY_RARE void rt_entry_leave_on(void)
{
	__asm__ volatile(ENTRY_LEAVE_ON : :);
}

ENTRY_RARE void rt_entry_enter_plain(void)
{
	__asm__ volatile(ENTRY_ENTER_PLAIN : :);
}

ENTRY_RARE void rt_entry_enter_to_plain(void)
{
	__asm__ volatile(ENTRY_ENTER_TO_PLAIN : :);
}

ENTRY_RARE void rt_entry_leave_plain(void)
{
	__asm__ volatile(ENTRY_LEAVE_PLAIN : :);
}

/* ---- threads ------------------------------------------------------------------------- */

void call_charge(struct rt_thread *t, uint64_t ticks)
{
	(t->opens - t->block->depth)->child += ticks;
	t->growth += ticks;
	if (t->entry)
		t->entry->own_ticks += ticks;
}

void call_reset(struct rt_thread *t)
{
	t->path = t->paths = 0;
	t->busy.both = 0;
	t->no_mark = 1;
	t->mark = &t->no_mark;
	t->marked_at = t->growth = 0;
	if (t->cached)
		for (uint32_t i = 0; i < RT_CACHE; i++)
			t->cache[i] = 0;
	t->cached = 0;
}

void call_begin(struct rt_thread *t)
{
	struct prs_block *b = t->block;
	uint64_t *word = arch_rseq_word();

	t->opens = (struct prs_open *)((unsigned char *)t->block_chunk + t->block_chunk->bytes) - 1;
	*t->opens = (struct prs_open){0};
	b->open = (uint64_t)((unsigned char *)t->opens - (unsigned char *)b);
	if (!b->open_max)
		b->open_max = RT_OPEN_PAGE;
	t->full_sp = INT64_MAX;
	b->pend_record = 0;
	b->depth = 0;
	if (!word)
		return;
	t->mark = word;
	*word = (uint64_t)&never_here;
	rt_store(&rt.header->switch_kind, PRS_SWITCH_RSEQ);
}

void call_flush(struct rt_thread *t)
{
	uint64_t pending = t->block->pend_record;

	t->block->pend_record = 0;
	if (pending & PRS_PEND_BUSY)
		call_settle(pending);
	else if (pending)
		account((struct prs_call *)(rt.base + pending), t->block->pend_ticks);
}

void call_fork_keep(struct rt_thread *t)
{
	uint32_t depth = t->block->depth <= RT_OPEN_MAX ? t->block->depth : RT_OPEN_MAX;

	t->kept[RT_OPEN_MAX].slot = depth;
	for (uint32_t i = 1; i <= depth; i++)
		t->kept[RT_OPEN_MAX - i] = *(t->opens - i);
}

void call_fork_restore(struct rt_thread *t)
{
	uint32_t depth = t->kept[RT_OPEN_MAX].slot;

	while (t->block->open_max < depth && more_open(t))
		;
	if (depth > t->block->open_max)
		depth = t->block->open_max;
	for (uint32_t i = 1; i <= depth; i++) {
		struct prs_open *o = t->opens - i;

		*o = t->kept[RT_OPEN_MAX - i];
		o->record = o->parent = 0;
	}
	t->block->depth = depth;
}
