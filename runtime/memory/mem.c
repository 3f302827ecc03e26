/* SPDX-License-Identifier: MIT */
/*
 * Memory probes, slow path: one step of a coherence protocol per call.
 *
 * The directory word says who holds a line.  A thread whose probe does not
 * hit takes the line by compare-and-swap; what the word said before tells
 * from whom.  Lines that nobody else holds leave no trace but the word, so
 * private data costs one slow path per line and no entry.
 *
 * What the word says of a thread is copied to its tags (perseus/abi.h), which are
 * all that its probes look at.  The thread fills one in: tag, fence, then a look
 * at the word again, and it takes the tag back if the word has changed.  Whoever
 * changes the word clears the tags of those who lost by it: word, fence, tags.  So
 * of the two one sees the other, whatever the order; between word and tag an
 * access of the loser may hit that came too late, as it may while its line is on
 * its way.  A tag may be missing, never too much: its owner comes here then, and
 * finds the word in order.  Threads that share a bit share what it holds, and lose
 * it together.
 *
 * Hits add no bytes to the masks.  A line that changed hands WINDOW_FIRST
 * times gets a watch window: its word is kept without holders, every access
 * of every thread comes here, and the protocol goes on in hot.shadow.
 *
 * In a window it is also measured how often a thread comes: from the moment
 * when it left us to the moment when it comes again to the same line, less what
 * other calls of ours took between.  So the gap is the program's own time, but
 * for the few instructions round us (header.mem_ticks) and for the access
 * itself, which as a rule finds the line gone.
 */
#include "runtime/calls/trace.h"
#include "runtime/memory/burst.h"
#include "runtime/memory/hot.h"
#include "runtime/memory/lines.h"
#include "runtime/memory/mem.h"
#include "runtime/memory/note.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"
#include "runtime/base/self.h"

#define WINDOW_LEFT 512u
#define WINDOW_PART 512u    /* a window's length: that part of a second */
#define TURN_PART   524288u /* of one thread in a window, if others come */
#define LINES_MAX   1024u   /* of one access: longer copies are followed so far */
#define SKIPS_MAX   64u
#define THRASHING   4096u /* transfers of a thread, one in THRASH_NS of its CPU time: it notes one in WEIGHT */
#define THRASH_NS   8000u
#define WEIGHT      16u
#define PACE_US     400u /* from window to window, then */
#define MOVES       4u   /* a line that moved as often may add tables to those of a thread */
#define GAP_STEPS   64u  /* calls without a window after which the clock is left alone */
#define UP          32u  /* a gap is followed to longer ones as slowly */
#define UP_SHARED   256u /* ... where another process may have come between unseen */
#define GAP_MAX_US  100u /* longer ones: the thread did not run, or did something else */

/* Where lines move everywhere; written by all threads, though seldom: not on a line that probes read. */
static struct {
	uint64_t window_due __attribute__((aligned(64))); /* ticks: of the next watch window */
} pace;

/*
 * Do the access on @word; @old: what was seen there, and what was there before.
 * False: the word lost its holders meanwhile, because a window opened; look again.
 */
