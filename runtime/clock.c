/* SPDX-License-Identifier: MIT */
/* Which clock, how fast it runs, what reading it costs. */
#include "runtime/rt.h"

#define CALIBRATE_NS 300000u

/* A site whose timed calls take less than this on average is sampled. */
#define BACKOFF_NS 1000u

/* The counter and the raw clock at one instant: the closest pair of a few. */
static void read_pair(uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = ~0ull;

	for (int i = 0; i < 5; i++) {
		uint64_t a = rt_ticks(), now = sys_clock(CLOCK_MONOTONIC_RAW), b = rt_ticks();

		if (b - a >= best)
			continue;
		best = b - a;
		*ticks = a + (b - a) / 2;
		*ns = now;
	}
}

/* Ticks per second; no 128-bit division, which would call into libgcc. */
static uint64_t rate(uint64_t ticks, uint64_t ns)
{
	while (ticks >> 34) {
		ticks >>= 1;
		ns >>= 1;
	}
	return ns ? ticks * 1000000000u / ns : 0;
}

static uint64_t measure_hz(void)
{
	uint64_t t0, t1, n0, n1;

	read_pair(&t0, &n0);
	do
		n1 = sys_clock(CLOCK_MONOTONIC_RAW);
	while (n1 - n0 < CALIBRATE_NS);
	read_pair(&t1, &n1);
	return t1 > t0 ? rate(t1 - t0, n1 - n0) : 0;
}

void clock_choose(void)
{
	rt.tsc = arch_tsc_invariant();
	rt.tick_hz = rt.tsc ? measure_hz() : 0;
	if (rt.tick_hz < 1000000) {
		rt.tsc = 0;
		rt.tick_hz = 1000000000;
	}
	rt.backoff_ticks = rt.tick_hz / 1000 * BACKOFF_NS / 1000000;
}

uint64_t clock_cost(void)
{
	uint64_t best = ~0ull;

	for (int round = 0; round < 8; round++) {
		uint64_t begin = rt_ticks(), end = begin;

		for (int i = 0; i < 64; i++)
			end = rt_ticks();
		if ((end - begin) / 64 < best)
			best = (end - begin) / 64;
	}
	return best;
}

void clock_mark_start(struct prs_rec_header *h)
{
	read_pair(&h->tsc_start, &h->mono_start_ns);
	h->clock_ticks = clock_cost();
	h->heartbeat_ns = h->mono_start_ns;
}

void clock_mark_end(struct prs_rec_header *h)
{
	uint64_t ticks, ns;

	read_pair(&ticks, &ns);
	h->mono_end_ns = ns;
	h->heartbeat_ns = ns;
	h->tsc_end = ticks;
	/* Over a longer run the two pairs tell the rate better than the start could. */
	if (ns - h->mono_start_ns > 20000000u && rt.tsc)
		h->tsc_hz = rate(ticks - h->tsc_start, ns - h->mono_start_ns);
}
