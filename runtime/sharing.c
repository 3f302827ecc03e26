/* SPDX-License-Identifier: MIT */
/*
 * The line directory, and which thread has which bit of its words.
 *
 * Threads beyond PRS_DIR_SHARERS share bits: what two threads of one bit do
 * to each other is not seen.  Bits are dealt to the least used first.
 */
#include <stdlib.h>

#include "runtime/arch/x86_64/probe.h"
#include "runtime/burst.h"
#include "runtime/hot.h"
#include "runtime/mem.h"
#include "runtime/sharing.h"
#include "runtime/trace.h"

#define DIR_BYTES ((size_t)PRS_DIR_WORDS * sizeof(uint64_t))
#define HOT_BYTES ((size_t)sizeof(struct rt_hot) << RT_HOT_BITS)
#define ROUNDS    16u
#define SAMPLES   64u

static const struct prs_sharer nobody = {1ull << 63, ~0ull, 1ull << 63, 0};
__thread const struct prs_sharer *rt_sharer = &nobody;

void sharing_ask(void)
{
	const char *mode = secure_getenv(PRS_ENV_SHARING);

	rt.sharing_mode = mode && mode[0] == 'r' ? PRS_SHARING_RATE : PRS_SHARING_PRECISE;
	burst_ask();
}

bool sharing_all(void)
{
	return trace_all_memory();
}

bool sharing_setup(void)
{
	if (rt.dir_words) {
		sys_madvise(rt.dir_words, DIR_BYTES, MADV_DONTNEED);
		sys_madvise(rt.hot, HOT_BYTES, MADV_DONTNEED);
	} else {
		rt.dir_words = sys_anon(DIR_BYTES);
		rt.hot = sys_anon(HOT_BYTES);
		/* No line is in a directory of zeros, so every access comes here. */
		rt.dir_shown = sharing_all() ? sys_anon(DIR_BYTES) : rt.dir_words;
	}
	for (uint32_t i = 0; i < sizeof(rt.dir_touched); i++)
		rt.dir_touched[i] = 0;
	for (uint32_t i = 0; i < PRS_DIR_SHARERS; i++)
		rt.slot_users[i] = rt.slot_dirty[i] = 0;
	return rt.dir_words && rt.dir_shown && rt.hot;
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
	h->sharing_mode = rt.sharing_mode;
	h->mem_ticks = gap_of_nothing();
	burst_describe(h);
}

/* ---- who has which bit ---------------------------------------------------------------- */

static void sweep_word(uint64_t *word, uint64_t gone)
{
	uint64_t old = rt_load(word), want;

	do {
		want = old & ~gone;
		if (!(want & RT_SHARERS))
			want &= ~(uint64_t)PRS_DIR_MODIFIED;
	} while (want != old &&
		 !__atomic_compare_exchange_n(word, &old, want, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
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
	for (uint32_t i = 0; i < PRS_DIR_WORDS; i++)
		if (rt_load(&rt.dir_touched[i / RT_DIR_PAGE]))
			sweep_word(&rt.dir_words[i], gone);
		else
			i |= RT_DIR_PAGE - 1;
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
	uint64_t bit;

	if (rt.purpose != PRS_PURPOSE_SHARING)
		return;
	t->slot = pick_slot();
	rt.slot_users[t->slot]++;
	rt.slot_dirty[t->slot] = 1;
	rt_store(&rt.slot_owner[t->slot], t->index);
	bit = 1u << t->slot;
	t->sharer = (struct prs_sharer){bit, PRS_DIR_MODIFIED | bit, bit | ~0ull << PRS_DIR_TAG, 0};
	rt_sharer = &t->sharer;
	burst_thread(t);
}

void sharing_thread_end(struct rt_thread *t)
{
	if (rt.purpose != PRS_PURPOSE_SHARING)
		return;
	rt_sharer = &nobody;
	rt.slot_users[t->slot]--;
	if (t->hammer)
		t->hammer->last = rt_ticks();
}
