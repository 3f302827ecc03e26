/* SPDX-License-Identifier: MIT */
#define RT_CLOCK_INLINE /* it runs in calls */
#include "runtime/calls/call.h"
#include "runtime/calls/trace-map.h"

#define SLOW_NS   2000000000ull  /* a recorder that was not seen for so long does not make us wait */
#define GONE_NS   60000000000ull /* ... is not waited for at all */
#define LOOK      4096u          /* records lost between two looks at the recorder's clock */
#define ASK_AGAIN 1024u          /* records lost between two attempts to find a free slot */
#define WAIT_MS   20u
#define TURN      65536u /* bytes of calls after which there is a look at other things */
#define TURN_FINE 1024u  /* ... of a thread whose events are counted */
#define FUTEX_ON  0      /* FUTEX_WAIT */
#define FUTEX_OFF 1      /* FUTEX_WAKE */

bool trace_here(void)
{
	return trace.head;
}

bool trace_all_memory(void)
{
	return trace.head && rt.purpose == PRS_PURPOSE_SHARING;
}

/* ---- the recorder ----------------------------------------------------------------------- */

static void futex(uint32_t *word, int op, uint32_t value)
{
	struct timespec limit = {0, WAIT_MS * 1000000};

	rt_syscall4(SYS_futex, (long)word, op, value, (long)&limit);
}

/* It sleeps while little comes. */
static void wake_recorder(void)
{
	if (rt_load(&trace.head->bell) && __atomic_exchange_n(&trace.head->bell, 0, __ATOMIC_SEQ_CST))
		futex(&trace.head->bell, FUTEX_OFF, 1);
}

/* True if the recorder has ended, or was not seen for @ns. */
static bool recorder_away(uint64_t ns)
{
	uint64_t beat = rt_load(&trace.head->beat_ns), now;

	if (rt_acquire(&trace.head->state) == PRS_TRACE_ENDED)
		return true;
	now = sys_clock(CLOCK_MONOTONIC);
	return now > beat && now - beat > ns;
}

/* ---- one slot ------------------------------------------------------------------------------ */

static void ring_clear(struct rt_ring *r)
{
	r->busy = r->n_aside = r->head = r->limit = r->last = 0;
	r->top = r->taken = 0;
	r->gap = r->gap_calls = r->gap_others = 0;
	r->shared = NULL;
	for (uint32_t i = 0; i < RT_ASIDE; i++)
		rt_store(&r->aside[i].word[0], 0);
}

void trace_thread_begin(struct rt_thread *t)
{
	struct rt_ring *r = &t->own_ring;

	r->shared = NULL;
	if (!trace.head || rt_acquire(&trace.head->state) == PRS_TRACE_ENDED)
		return;
	if (!r->aside)
		r->aside = sys_anon(RT_ASIDE * sizeof(*r->aside));
	if (!r->aside)
		return;
	ring_clear(r);
	t->ring = r;
}

static void slot_fill(struct rt_thread *t, struct rt_ring *r, uint32_t i)
{
	struct prs_ring *s = &trace.rings[i];

	s->lost_calls = r->gap_calls;
	s->lost_mems = r->gap_others;
	s->gaps = r->gap != 0;
	s->blocked_ticks = 0;
	s->epoch = rt.header->epoch;
	s->thread = t->index;
	s->tid = t->entry->tid;
	s->pid_ns = trace.pid_ns;
	t->entry->traced = 1;
	/* Others can write there: a record begins at a whole unit, and so ends inside of the ring. */
	r->head = rt_load(&s->head) & ~(uint64_t)(PRS_UNIT_BYTES - 1);
	r->limit = r->head;
	r->mask = trace.ring_bytes - 1;
	r->data = trace.data + i * trace.ring_bytes;
	rt_publish(&s->stage, PRS_RING_LIVE);
	r->shared = s;
}

