/* SPDX-License-Identifier: MIT */
/*
 * Two threads that hammer one line move the directory word as often as the
 * line itself, and would run several times slower.  So a line that moves
 * faster than THRASH_NS per transfer is observed in bursts: BURST transfers are
 * counted, then it rests REST times as long.  While it rests its word stays
 * with whoever holds it; the others come here, read two words that nobody
 * writes, and go.  Each transfer of a later burst stands for those of the rest
 * before it too, at the rate of the burst.
 */
#include "runtime/memory/hot.h"

#define WINDOW_FIRST  8u /* transfers before the first watch window */
#define WINDOW_GROWTH 4u /* each next window at that many times more */
#define THRASH_FIRST  4096u
#define BURST         256u
#define THRASH_NS     500u
#define REST          7u
#define REST_MAX_MS   5u
#define CREDIT_MAX    64u
#define BYTES         ((size_t)sizeof(struct rt_hot) << RT_HOT_BITS)

struct rt_hot *hot_table;
uint8_t hot_rests[RT_HOT_GROUPS];

bool hot_setup(void)
{
	if (hot_table)
		sys_madvise(hot_table, BYTES, MADV_DONTNEED);
	else
		hot_table = sys_anon(BYTES);
	return hot_table;
}

static RT_COLD void reset(struct rt_hot *h)
{
	rt_store(&h->window_end, 0);
	rt_store(&h->rest_until, 0);
	rt_store(&h->transfers, 0);
	rt_store(&h->next_window, WINDOW_FIRST);
	rt_store(&h->left, 0);
	rt_store(&h->burst, 0);
	rt_store(&h->burst_from, rt_ticks());
	rt_store(&h->weight, 1);
	rt_store(&h->thrashes, 0);
	rt_store(&h->credit, 1);
	rt_store(&h->turns, 0);
}

struct rt_hot *hot_claim(uint64_t line)
{
	struct rt_hot *h = hot_of(line);
	uint64_t owner = rt_acquire(&h->line);
	uint32_t credit;

	if (owner == line) {
		credit = rt_load(&h->credit);
		if (credit < CREDIT_MAX)
			rt_store(&h->credit, (uint8_t)(credit + 1));
		return h;
	}
	credit = rt_load(&h->credit);
	if (owner && (credit || rt_load(&h->window_end))) {
		if (credit)
			rt_store(&h->credit, (uint8_t)(credit - 1));
		return NULL;
	}
	if (!__atomic_compare_exchange_n(&h->line, &owner, line, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return NULL;
	reset(h);
	return h;
}

static RT_COLD void burst_over(struct rt_hot *h)
{
	uint64_t now = rt_ticks(), active = now - rt_load(&h->burst_from);
	uint32_t seen = rt_load(&h->burst);
	uint64_t rest = active * REST, max = rt.tick_hz / 1000 * REST_MAX_MS;

	rt_store(&h->burst, 0);
	rt_store(&h->burst_from, now);
	if (active > seen * (rt.tick_hz / 1000000 * THRASH_NS / 1000)) {
		rt_store(&h->weight, 1);
		return;
	}
	if (rest > max)
		rest = max;
	rt_store(&h->thrashes, 1);
	rt_store(&hot_rests[(h - hot_table) / 8], 1);
	rt_store(&h->weight, (uint16_t)(1 + rest / (active ? active : 1)));
	rt_store(&h->rest_until, now + rest);
}

uint32_t hot_transfer(struct rt_hot *h, uint32_t by, bool *window)
{
	uint32_t n = rt_add(&h->transfers, by) + by, next = rt_load(&h->next_window);
	uint32_t burst = rt_add(&h->burst, by) + by, weight = rt_load(&h->weight);

	*window = n >= next && !rt_load(&h->window_end) &&
		  __atomic_compare_exchange_n(&h->next_window, &next, n < 1u << 28 ? n * WINDOW_GROWTH : ~0u,
					      false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (burst >= (rt_load(&h->thrashes) ? BURST : THRASH_FIRST) && !*window && !rt_load(&h->window_end))
		burst_over(h);
	return weight;
}

void hot_look_again(struct rt_hot *h)
{
	uint32_t soon = rt_load(&h->transfers) + WINDOW_FIRST;

	if (rt_load(&h->next_window) > soon)
		rt_store(&h->next_window, soon);
}

bool hot_resting(struct rt_hot *h)
{
	uint64_t until = rt_load(&h->rest_until), now;

	if (!until)
		return false;
	now = rt_ticks();
	if (now < until)
		return true;
	/* One of those who come by wakes the line. */
	if (__atomic_compare_exchange_n(&h->rest_until, &until, 0, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED)) {
		rt_store(&h->burst, 0);
		rt_store(&h->burst_from, now);
	}
	return false;
}
