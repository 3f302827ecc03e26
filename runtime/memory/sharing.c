/* SPDX-License-Identifier: MIT */
/*
 * The line directory, and which thread has which bit of its words.
 *
 * Threads beyond PRS_DIR_SHARERS share bits: what two threads of one bit do
 * to each other is not seen.  Bits are dealt to the least used first.
 */
#include <stdlib.h>

#include "arch/probe.h"
#include "runtime/base/env.h"
#include "runtime/calls/call.h"
#include "runtime/calls/trace.h"
#include "runtime/memory/burst.h"
#include "runtime/memory/hot.h"
#include "runtime/memory/lines.h"
#include "runtime/memory/mem.h"
#include "runtime/memory/note.h"
#include "runtime/memory/sharing.h"
#include "runtime/memory/enable.h"

#define TAG_BYTES (2 * PRS_TAGS * sizeof(uint32_t))
#define DIR_BYTES ((size_t)PRS_DIR_WORDS * sizeof(uint64_t))
#define ROUNDS    16u
#define SAMPLES   64u

static struct prs_sharer nobody; /* zeros that nobody writes: no memory */

struct rt_sharing sharing;

/* Under rt_lock(). */
static struct {
	uint32_t n; /* bits that somebody ever had: the first */
	uint32_t users[PRS_DIR_SHARERS];
} slots;

uint64_t sharing_nobody(void)
{
	return (uint64_t)&nobody;
}

/* Zero, which is what threads have that we do not know, is nobody's. */
static void sharing_show(const struct prs_sharer *s)
{
	RT_OWN->sharer = s ? (uint64_t)s - sharing_nobody() : 0;
}

static enum prs_sharing_mode mode_of(char c)
{
	return c == 'r' ? PRS_SHARING_RATE : c == 'a' ? PRS_SHARING_ADAPTIVE : PRS_SHARING_PRECISE;
}

bool sharing_direct(void)
{
	return sharing.mode == PRS_SHARING_PRECISE || sharing.first;
}

void sharing_ask(void)
{
	const char *mode = secure_getenv(PRS_ENV_SHARING);

	sharing.mode = mode_of(mode ? mode[0] : 'p');
	sharing.first = sharing.mode == PRS_SHARING_ADAPTIVE;
#ifndef PRS_STATIC /* where creations are seen only if the program was linked for it */
	sharing.alone = rt.purpose == PRS_PURPOSE_SHARING && sharing_direct() &&
			!env_number(PRS_ENV_AWAKE, 0, 1) && (sharing.first || enable_alone());
#endif
	burst_ask();
}

bool sharing_all(void)
{
	return trace_all_memory();
}

/* Entry 0 of a table of zeros fits line 0. */
static void make_blank(struct prs_sharer *s)
{
	rt_store(&s->load_tag[0], 1);
	rt_store(&s->store_tag[0], 1);
}

/* Nobody's any more, of a directory that is empty; the tags have pages of their own. */
static void wipe(struct prs_sharer *s)
{
	sys_madvise(s->load_tag, TAG_BYTES, MADV_DONTNEED);
	make_blank(s);
	rt_add(&s->lost, 1);
	s->taken = 0;
}

/* A fork child has one thread, and its directory is empty.  A test may be on its way: nothing is unmapped. */
static void release_all(void)
{
	sharing_show(NULL);
	slots.n = 0;
	for (uint32_t i = 0; i < PRS_DIR_SHARERS; i++) {
		slots.users[i] = 0;
		for (struct prs_sharer *s = rt.sharers[i]; s; s = s->next)
			wipe(s);
	}
}

void sharing_forget(void)
{
	for (uint32_t i = 0; i < PRS_DIR_SHARERS; i++)
		for (struct prs_sharer *s = rt.sharers[i]; s; s = s->next) {
			sys_madvise(s->load_tag, TAG_BYTES, MADV_DONTNEED);
			make_blank(s);
			rt_add(&s->lost, 1);
		}
}

