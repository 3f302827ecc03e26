/* SPDX-License-Identifier: MIT */
/*
 * Reading a counter from user mode, by the page that the kernel maps for it.
 * Stands alone, with the instruction as an argument, so that a made-up page
 * and a made-up instruction can test it.
 */
#ifndef RUNTIME_CALLS_COUNTER_PAGE_H
#define RUNTIME_CALLS_COUNTER_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* The value, and for how long it was wanted and really counted; the two times in ns. */
struct counter_reading {
	uint64_t value, enabled, running;
};

/* What reads the hardware: rdpmc and rdtsc, or their doubles in a test. */
struct counter_hands {
	uint64_t (*pmc)(uint32_t index);
	uint64_t (*tsc)(void);
};

/* How often a page that keeps changing is tried; the kernel writes it at most once a context switch. */
#define COUNTER_TRIES 100u

/* Nanoseconds since the kernel wrote the times of @page. */
static inline uint64_t counter_page_since(const struct perf_event_mmap_page *page, uint64_t tsc)
{
	uint64_t whole, rest;

	if (!page->cap_user_time)
		return 0;
	whole = tsc >> page->time_shift;
	rest = tsc & ((1ull << page->time_shift) - 1);
	return page->time_offset + whole * page->time_mult + (rest * page->time_mult >> page->time_shift);
}

/* One attempt; the counter may be switched off and on again meanwhile. */
static inline void counter_page_try(const volatile struct perf_event_mmap_page *page,
				    const struct counter_hands *hands, struct counter_reading *out)
{
	const struct perf_event_mmap_page *now = (const struct perf_event_mmap_page *)page;
	uint32_t index = page->index, width = page->pmc_width;
	uint64_t since = counter_page_since(now, page->cap_user_time ? hands->tsc() : 0);
	int64_t raw = 0;

	out->enabled = page->time_enabled + since;
	out->running = page->time_running;
	if (index && page->cap_user_rdpmc) {
		/* The counter is narrower than 64 bits and began below zero. */
		uint32_t shift = width && width < 64 ? 64 - width : 0;

		raw = (int64_t)(hands->pmc(index - 1) << shift) >> shift;
		out->running += since;
	}
	out->value = (uint64_t)(page->offset + raw);
}

/*
 * Read the counter behind @page.  False: the page did not hold still, @out is
 * not to be used.  A counter that is switched off at the moment, because others
 * have its place, gives what it had counted up to then.
 */
static inline bool counter_page_read(const volatile struct perf_event_mmap_page *page,
				     const struct counter_hands *hands, struct counter_reading *out)
{
	for (uint32_t i = 0; i < COUNTER_TRIES; i++) {
		uint32_t before = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);

		counter_page_try(page, hands, out);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (!(before & 1) && __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE) == before)
			return true;
	}
	return false;
}

#define COUNTER_NO_COST (~0ull) /* of what cannot be read that way */

/*
 * What one read by @page costs, in ticks: the cheapest of @reads.  The first one
 * alone if it takes @trap ticks or more, since then a hypervisor steps in each time;
 * COUNTER_NO_COST where the counter is not on the hardware or may not be read.
 */
static inline uint64_t counter_page_cost(const volatile struct perf_event_mmap_page *page,
					 const struct counter_hands *hands, uint64_t trap, uint32_t reads)
{
	uint64_t best = COUNTER_NO_COST;
	struct counter_reading r;

	if (!page->cap_user_rdpmc || !page->index)
		return best;
	for (uint32_t i = 0; i < reads && (!i || best < trap); i++) {
		uint64_t begin = hands->tsc(), spent;

		if (!counter_page_read(page, hands, &r))
			return COUNTER_NO_COST;
		spent = hands->tsc() - begin;
		best = spent < best ? spent : best;
	}
	return best;
}

#endif