/* The lowest that is free, since its memory has been used before. */
static bool slot_take(struct rt_thread *t, struct rt_ring *r)
{
	for (uint32_t i = 0; i < trace.slots; i++) {
		uint32_t *owner = &trace.rings[i].owner, none = 0;

		if (!rt_load(owner) && __atomic_compare_exchange_n(owner, &none, rt.pid, false,
								   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			slot_fill(t, r, i);
			return true;
		}
	}
	return false;
}

/* The thread's first record, or one of those after it if no slot was free: @now is its time. */
static bool slot_ask(struct rt_thread *t, struct rt_ring *r, uint64_t now)
{
	if ((r->gap_calls + r->gap_others) % ASK_AGAIN == 0 && slot_take(t, r)) {
		if (r->gap)
			rt_add(&trace.head->refused, ~0u);
		return true;
	}
	if (!r->gap) {
		rt_add(&trace.head->refused, 1);
		r->gap = now;
	}
	return false;
}

static void lose(struct rt_ring *r, bool call)
{
	uint64_t *here = call ? &r->gap_calls : &r->gap_others;

	local_add64(here, 1);
	if (r->shared)
		local_add64(call ? &r->shared->lost_calls : &r->shared->lost_mems, 1);
}

/* ---- room ------------------------------------------------------------------------------------ */

static uint64_t used(const struct rt_ring *r)
{
	return r->head - rt_acquire(&r->shared->tail);
}

/*
 * Have a look at the recorder again after so much.  No pair takes the usual
 * way any more after a record was given up: if that one came back then, it
 * would set head back, which only trace_append() notices.
 */
static void set_limit(struct rt_thread *t, struct rt_ring *r)
{
	uint64_t turn = t->counters ? TURN_FINE : TURN, full = r->head - used(r) + trace.ring_bytes;

	if (turn > trace.ring_bytes / 4)
		turn = trace.ring_bytes / 4;
	r->limit = r->taken ? 0 : r->head + turn < full ? r->head + turn : full;
}

static void wait_for_room(struct rt_thread *t, struct rt_ring *r, uint64_t bytes)
{
	uint64_t begin = rt_ticks(), waited;
	struct prs_ring *s = r->shared;

	while (!recorder_away(SLOW_NS)) {
		uint64_t tail = rt_acquire(&s->tail);

		if (r->head - tail + bytes <= trace.ring_bytes)
			break;
		wake_recorder();
		__atomic_store_n(&s->waiting, 1, __ATOMIC_SEQ_CST);
		futex((uint32_t *)&s->tail, FUTEX_ON, (uint32_t)tail);
	}
	waited = rt_ticks() - begin;
	local_add64(&s->blocked_ticks, waited);
	call_charge(t, waited); /* no time of the calls round it */
}

/* Room for a record of @bytes that comes at @now, or a gap begins. */
static bool room(struct rt_thread *t, struct rt_ring *r, uint64_t bytes, uint64_t now)
{
	if (r->head + bytes <= r->limit)
		return true;
	if (used(r) + bytes > trace.ring_bytes) {
		local_add64(&r->shared->gaps, 1);
		wake_recorder();
		if (trace.policy == PRS_TRACE_BLOCK)
			wait_for_room(t, r, bytes);
	} else if (used(r) >= trace.ring_bytes / 4) {
		wake_recorder();
	}
	if (used(r) + bytes > trace.ring_bytes) {
		r->gap = now;
		r->gap_calls = r->gap_others = 0;
		r->limit = 0;
		return false;
	}
	set_limit(t, r);
	return true;
}

static void trace_put(struct rt_ring *r, const struct rt_record *e)
{
	uint64_t at = r->head, bytes = e->word[0] >> PRS_CLASS_SHIFT == PRS_CLASS_CALL ? 16 : 32;

	for (uint64_t i = 0; i < bytes; i += PRS_UNIT_BYTES) {
		uint64_t *unit = (uint64_t *)(r->data + ((at + i) & r->mask));

		unit[0] = e->word[i / 8];
		unit[1] = e->word[i / 8 + 1];
	}
	r->last = e->word[0] & PRS_TRACE_TIME_MASK;
	rt_barrier();
	if (local_swap64(&r->head, at, at + bytes)) {
		r->top = at + bytes;
		rt_publish(&r->shared->head, at + bytes);
	}
}

static uint64_t at_most_32(uint64_t v)
{
	return v < ~0u ? v : ~0u;
}

/* Is there room again, or is it no use to wait?  What was lost is said in front of the next record. */
static bool gap_over(struct rt_thread *t, struct rt_ring *r, uint64_t now)
{
	uint64_t enough = trace.policy == PRS_TRACE_DROP ? trace.ring_bytes - 64 : trace.ring_bytes / 4;
	struct rt_record e = {.word = {now | (uint64_t)PRS_CLASS_NOTE << PRS_CLASS_SHIFT}};

	if (used(r) > enough) {
		if ((r->gap_calls + r->gap_others) % LOOK == 0 && recorder_away(GONE_NS))
			t->ring = NULL;
		return false;
	}
	e.word[1] = (uint64_t)PRS_TRACE_GAP << 32;
	e.word[2] = r->gap | (uint64_t)PRS_CLASS_MORE << PRS_CLASS_SHIFT;
	e.word[3] = at_most_32(r->gap_calls) | at_most_32(r->gap_others) << 32;
	r->gap = 0;
	set_limit(t, r);
	trace_put(r, &e);
	return true;
}

/* Under `busy`. */
static void trace_append(struct rt_thread *t, struct rt_record *e)
{
	bool call = e->word[0] >> PRS_CLASS_SHIFT == PRS_CLASS_CALL;
	uint64_t bytes = call ? PRS_UNIT_BYTES : 2 * PRS_UNIT_BYTES;
	struct rt_ring *r = t->ring;
	uint64_t now = e->word[0] & PRS_TRACE_TIME_MASK;

	if (r->head < r->top) /* set back by a record that had been given up */
		r->head = r->top;
	if (!r->shared && !slot_ask(t, r, now)) {
		lose(r, call);
		return;
	}
	if (now < r->last) { /* a handler's records came between its end and us */
		e->word[0] += r->last - now;
		now = r->last;
		if (call)
			e->word[1] |= (uint64_t)PRS_TRACE_LATE << 32;
	}
	if ((r->gap && !gap_over(t, r, now)) || !room(t, r, bytes, now))
		lose(r, call);
	else
		trace_put(r, e);
}

/* ---- one at a time ------------------------------------------------------------------------------ */

/* Under `busy`: add what handlers have put aside; a handler may come meanwhile. */
static void trace_collect(struct rt_thread *t, struct rt_ring *r)
{
	uint64_t n;

	while ((n = rt_load(&r->n_aside)) && t->ring) {
		for (uint64_t i = 0; i < n && i < RT_ASIDE && t->ring; i++) {
			struct rt_record e = r->aside[i];

			r->aside[i].word[0] = 0;
			if (e.word[0])
				trace_append(t, &e);
		}
		local_swap64(&r->n_aside, n, 0);
	}
}

/* End of `busy`; what a handler put aside at the last moment must not stay there. */
static void trace_finish(struct rt_thread *t, struct rt_ring *r)
{
	do {
		trace_collect(t, r);
		rt_barrier();
		rt_store(&r->busy, 0);
		rt_barrier();
		if (!t->ring || !rt_load(&r->n_aside))
			return;
		rt_store(&r->busy, r->head | 1);
		rt_barrier();
	} while (true);
}

static void put_aside(struct rt_thread *t, struct rt_ring *r, struct rt_record *e)
{
	uint64_t i = local_fetch_add64(&r->n_aside, 1);

	if (i >= RT_ASIDE) { /* nobody will come for them */
		if (rt_load(&r->busy) == 1 || rt_load(&r->busy) == (r->head | 1))
			lose(r, true);
		r->taken = 1;
		trace_collect(t, r);
		if (t->ring)
			trace_append(t, e);
		trace_finish(t, r);
		return;
	}
	for (int k = 1; k < 4; k++)
		r->aside[i].word[k] = e->word[k];
	rt_barrier();
	rt_store(&r->aside[i].word[0], e->word[0]);
	rt_store(&r->limit, 0);
}

static void submit(struct rt_thread *t, struct rt_record *e)
{
	struct rt_ring *r = t->ring;

	if (rt_load(&r->busy)) {
		put_aside(t, r, e);
		return;
	}
	rt_store(&r->busy, r->head | 1);
	rt_barrier();
	trace_append(t, e);
	trace_finish(t, r);
}

void trace_pair(struct rt_thread *t, uint32_t site, uint64_t end, uint64_t ticks, uint32_t flags)
{
	uint32_t bits = 64 - (uint32_t)__builtin_clzll(ticks | 1);
	uint32_t shift = bits > PRS_LENGTH_BITS ? bits - PRS_LENGTH_BITS : 0;
	struct rt_record e = {.word = {(end & PRS_TRACE_TIME_MASK) | PRS_TRACE_DONE}};

	if (shift > PRS_LENGTH_SHIFTS)
		shift = PRS_LENGTH_SHIFTS;
	e.word[1] = ticks >> shift | (uint64_t)shift << PRS_LENGTH_BITS | (uint64_t)(site | flags) << 32;
	if (site < PRS_TRACE_SITES)
		submit(t, &e);
	else
		lose(t->ring, true);
}

static void collect_all(struct rt_thread *t)
{
	struct rt_ring *r = t->ring;

	rt_store(&r->busy, r->head | 1);
	rt_barrier();
	trace_finish(t, r);
}

void trace_memory(struct rt_thread *t, uint32_t site, uint64_t address, uint32_t access)
{
	struct rt_record e;

	e.word[0] = (rt_ticks() & PRS_TRACE_TIME_MASK) | (uint64_t)PRS_CLASS_MEMORY << PRS_CLASS_SHIFT;
	e.word[1] = site | (uint64_t)access << 32;
	e.word[2] = (address & PRS_VALUE_MASK) | (uint64_t)PRS_CLASS_MORE << PRS_CLASS_SHIFT;
	e.word[3] = 0;
	submit(t, &e);
}

void trace_note(struct rt_thread *t, uint32_t site, uint64_t address, uint64_t bytes, uint32_t kind)
{
	struct rt_record e;

	e.word[0] = (rt_ticks() & PRS_TRACE_TIME_MASK) | (uint64_t)PRS_CLASS_NOTE << PRS_CLASS_SHIFT;
	e.word[1] = site | (uint64_t)kind << 32;
	e.word[2] = (address & PRS_VALUE_MASK) | (uint64_t)PRS_CLASS_MORE << PRS_CLASS_SHIFT;
	e.word[3] = bytes;
	submit(t, &e);
}

void trace_close(void)
{
	struct rt_thread *t = rt_self;

	if (t && t->ring && t->ring->n_aside)
		collect_all(t);
}

void trace_thread_end(struct rt_thread *t)
{
	struct rt_ring *r = &t->own_ring;

	if (t->ring)
		collect_all(t);
	t->ring = NULL;
	rt_barrier();
	if (!r->shared)
		return;
	rt_publish(&r->shared->stage, PRS_RING_ENDED);
	wake_recorder(); /* the next thread may need the slot */
}
