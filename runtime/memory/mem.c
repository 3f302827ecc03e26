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
 * it together.  What is noted of all this is in watch.c.
 */
#include "runtime/calls/trace.h"
#include "runtime/memory/hot.h"
#include "runtime/memory/lines.h"
#include "runtime/memory/mem.h"
#include "runtime/memory/note.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"
#include "runtime/memory/watch.h"
#include "runtime/base/self.h"

#define LINES_MAX 1024u /* of one access: longer copies are followed so far */
#define SKIPS_MAX 64u

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

void mem_pushed_out(struct rt_thread *t, uint64_t old)
{
	if (!old)
		return;
	mem_invalidate_tags(old, old >> PRS_DIR_TAG, false);
	t->collisions++;
}

/* True: the access is done with, the line rests or is being watched. */
static bool step_hot(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct rt_step *s)
{
	if (rt_acquire(&h->line) != s->line)
		return false;
	if (hot_resting(h)) {
		if (note_first(s->site)) /* as in weight_of() */
			watch_mark(t, s);
		return true;
	}
	return rt_load(word) == s->line << PRS_DIR_TAG && watch_access(t, h, word, s);
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
	from = mem_taken_from(s, old);
	if (old >> PRS_DIR_TAG != s->line)
		mem_pushed_out(t, old);
	else if (from)
		mem_invalidate_tags(from, s->line, !s->write);
	mem_fill(t, word, s->line, s->write);
	if (!from)
		return;
	note_moved(s->line);
	watch_transfer(t, word, s, old, from);
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
			watch_shared(t, s);
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
		watch_left(t, s);
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
