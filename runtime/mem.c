/* SPDX-License-Identifier: MIT */
/*
 * Memory probes, slow path: one step of a coherence protocol per call.
 *
 * The directory word says who holds a line.  A thread whose probe does not
 * hit takes the line by compare-and-swap; what the word said before tells
 * from whom.  Lines that nobody else holds leave no trace but the word, so
 * private data costs one slow path per line and no entry.
 *
 * Hits add no bytes to the masks.  A line that changed hands WINDOW_FIRST
 * times gets a watch window: its word is kept without holders, every access
 * of every thread comes here, and the protocol goes on in hot.shadow.
 *
 * Threads beyond PRS_DIR_SHARERS share bits: what two threads of one bit do
 * to each other is not seen.  Bits are dealt to the least used first.
 */
#include "runtime/hot.h"
#include "runtime/lines.h"
#include "runtime/sharing.h"
#include "runtime/thread.h"
#include "runtime/trace.h"

#define SHARERS     (PRS_DIR_MODIFIED - 1)
#define WINDOW_LEFT 512u
#define WINDOW_MS   2u
#define LINES_MAX   1024u /* of one access: longer copies are followed so far */
#define SKIPS_MAX   64u
#define DIR_BYTES   ((size_t)PRS_DIR_WORDS * sizeof(uint64_t))
#define HOT_BYTES   ((size_t)sizeof(struct rt_hot) << RT_HOT_BITS)

/* One access to one line. */
struct step {
	uint64_t line;
	uint64_t mask; /* bytes of the line */
	uint32_t bit;  /* of the thread */
	uint32_t site; /* process-wide */
	uint32_t access;
	bool write;
};

/* The word after the access; @old as found. */
static uint64_t next_word(const struct step *s, uint64_t old)
{
	uint64_t tag = s->line << PRS_DIR_TAG;

	if (s->write)
		return tag | PRS_DIR_MODIFIED | s->bit;
	if (old >> PRS_DIR_TAG != s->line)
		return tag | s->bit;
	if ((old & (PRS_DIR_MODIFIED | SHARERS)) == (PRS_DIR_MODIFIED | s->bit))
		return old;
	return (old & ~(uint64_t)PRS_DIR_MODIFIED) | s->bit;
}

/*
 * Do the access on @word; @old: what was there before.  False: the word lost
 * its holders meanwhile, because a window opened; look again.
 */