bool sharing_setup(void)
{
	make_blank(&nobody);
	release_all();
	call_thin();
	sharing.alone &= !sharing_all();
	if (sharing.dir_words)
		sys_madvise(sharing.dir_words, DIR_BYTES, MADV_DONTNEED);
	else
		sharing.dir_words = sys_anon(DIR_BYTES);
	note_setup();
	return hot_setup() && sharing.dir_words;
}

/* ---- what probes cost here --------------------------------------------------------------- */

/* As a probe's cold part and its stub call us: the clock first and last, as round a gap.  Mean of the best round. */
static uint32_t gap_of_nothing(void)
{
	uint64_t least = ~0ull;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < SAMPLES; i++) {
			uint64_t left = rt_ticks_ordered();

			sum += arch_probe_call(rt_ticks_ordered) - left;
		}
		if (sum < least)
			least = sum;
	}
	return (uint32_t)((least + SAMPLES / 2) / SAMPLES);
}

void sharing_describe(struct prs_rec_header *h)
{
	if (rt.purpose != PRS_PURPOSE_SHARING)
		return;
	h->sharing_mode = sharing.mode;
	h->mem_ticks = gap_of_nothing();
	burst_describe(h);
}

/* ---- who has which bit ---------------------------------------------------------------- */

/*
 * One that nobody had, else that of an ended thread with all the lines it holds:
 * they did not run at the same time, so what passed from one to the other is no
 * conflict, and threads made anew for each round need not take their lines anew.
 */
static uint32_t pick_slot(void)
{
	uint32_t best = 0;

	if (slots.n < PRS_DIR_SHARERS)
		return slots.n++;
	for (uint32_t i = 1; i < PRS_DIR_SHARERS; i++)
		if (slots.users[i] < slots.users[best])
			best = i;
	return best;
}

static struct prs_sharer *sharer_make(void)
{
	unsigned char *p = sys_anon(PRS_PAGE_BYTES + TAG_BYTES);
	struct prs_sharer *s;

	if (!p)
		return NULL;
	s = (struct prs_sharer *)(p + PRS_PAGE_BYTES - PRS_SHARER_LOAD_TAG);
	sys_madvise(p, PRS_PAGE_BYTES + TAG_BYTES, MADV_NOHUGEPAGE);
	make_blank(s);
	return s;
}

/*
 * Tags for a thread with bit @slot.  They stay with the bit for good, so whoever
 * takes a line from it finds all that may say otherwise in one list, and they are
 * right while no thread has them.  NULL: no memory, or every access is to be seen.
 */
static struct prs_sharer *sharer_take(uint32_t slot)
{
	struct prs_sharer *s = rt.sharers[slot];

	if (sharing_all())
		return NULL;
	while (s && s->taken)
		s = s->next;
	if (!s) {
		s = sharer_make();
		if (!s)
			return NULL;
		s->next = rt.sharers[slot];
		rt_publish(&rt.sharers[slot], s);
	}
	s->taken = 1;
	return s;
}

void sharing_thread_begin(struct rt_thread *t)
{
	if (rt.purpose != PRS_PURPOSE_SHARING)
		return;
	t->weight = 1;
	t->moves = 0;
	t->moves_from = 0;
	t->slot = pick_slot();
	slots.users[t->slot]++;
	rt_store(&sharing.slot_owner[t->slot], t->index);
	t->sharer = sharer_take(t->slot);
	sharing_show(t->sharer);
	burst_thread(t);
}

void sharing_thread_end(struct rt_thread *t)
{
	if (rt.purpose != PRS_PURPOSE_SHARING)
		return;
	sharing_show(NULL);
	if (t->sharer)
		t->sharer->taken = 0;
	slots.users[t->slot]--;
	if (t->hammer)
		t->hammer->last = rt_ticks();
	lines_end(t);
}