static bool transact(uint64_t *word, const struct rt_step *s, uint64_t *old)
{
	uint64_t want;

	for (;;) {
		want = mem_next(s, *old);
		if (want == *old ||
		    __atomic_compare_exchange_n(word, old, want, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
		if (*old == s->line << PRS_DIR_TAG)
			return false;
	}
}

/* Threads of @bits hold @line no longer, or (@stores) may no longer store to it. */
static RT_COLD void invalidate_tags(uint64_t bits, uint64_t line, bool stores)
{
	uint32_t i = line % PRS_TAGS, tag = (uint32_t)line;

	for (bits &= RT_SHARERS; bits; bits &= bits - 1) {
		struct prs_sharer *f = rt_acquire(&rt.sharers[__builtin_ctzll(bits)]);

		for (; f; f = f->next) {
			rt_add(&f->lost, 1);
			if (rt_load(&f->store_tag[i]) == tag)
				rt_store(&f->store_tag[i], ~tag);
			if (!stores && rt_load(&f->load_tag[i]) == tag)
				rt_store(&f->load_tag[i], ~tag);
		}
	}
}

void mem_pushed_out(struct rt_thread *t, uint64_t old)
{
	if (!old)
		return;
	invalidate_tags(old, old >> PRS_DIR_TAG, false);
	t->collisions++;
}

void mem_fill(struct rt_thread *t, const uint64_t *word, uint64_t line, bool write)
{
	struct prs_sharer *f = t->sharer;
	uint32_t i = line % PRS_TAGS, tag = (uint32_t)line;
	bool shared = rt_unlikely(rt_load(&sharing.n_shared)) && shared_line(line);

	if (!f || (shared && !shared_may_fill(t, line)))
		return;
	if (write)
		rt_store(&f->store_tag[i], tag);
	__atomic_exchange_n(&f->load_tag[i], tag, __ATOMIC_SEQ_CST);
	if (mem_holds(t, rt_load(word), line, write) && (!shared || shared_filled(line)))
		return;
	rt_store(&f->load_tag[i], ~tag);
	if (write)
		rt_store(&f->store_tag[i], ~tag);
}

/* The bits of others that this access took something from, 0: none. */
static uint32_t taken_from(const struct rt_step *s, uint64_t old)
{
	uint32_t others = (uint32_t)(old & RT_SHARERS & ~(uint64_t)s->bit);

	if (old >> PRS_DIR_TAG != s->line || !others)
		return 0;
	return s->write || old & PRS_DIR_MODIFIED ? others : 0;
}

static __attribute__((noinline)) void mem_count(struct prs_line *e, const struct rt_step *s, uint64_t old,
						uint32_t from, uint32_t times)
{
	if (!e)
		return;
	e->misses += times;
	if (old & PRS_DIR_MODIFIED)
		e->from_modified += times;
	if (s->write)
		e->invalidated += times;
	lines_mark(e, s->access, s->mask);
	if (rt_load(&sharing.burst_on)) {
		e->burst_misses += times;
		e->burst_accesses += times;
		burst_saw(s->site);
	}
	lines_peers(e, from, times);
	e->last = rt_ticks();
}

/* ---- watch windows --------------------------------------------------------------- */

/* The bytes of an access that a window saw. */
static void mark(struct prs_line *e, const struct rt_step *s)
{
	if (!e)
		return;
	e->watched++;
	lines_mark(e, s->access, s->mask);
	e->last = rt_ticks();
}

/* Nobody came between: the line was here, and the gap is the program's own. */
static void gap_smooth(struct prs_line *e, uint32_t gap, uint32_t up)
{
	uint32_t old = e->gap_own ? e->gap_own : gap;

	/* Whoever came between makes it longer, never shorter: follow the short ones. */
	e->gap_own = gap < old ? old - (old - gap) / 4 : old + (gap < 2 * old ? gap - old : old) / up;
	e->gap_own += !e->gap_own;
}

/* Called between mem_begin() and mem_end(), which completes the entry. */
static void gap_note(struct rt_thread *t, const struct rt_hot *h, struct prs_line *e, const struct rt_step *s,
		     bool own)
{
	struct rt_gap *g = &t->gaps[s->line % RT_GAPS];
	uint64_t window = rt_load(&h->window_end), gap;

	if (s->range) { /* a loop follows: what comes next comes after it */
		if (g->line == s->line)
			g->line = 0;
		return;
	}
	if (e && g->line == s->line && g->window == window && s->began) {
		gap = s->began - g->left - (t->gap_spent - g->spent);
		if (gap < rt.tick_hz / 1000000 * GAP_MAX_US) {
			e->gap_ticks += gap;
			e->gaps++;
			if (own && g->own)
				gap_smooth(e, (uint32_t)gap * 16, s->shared ? UP_SHARED : UP);
		}
	}
	if (t->gap_open)
		t->gap_open->line = 0;
	g->line = s->line;
	g->window = window;
	g->own = own;
	t->gap_open = g;
	t->gap_steps = GAP_STEPS;
}

static RT_COLD void gap_end(struct rt_thread *t, const struct rt_step *s)
{
	uint64_t now = rt_ticks_ordered();

	if (s->began) /* ... with what it takes to come here and go */
		t->gap_spent += now - s->began + rt.header->mem_ticks;
	if (t->gap_open) {
		t->gap_open->left = now;
		t->gap_open->spent = t->gap_spent;
		t->gap_open = NULL;
	}
}

static RT_COLD void window_open(struct rt_thread *t, struct rt_hot *h, uint64_t *word,
				const struct rt_step *s)
{
	uint64_t have = rt_load(word);

	mark(lines_find(t, s->line, s->site), s); /* the access that changed hands is the surest of all */
	if (have != mem_next(s, have)) {          /* somebody was faster: with the next transfer, then */
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
		return;
	}
	rt_store(&h->shadow, have);
	rt_store(&h->left, WINDOW_LEFT);
	rt_store(&h->turns, 0);
	rt_store(&h->turn, t->slot);
	rt_publish(&h->window_end, rt_clock_now() + rt.tick_hz / WINDOW_PART);
	if (!__atomic_compare_exchange_n(word, &have, s->line << PRS_DIR_TAG, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED)) {
		rt_store(&h->window_end, 0);
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
		return;
	}
	invalidate_tags(have, s->line, false);
}

static RT_COLD void window_close(struct rt_hot *h, uint64_t *word, uint64_t line)
{
	uint64_t bare = line << PRS_DIR_TAG, shadow = rt_load(&h->shadow);

	if (shadow >> PRS_DIR_TAG == line)
		__atomic_compare_exchange_n(word, &bare, shadow, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	rt_store(&h->window_end, 0);
	rt_store(&h->burst, 0);
	rt_store(&h->burst_from, rt_clock_now());
	/* Only one thread ran meanwhile: look again when the next one comes. */
	if (!rt_load(&h->turns))
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
}

/*
 * In a window threads take turns of 2 us: who comes out of turn waits.  So
 * a thread is seen going on by itself for a while, with the line at hand, and
 * its gaps are the work between its accesses and not the line's travel.
 */
static RT_COLD void take_turn(const struct rt_thread *t, struct rt_hot *h)
{
	uint64_t turn = rt_load(&h->turn), now;

	while ((turn & 31) != t->slot) {
		now = rt_clock_now();
		if (now < (turn & ~31ull)) {
			arch_relax();
			turn = rt_load(&h->turn);
			continue;
		}
		now += rt.tick_hz / TURN_PART;
		if (__atomic_compare_exchange_n(&h->turn, &turn, (now & ~31ull) | t->slot, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			break;
	}
}

static RT_COLD void mem_watch(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct rt_step *s)
{
	struct prs_line *e = lines_get(t, s->line, s->site, s->access, RT_LINE_TABLES);
	uint32_t from, left;
	uint64_t old;

	take_turn(t, h);
	old = rt_load(&h->shadow);
	while (!transact(&h->shadow, s, &old))
		;
	from = taken_from(s, old);
	if (from) {
		mem_count(e, s, old, from, 1);
		rt_store(&h->turns, 1);
	} else if (e && rt_load(&sharing.burst_on)) {
		e->burst_accesses++;
	}
	mark(e, s);
	gap_note(t, h, e, s, !from);
	left = rt_add(&h->left, (uint32_t)-1) - 1;
	if (left - 1 >= WINDOW_LEFT || rt_clock_now() > rt_load(&h->window_end)) /* 0, or late and wrapped */
		window_close(h, word, s->line);
}

/* ---- one access -------------------------------------------------------------------- */

/* True: the access is done with, the line rests or is being watched. */
static bool step_hot(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct rt_step *s)
{
	if (rt_acquire(&h->line) != s->line)
		return false;
	if (hot_resting(h)) {
		if (note_first(s->site)) /* as in weight_of() */
			mark(lines_get(t, s->line, s->site, s->access, RT_LINE_TABLES), s);
		return true;
	}
	if (!rt_acquire(&h->window_end) || rt_load(word) != s->line << PRS_DIR_TAG)
		return false;
	mem_watch(t, h, word, s);
	return true;
}

/*
 * How many transfers this one stands for, 0: none.  Lines that move by turns, each
 * too seldom to rest, may keep a thread as busy as one that moves all the time.  The
 * first of a site is recorded anyway: it may be the only one that knows a name.
 */
static uint32_t weight_of(struct rt_thread *t, uint32_t site)
{
	uint64_t now;

	if (++t->moves == THRASHING) {
		now = sys_cpu_ns();
		t->weight = now - t->moves_from < THRASHING * THRASH_NS ? WEIGHT : 1;
		t->moves_from = now;
		t->moves = 0;
	}
	if (t->weight == 1 || mem_draw(t, t->weight))
		return t->weight;
	return note_first(site);
}

static bool window_due(const struct rt_thread *t)
{
	uint64_t now = rt_ticks();

	if (t->weight > 1 && now < rt_load(&pace.window_due))
		return false;
	rt_store(&pace.window_due, now + rt.tick_hz / 1000000 * PACE_US);
	return true;
}

static RT_COLD void record_transfer(struct rt_thread *t, uint64_t *word, const struct rt_step *s,
				    uint64_t old, uint32_t from)
{
	uint32_t times = weight_of(t, s->site), tables = LINE_TABLES_COLD;
	struct rt_hot *h = times ? hot_claim(s->line) : NULL;
	struct prs_line *e;
	bool window = false;

	if (!times)
		return;
	if (h) {
		/* It is being opened at this moment; or was pushed out long since by another line of the word. */
		if (rt_unlikely(rt_load(&h->window_end)) && rt_ticks() > rt_load(&h->window_end))
			window_close(h, word, s->line);
		times *= hot_transfer(h, times, &window);
		tables = rt_load(&h->transfers) >= MOVES * t->weight ? RT_LINE_TABLES : tables;
	}
	e = lines_get(t, s->line, s->site, s->access, tables);
	if (h && e && !e->misses)
		hot_look_again(h);
	mem_count(e, s, old, from, times);
	if (window && window_due(t))
		window_open(t, h, word, s);
}

void mem_step(struct rt_thread *t, const struct rt_step *s)
{
	uint64_t *word = mem_word(s->line), old = rt_load(word);
	struct rt_hot *h = hot_of(s->line);
	uint32_t from;

	do {
		if ((old == s->line << PRS_DIR_TAG || hot_rested(h)) && step_hot(t, h, word, s))
			return;
	} while (!transact(word, s, &old));
	from = taken_from(s, old);
	if (old >> PRS_DIR_TAG != s->line)
		mem_pushed_out(t, old);
	else if (from)
		invalidate_tags(from, s->line, !s->write);
	mem_fill(t, word, s->line, s->write);
	if (!from)
		return;
	note_moved(s->line);
	record_transfer(t, word, s, old, from);
}

/*
 * The program is about to use this byte of the line.  While we were at it another
 * process has taken the line away; back it must be when we measure what the program
 * does, which without us has the line for many accesses at a time.
 */
static void fetch(const struct rt_step *s)
{
	const volatile char *at = (const char *)(s->line << PRS_LINE_SHIFT) + __builtin_ctzll(s->mask);

	__builtin_prefetch((const char *)at, 1);
	(void)*at;
}

/* A line that other processes may use: what is done to it is noted though nobody here took it. */
static RT_COLD void note_shared(struct rt_thread *t, const struct rt_step *s)
{
	struct prs_line *e;

	if (t->gap_open && t->gap_open->line == s->line) /* a watch window has seen it */
		return;
	e = lines_get(t, s->line, s->site, s->access, RT_LINE_TABLES);
	if (!e)
		return;
	e->misses++;
	mark(e, s);
	gap_note(t, hot_of(s->line), e, s, true);
	fetch(s);
}

static uint64_t byte_mask(uint64_t from, uint64_t to)
{
	uint64_t n = to - from;

	return (n >= 64 ? ~0ull : (1ull << n) - 1) << from;
}

static void access_lines(struct rt_thread *t, struct rt_step *s, uint64_t at)
{
	uint64_t bytes = PRS_ACCESS_BYTES(s->access) ? PRS_ACCESS_BYTES(s->access) : 1;
	uint64_t end = at + bytes;

	for (uint32_t n = 0; at < end && n < LINES_MAX; n++) {
		uint64_t from = at & 63, to = from + (end - at) < 64 ? from + (end - at) : 64;

		s->line = at >> PRS_LINE_SHIFT;
		s->mask = byte_mask(from, to);
		mem_step(t, s);
		if (rt_unlikely(s->shared))
			note_shared(t, s);
		at += to - from;
	}
}

struct rt_thread *mem_thread(const struct prs_desc *d)
{
	return rt_unlikely(!rt_acquire(&d->tls)) ? NULL : thread_self();
}

/*
 * A signal handler in the middle of us leaves the tables alone.  It is known
 * by a frame below ours.  A handler that jumped out leaves a stale mark: it is
 * void for a frame above it, and after a few calls it kept away.
 */
__attribute__((noinline)) bool mem_begin(struct rt_thread *t, struct rt_step *s, uint32_t site,
					 uint32_t access, uintptr_t frame)
{
	if (t->mem_frame && frame < t->mem_frame && ++t->mem_skips < SKIPS_MAX)
		return false;
	t->mem_frame = frame;
	t->mem_skips = 0;
	rt_barrier();
	s->began = 0;
	if (rt_unlikely(t->gap_steps)) {
		t->gap_steps--;
		s->began = rt_ticks_ordered();
	}
	s->bit = 1u << t->slot;
	s->site = site;
	s->access = access;
	s->write = PRS_ACCESS_KIND(access) != PRS_KIND_LOAD;
	s->range = s->shared = false;
	t->block->slow++;
	return true;
}

void mem_end(struct rt_thread *t, const struct rt_step *s)
{
	if (rt_unlikely(s->began || t->gap_open))
		gap_end(t, s);
	rt_barrier();
	t->mem_frame = 0;
}

/*
 * The directory knows already that @t may do this, only its tag was missing:
 * another line had its place.
 */
static bool held(struct rt_thread *t, uint64_t at, uint32_t access)
{
	uint64_t line = at >> PRS_LINE_SHIFT, *word = mem_word(line);
	bool write = PRS_ACCESS_KIND(access) != PRS_KIND_LOAD;

	if ((at + PRS_ACCESS_BYTES(access) - 1) >> PRS_LINE_SHIFT != line || t->gap_steps ||
	    !mem_holds(t, rt_load(word), line, write))
		return false;
	t->block->slow++;
	mem_fill(t, word, line, write);
	return true;
}

void mem_access(struct rt_thread *t, uint32_t site, uint64_t at, uint32_t access, uintptr_t frame)
{
	bool shared = false;
	struct rt_step s;

	if (rt_unlikely(t->ring))
		trace_memory(t, site, at, access);
	if (rt_unlikely(rt_load(&sharing.n_shared)) && shared_line(at >> PRS_LINE_SHIFT)) {
		shared = true;
		if (!shared_look(t) && held(t, at, access))
			return;
	} else if (held(t, at, access)) {
		return;
	}
	if (!mem_begin(t, &s, site, access, frame))
		return;
	s.shared = shared;
	access_lines(t, &s, at);
	mem_end(t, &s);
}

/* Each part is an access of its own, with bytes and a kind of its own. */
static __attribute__((noinline)) void access_parts(struct rt_thread *t, const struct prs_desc *d, uint64_t at,
						   uint32_t access, uintptr_t frame)
{
	const uint32_t *table = (const uint32_t *)((const char *)d + d->parts);
	const uint32_t *p = table - PRS_PARTS_WORDS(access);

	do
		mem_access(t, rt_mem_number(d, PRS_PART_SITE(*p)), at + PRS_PART_OFFSET(*p),
			   table[PRS_PART_SITE(*p)], frame);
	while (!PRS_PART_LAST(*p++));
}

void rt_mem(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access)
{
	uint64_t at = (uint64_t)addr & ((1ull << 48) - 1);
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct rt_thread *t = mem_thread(d);

	if (!t || at < 4096)
		return;
	if (access & PRS_ACCESS_PARTS)
		access_parts(t, d, at, access, frame);
	else
		mem_access(t, rt_mem_number(d, site), at, access, frame);
}
