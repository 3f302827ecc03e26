/* SPDX-License-Identifier: MIT */
/*
 * Transfers are noted in the table of the thread that took the line; hits add no
 * bytes to its masks.  So a line that changed hands WINDOW_FIRST times (hot.c) gets
 * a watch window: its word is kept without holders, every access of every thread
 * comes here, and the protocol goes on in hot.shadow.
 *
 * In a window it is also measured how often a thread comes: from the moment
 * when it left us to the moment when it comes again to the same line, less what
 * other calls of ours took between.  So the gap is the program's own time, but
 * for the few instructions round us (header.mem_ticks) and for the access
 * itself, which as a rule finds the line gone.
 */
#include "runtime/calls/call.h"
#include "runtime/memory/burst.h"
#include "runtime/memory/hot.h"
#include "runtime/memory/lines.h"
#include "runtime/memory/mem.h"
#include "runtime/memory/note.h"
#include "runtime/memory/sharing.h"
#include "runtime/memory/watch.h"

#define WINDOW_LEFT 512u
#define WINDOW_PART 512u    /* a window's length: that part of a second */
#define TURN_PART   524288u /* of one thread in a window, if others come */
#define THRASHING   4096u /* transfers of a thread, one in THRASH_NS of its CPU time: it notes one in WEIGHT */
#define THRASH_NS   8000u
#define WEIGHT      16u
#define PACE_US     400u /* from window to window, then */
#define MOVES       4u   /* a line that moved as often may add tables to those of a thread */
#define UP          32u  /* a gap is followed to longer ones as slowly */
#define UP_SHARED   256u /* ... where another process may have come between unseen */
#define GAP_MAX_US  100u /* longer ones: the thread did not run, or did something else */
#define AWAY_MAX_MS 20u  /* ... longer ones are not looked at */
#define LOOKS_S     40u  /* a thread opens so many windows a second, whatever its transfers are, */
#define LOOK_FIRST  8u   /* ... at lines that changed hands as often */
#define GAP_STEPS   64u  /* calls without a window after which the clock is left alone */

/* Where lines move everywhere; written by all threads, though seldom: not on a line that probes read. */
static struct {
	uint64_t window_due __attribute__((aligned(64))); /* ticks: of the next watch window */
} pace;