static bool transact(uint64_t *word, const struct step *s, uint64_t *old)
{
	uint64_t want;

	*old = rt_load(word);
	for (;;) {
		want = next_word(s, *old);
		if (want == *old ||
		    __atomic_compare_exchange_n(word, old, want, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
		if (*old == s->line << PRS_DIR_TAG)
			return false;
	}
}

/* The bits of others that this access took something from, 0: none. */
static uint32_t taken_from(const struct step *s, uint64_t old)
{
	uint32_t others = (uint32_t)(old & SHARERS & ~(uint64_t)s->bit);

	if (old >> PRS_DIR_TAG != s->line || !others)
		return 0;
	return s->write || old & PRS_DIR_MODIFIED ? others : 0;
}

static void count(struct rt_thread *t, const struct step *s, uint64_t old, uint32_t from, uint32_t times)
{
	struct prs_line *e = lines_get(t, s->line, s->site, s->access);

	if (!e)
		return;
	e->misses += times;
	if (old & PRS_DIR_MODIFIED)
		e->from_modified += times;
	if (s->write)
		e->invalidated += times;
	lines_peers(e, from, times);
	e->last = rt_ticks();
}

/* ---- watch windows --------------------------------------------------------------- */

/* The bytes of an access that a window saw. */
static void mark(struct rt_thread *t, const struct step *s)
{
	struct prs_line *e = lines_get(t, s->line, s->site, s->access);

	if (!e)
		return;
	e->watched++;
	if (PRS_ACCESS_KIND(s->access) != PRS_KIND_STORE)
		e->read_mask |= s->mask;
	if (s->write)
		e->write_mask |= s->mask;
	e->last = rt_ticks();
}

static void window_open(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct step *s)
{
	uint64_t have = rt_load(word);

	mark(t, s);                       /* the access that changed hands is the surest of all */
	if (have != next_word(s, have)) { /* somebody was faster: with the next transfer, then */
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
		return;
	}
	rt_store(&h->shadow, have);
	rt_store(&h->left, WINDOW_LEFT);
	rt_store(&h->turns, 0);
	rt_publish(&h->window_end, rt_ticks() + rt.tick_hz / 1000 * WINDOW_MS);
	if (!__atomic_compare_exchange_n(word, &have, s->line << PRS_DIR_TAG, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED)) {
		rt_store(&h->window_end, 0);
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
	}
}

static void window_close(struct rt_hot *h, uint64_t *word, uint64_t line)
{
	uint64_t bare = line << PRS_DIR_TAG, shadow = rt_load(&h->shadow);

	if (shadow >> PRS_DIR_TAG == line)
		__atomic_compare_exchange_n(word, &bare, shadow, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	rt_store(&h->window_end, 0);
	rt_store(&h->burst, 0);
	rt_store(&h->burst_from, rt_ticks());
	/* Only one thread ran meanwhile: look again when the next one comes. */
	if (!rt_load(&h->turns))
		rt_store(&h->next_window, rt_load(&h->transfers) + 1);
}

static void watch(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct step *s)
{
	uint32_t from, left;
	uint64_t old;

	while (!transact(&h->shadow, s, &old))
		;
	from = taken_from(s, old);
	if (from) {
		count(t, s, old, from, 1);
		rt_store(&h->turns, 1);
	}
	mark(t, s);
	left = rt_add(&h->left, (uint32_t)-1) - 1;
	if (left - 1 >= WINDOW_LEFT || rt_ticks() > rt_load(&h->window_end)) /* 0, or late and wrapped */
		window_close(h, word, s->line);
}

/* ---- one access -------------------------------------------------------------------- */

/* True: the access is done with, the line rests or is being watched. */
static bool step_hot(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct step *s)
{
	uint64_t end;

	if (hot_resting(h))
		return true;
	end = rt_acquire(&h->window_end);
	if (!end)
		return false;
	if (rt_load(word) == s->line << PRS_DIR_TAG) {
		watch(t, h, word, s);
		return true;
	}
	/* Being opened at this moment; or long since pushed out by another line of the same word. */
	if (rt_ticks() > end)
		window_close(h, word, s->line);
	return false;
}

static void step(struct rt_thread *t, const struct step *s)
{
	uint64_t *word = &rt.dir_words[s->line & (PRS_DIR_WORDS - 1)], old;
	struct rt_hot *h = hot_of(s->line);
	bool window = false;
	uint32_t from;

	do {
		if (rt_acquire(&h->line) == s->line && step_hot(t, h, word, s))
			return;
	} while (!transact(word, s, &old));
	if (old >> PRS_DIR_TAG != s->line) {
		t->collisions += old != 0;
		return;
	}
	from = taken_from(s, old);
	if (!from)
		return;
	h = hot_claim(s->line);
	count(t, s, old, from, h ? hot_transfer(h, &window) : 1);
	if (window)
		window_open(t, h, word, s);
}

static uint64_t byte_mask(uint64_t from, uint64_t to)
{
	uint64_t n = to - from;

	return (n >= 64 ? ~0ull : (1ull << n) - 1) << from;
}

static void access_lines(struct rt_thread *t, uint32_t number, uint64_t at, uint32_t access)
{
	uint64_t bytes = PRS_ACCESS_BYTES(access) ? PRS_ACCESS_BYTES(access) : 1;
	uint64_t end = at + bytes;
	struct step s = {.bit = 1u << t->slot,
			 .site = number,
			 .access = access,
			 .write = PRS_ACCESS_KIND(access) != PRS_KIND_LOAD};

	for (uint32_t n = 0; at < end && n < LINES_MAX; n++) {
		uint64_t from = at & 63, to = from + (end - at) < 64 ? from + (end - at) : 64;

		s.line = at >> PRS_LINE_SHIFT;
		s.mask = byte_mask(from, to);
		step(t, &s);
		at += to - from;
	}
}

/* The thread's first touch: the probe had no block to count in. */
static struct rt_thread *first_touch(const struct prs_desc *d, uint32_t site)
{
	struct rt_thread *t = thread_touch();

	if (t)
		local_add64((uint64_t *)((unsigned char *)t->block + d->mem_base) + site, 1);
	return t;
}

/*
 * A signal handler in the middle of us leaves the tables alone.  It is known
 * by a frame below ours.  A handler that jumped out leaves a stale mark: it is
 * void for a frame above it, and after a few calls it kept away.
 */
static bool mem_begin(struct rt_thread *t, uintptr_t frame)
{
	if (t->mem_frame && frame < t->mem_frame && ++t->mem_skips < SKIPS_MAX)
		return false;
	t->mem_frame = frame;
	t->mem_skips = 0;
	rt_barrier();
	return true;
}

void rt_mem(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access)
{
	uint64_t at = (uint64_t)addr & ((1ull << 48) - 1);
	struct rt_thread *t = rt_self;

	if (rt_unlikely(!t))
		t = first_touch(d, site);
	if (!t || at < 4096)
		return;
	if (rt_unlikely(t->ring))
		trace_memory(t, rt_mem_number(d, site), at, access);
	if (!mem_begin(t, (uintptr_t)__builtin_frame_address(0)))
		return;
	access_lines(t, rt_mem_number(d, site), at, access);
	rt_barrier();
	t->mem_frame = 0;
}

/* ---- who has which bit ---------------------------------------------------------------- */

bool sharing_setup(void)
{
	if (rt.dir_words) {
		sys_madvise(rt.dir_words, DIR_BYTES, MADV_DONTNEED);
		sys_madvise(rt.hot, HOT_BYTES, MADV_DONTNEED);
	} else {
		rt.dir_words = sys_anon(DIR_BYTES);
		rt.hot = sys_anon(HOT_BYTES);
		/* No line is in a directory of zeros, so every access comes here. */
		rt.dir_shown = trace_all_memory() ? sys_anon(DIR_BYTES) : rt.dir_words;
	}
	for (uint32_t i = 0; i < PRS_DIR_SHARERS; i++)
		rt.slot_users[i] = rt.slot_dirty[i] = 0;
	return rt.dir_words && rt.dir_shown && rt.hot;
}

/* Take the bits of ended threads out of all words, so that the next user inherits no lines. */
static void sweep(void)
{
	uint64_t gone = 0;

	for (uint32_t i = 0; i < PRS_DIR_SHARERS; i++) {
		if (rt.slot_users[i] || !rt.slot_dirty[i])
			continue;
		gone |= 1u << i;
		rt.slot_dirty[i] = 0;
	}
	for (uint32_t i = 0; i < PRS_DIR_WORDS; i++) {
		uint64_t old = rt_load(&rt.dir_words[i]), want;

		do {
			want = old & ~gone;
			if (!(want & SHARERS))
				want &= ~(uint64_t)PRS_DIR_MODIFIED;
		} while (want != old && !__atomic_compare_exchange_n(&rt.dir_words[i], &old, want, true,
								     __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	}
}

static uint32_t pick_slot(void)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < PRS_DIR_SHARERS; i++) {
		if (!rt.slot_users[i] && !rt.slot_dirty[i])
			return i;
		if (rt.slot_users[i] < rt.slot_users[best])
			best = i;
	}
	if (!rt.slot_users[best])
		sweep();
	return best;
}

void sharing_thread_begin(struct rt_thread *t)
{
	if (rt.purpose != PRS_PURPOSE_SHARING)
		return;
	t->slot = pick_slot();
	rt.slot_users[t->slot]++;
	rt.slot_dirty[t->slot] = 1;
	rt_store(&rt.slot_owner[t->slot], t->index);
	t->block->load_bit = 1u << t->slot;
	t->block->store_word = PRS_DIR_MODIFIED | 1u << t->slot;
}

void sharing_thread_end(struct rt_thread *t)
{
	if (rt.purpose == PRS_PURPOSE_SHARING)
		rt.slot_users[t->slot]--;
}