static RT_COLD void note_transfer(struct prs_line *e, const struct rt_step *s, uint64_t old, uint32_t from,
				  uint32_t times)
{
	if (!e)
		return;
	e->misses += times;
	e->recorded++;
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

/* The bytes of an access that a window saw. */
static void mark(struct prs_line *e, const struct rt_step *s)
{
	if (!e)
		return;
	e->watched++;
	lines_mark(e, s->access, s->mask);
	e->last = rt_ticks();
}

void watch_mark(struct rt_thread *t, const struct rt_step *s)
{
	mark(lines_get(t, s->line, s->site, s->access, RT_LINE_TABLES), s);
}

/* Nobody came between: the line was here, and the gap is the program's own. */
static void gap_smooth(struct prs_line *e, uint32_t gap, uint32_t up)
{
	uint32_t old = e->gap_own ? e->gap_own : gap;

	/* Whoever came between makes it longer, never shorter: follow the short ones. */
	e->gap_own = gap < old ? old - (old - gap) / 4 : old + (gap < 2 * old ? gap - old : old) / up;
	e->gap_own += !e->gap_own;
}

/*
 * The time from the access at @g to this one, without waits: near each other, or long
 * apart though the thread was at work.  Of processes nobody knows when the others wait, so
 * there it is all of the time.
 */
static void gap_add(struct rt_thread *t, const struct rt_gap *g, struct prs_line *e, const struct rt_step *s,
		    bool own)
{
	uint64_t gap = s->began - g->left - (t->gap_spent - g->spent), us = rt.tick_hz / 1000000;
	bool through = call_ran_through(t, g->left);
	uint32_t waits = t->waits_made - g->waits;

	gap -= s->shared ? 0 : t->waited - g->waited;
	e->waits += waits;
	if (gap < us * GAP_MAX_US) {
		e->gap_ticks += gap;
		e->gaps++;
		if (own && g->own && !waits)
			gap_smooth(e, (uint32_t)gap * 16, s->shared ? UP_SHARED : UP);
	} else if (gap < us * 1000 * AWAY_MAX_MS && !waits && through) {
		e->away_ticks += gap;
		e->away++;
	}
}

/*
 * What tells a stretch of time in which every access to the line came here: a window, and where probes
 * sleep between bursts one burst of it, since the thread may visit the line in between.
 */
static uint64_t watched_time(const struct rt_hot *h)
{
	return rt_load(&h->window_end) + (sharing_direct() ? 0 : rt_load(&rt.header->n_bursts));
}

/* Called between mem_begin() and mem_end(), which completes the entry. */
static void gap_note(struct rt_thread *t, const struct rt_hot *h, struct prs_line *e, const struct rt_step *s,
		     bool own)
{
	struct rt_gap *g = &t->gaps[(s->line ^ s->line >> 2) % RT_GAPS]; /* structs of two lines, too */
	uint64_t window = watched_time(h);

	if (s->range) { /* a loop follows: what comes next comes after it */
		if (g->line == s->line)
			g->line = 0;
		return;
	}
	if (e && g->line == s->line && g->window == window && s->began)
		gap_add(t, g, e, s, own);
	else if (e)
		e->begun++;
	if (t->gap_open)
		t->gap_open->line = 0;
	g->line = s->line;
	g->window = window;
	g->waited = t->waited;
	g->waits = t->waits_made;
	g->own = own;
	t->gap_open = g;
	t->gap_steps = GAP_STEPS;
}

void watch_left(struct rt_thread *t, const struct rt_step *s)
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

/*
 * The word of a line that is watched no more says again who holds it.  Whoever comes
 * first does it: the one who closed the window may have lost its core.
 */
static RT_COLD void unwatch(const struct rt_hot *h, uint64_t *word, uint64_t line)
{
	uint64_t bare = line << PRS_DIR_TAG, last = rt_load(&h->shadow) & ~RT_HOT_OVER;

	if (last >> PRS_DIR_TAG == line)
		__atomic_compare_exchange_n(word, &bare, last, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/*
 * Nobody changes the shadow once the window is over: a store that only the shadow knew
 * of would take the line from nobody, and its next reader from nobody, too.
 */
static RT_COLD void window_close(struct rt_hot *h, uint64_t *word, uint64_t line)
{
	uint64_t shadow = __atomic_fetch_or(&h->shadow, RT_HOT_OVER, __ATOMIC_SEQ_CST);

	unwatch(h, word, line);
	if (shadow & RT_HOT_OVER)
		return;
	rt_store(&h->burst, 0);
	rt_store(&h->burst_from, rt_clock_now());
	/* Only one thread ran meanwhile: look again when the next one comes. */
	if (!rt_load(&h->turns))
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
	rt_publish(&h->window_end, 0);
}

/* False: another thread opens one at this moment. */
static bool window_claim(struct rt_hot *h)
{
	uint64_t none = 0;

	return __atomic_compare_exchange_n(&h->window_end, &none, rt_clock_now() + rt.tick_hz / WINDOW_PART,
					   false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static RT_COLD void window_open(struct rt_thread *t, struct rt_hot *h, uint64_t *word,
				const struct rt_step *s)
{
	struct prs_line *e = lines_find(t, s->line, s->site);
	uint64_t have = rt_load(word);

	mark(e, s); /* the access that changed hands is the surest of all */
	if (e)
		e->begun++;
	if (have != mem_next(s, have)) { /* somebody was faster: with the next transfer, then */
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
		return;
	}
	if (!window_claim(h))
		return;
	rt_store(&h->left, WINDOW_LEFT);
	rt_store(&h->turns, 0);
	rt_store(&h->turn, t->slot);
	rt_publish(&h->shadow, have);
	if (!__atomic_compare_exchange_n(word, &have, s->line << PRS_DIR_TAG, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED)) {
		window_close(h, word, s->line);
		return;
	}
	mem_invalidate_tags(have, s->line, false);
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

/* The same on the shadow of a line that is watched.  False: not by now. */
static bool transact_watched(struct rt_hot *h, const struct rt_step *s, uint64_t *old)
{
	uint64_t want;

	*old = rt_load(&h->shadow);
	while (*old >> PRS_DIR_TAG == s->line) {
		want = mem_next(s, *old);
		if (want == *old || __atomic_compare_exchange_n(&h->shadow, old, want, false,
								__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/* False: the window closed while we waited, and the access has not been done. */
bool watch_access(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct rt_step *s)
{
	struct prs_line *e;
	uint32_t from, left;
	uint64_t old;

	take_turn(t, h);
	if (!transact_watched(h, s, &old)) {
		unwatch(h, word, s->line);
		return false;
	}
	e = lines_get(t, s->line, s->site, s->access, RT_LINE_TABLES);
	from = mem_taken_from(s, old);
	if (from) {
		note_transfer(e, s, old, from, 1);
		rt_store(&h->turns, 1);
	} else if (e && rt_load(&sharing.burst_on)) {
		e->burst_accesses++;
	}
	mark(e, s);
	gap_note(t, h, e, s, !from);
	left = rt_add(&h->left, (uint32_t)-1) - 1;
	if (left - 1 >= WINDOW_LEFT || rt_clock_now() > rt_load(&h->window_end)) /* 0, or late and wrapped */
		window_close(h, word, s->line);
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

/*
 * Windows after more and more transfers show how a run begins; besides there is one now and
 * then, since a thread that sleeps or works elsewhere must be seen to do so, and is not the
 * same all the time.
 */
static bool look_due(struct rt_thread *t, struct rt_hot *h)
{
	uint64_t now;

	if (rt_load(&h->transfers) < LOOK_FIRST || rt_load(&h->window_end) || rt_load(&sharing.burst_on))
		return false;
	now = rt_ticks();
	if (now < t->look_due)
		return false;
	t->look_due = now + rt.tick_hz / LOOKS_S;
	return true;
}

void watch_transfer(struct rt_thread *t, uint64_t *word, const struct rt_step *s, uint64_t old, uint32_t from)
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
		window = window || look_due(t, h);
		tables = rt_load(&h->transfers) >= MOVES * t->weight ? RT_LINE_TABLES : tables;
	}
	e = lines_get(t, s->line, s->site, s->access, tables);
	if (h && e && !e->misses)
		hot_look_again(h);
	note_transfer(e, s, old, from, times);
	if (window && window_due(t))
		window_open(t, h, word, s);
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
void watch_shared(struct rt_thread *t, const struct rt_step *s)
{
	struct prs_line *e;

	if (t->gap_open && t->gap_open->line == s->line) /* a watch window has seen it */
		return;
	e = lines_get(t, s->line, s->site, s->access, RT_LINE_TABLES);
	if (!e)
		return;
	e->misses++;
	e->recorded++;
	mark(e, s);
	gap_note(t, hot_of(s->line), e, s, true);
	fetch(s);
}
