/* SPDX-License-Identifier: MIT */
/* Which clock, how fast it runs, how fine and how sure it is, what reading it costs. */
#define RT_CLOCK_INLINE /* what it costs is measured here */
#include <stdlib.h>

#include "runtime/base/clock.h"

#define CALIBRATE_NS 300000u

/* A site whose timed calls take less than this on average is sampled. */
#define BACKOFF_NS 1000u

#define REVIEW_CALLS 64u   /* timed calls between two looks at a period; a power of two */
#define REVIEW_FIXED 1024u /* ... that was fixed: for counters only */
#define STEPS        256u
#define STEP_MAX     256u
#define PAIRS_MAX    16u

/* The clock and CLOCK_MONOTONIC_RAW at one instant, known to @width ticks. */
struct clock_pair {
	uint64_t ticks, ns, width;
};

static struct {
	struct clock_pair pair[PAIRS_MAX]; /* over the run, to tell the rate at its end */
	uint64_t pair_due;                 /* ticks of the next */
	uint32_t n_pairs;
	uint32_t error_ppb;     /* of rt.tick_hz, as it was measured at the start */
	uint32_t quantum_ticks; /* step of the clock */
} run;

RT_COLD uint64_t rt_clock_ticks(void)
{
	return sys_clock(CLOCK_MONOTONIC);
}

uint64_t rt_clock_now(void)
{
	return rt_ticks();
}

/* The counter and the raw clock at one instant: the closest pair of a few. */
static struct clock_pair read_pair(void)
{
	struct clock_pair p = {.width = ~0ull};

	for (int i = 0; i < 5; i++) {
		uint64_t a = rt_ticks(), now = sys_clock(CLOCK_MONOTONIC_RAW), b = rt_ticks();

		if (b - a < p.width)
			p = (struct clock_pair){a + (b - a) / 2, now, b - a};
	}
	return p;
}

/* @a * @b / @c without 128 bits, which would call into libgcc; a little less sure if they are large. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
	while (a > ~0ull / b) {
		a >>= 1;
		c >>= 1;
	}
	return c ? a * b / c : 0;
}

/* Ticks per second. */
static uint64_t rate(uint64_t ticks, uint64_t ns)
{
	return scale(ticks, 1000000000u, ns);
}

static uint64_t measure_hz(void)
{
	struct clock_pair a = read_pair(), b;
	uint64_t now;

	do
		now = sys_clock(CLOCK_MONOTONIC_RAW);
	while (now - a.ns < CALIBRATE_NS);
	b = read_pair();
	if (b.ticks <= a.ticks)
		return 0;
	run.error_ppb = (uint32_t)scale(a.width + b.width, 1000000000u, b.ticks - a.ticks);
	return rate(b.ticks - a.ticks, b.ns - a.ns);
}

static bool use_counter(void)
{
	const char *ask = secure_getenv(PRS_ENV_CLOCK);

	return arch_tsc_invariant() && !(ask && ask[0] == 'g');
}

/* True if nearly all of the steps are multiples of @q, give or take a tick. */
static bool all_multiples(const uint64_t *step, uint32_t q)
{
	uint32_t n = 0, slack = q >= 8;

	for (uint32_t i = 0; i < STEPS; i++) {
		uint64_t rest = step[i] % q;

		n += rest <= slack || (slack && rest == q - 1);
	}
	return n >= STEPS - STEPS / 10;
}

/*
 * The step of the clock: the largest number that the times between readings
 * are multiples of, with pauses of all lengths in between.
 */
static uint32_t measure_quantum(void)
{
	uint64_t step[STEPS], last;

	for (uint32_t i = 0; i < STEPS; i++) {
		last = rt_ticks();
		for (uint32_t k = 0; k < i % 64; k++)
			rt_barrier();
		step[i] = rt_ticks() - last;
	}
	for (uint32_t q = STEP_MAX; q > 1; q--)
		if (all_multiples(step, q))
			return q;
	return 1;
}

void clock_choose(void)
{
	rt.tsc = use_counter();
	rt.tick_hz = rt.tsc ? measure_hz() : 0;
	if (rt.tick_hz < 1000000) {
		rt.tsc = 0;
		rt.tick_hz = 1000000000;
		run.error_ppb = 0;
	}
	run.quantum_ticks = measure_quantum();
	rt.backoff_ticks = rt.tick_hz / 1000 * BACKOFF_NS / 1000000;
	rt.review_mask = rt.period ? REVIEW_FIXED - 1 : REVIEW_CALLS - 1;
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
	struct clock_pair p = read_pair();

	h->checksum_kind = PRS_SUM_NONE;
	h->tsc_start = p.ticks;
	h->mono_start_ns = p.ns;
	run.pair[0] = p;
	rt_store(&run.n_pairs, 1);
	rt_store(&run.pair_due, p.ticks + rt.tick_hz / 50);
	h->clock_ticks = clock_cost();
	h->quantum_ticks = run.quantum_ticks;
	h->tsc_error_ppb = run.error_ppb;
	h->heartbeat_ns = h->mono_start_ns;
}

void clock_look(uint64_t now)
{
	uint64_t due = rt_load(&run.pair_due);
	uint32_t i;

	if (now < due || !rt.tsc)
		return;
	/* Twice as long until the next: whatever the run's length, the pairs are spread over it. */
	if (!__atomic_compare_exchange_n(&run.pair_due, &due, now + (now - run.pair[0].ticks), false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	i = rt_add(&run.n_pairs, 1);
	if (i < PAIRS_MAX)
		run.pair[i] = read_pair();
}

/* How far the pairs on the way lie off the line from the first to @end, and what reading them may add. */
static uint32_t line_error(const struct clock_pair *end)
{
	uint64_t span = end->ticks - run.pair[0].ticks, ns = end->ns - run.pair[0].ns, worst = 0, ppb;
	uint32_t n = rt_load(&run.n_pairs);

	for (uint32_t i = 1; i < n && i < PAIRS_MAX; i++) {
		uint64_t line = scale(run.pair[i].ns - run.pair[0].ns, span, ns);
		uint64_t at = run.pair[i].ticks - run.pair[0].ticks, off = at > line ? at - line : line - at;

		if (run.pair[i].ticks && off > worst)
			worst = off;
	}
	ppb = scale(worst + run.pair[0].width + end->width, 1000000000u, span);
	return ppb < ~0u ? (uint32_t)ppb : ~0u;
}

void clock_mark_end(struct prs_rec_header *h)
{
	struct clock_pair p = read_pair();

	h->mono_end_ns = p.ns;
	h->heartbeat_ns = p.ns;
	h->tsc_end = p.ticks;
	/* Over a longer run the two pairs tell the rate better than the start could. */
	if (p.ns - h->mono_start_ns > 20000000u && rt.tsc) {
		h->tsc_hz = rate(p.ticks - h->tsc_start, p.ns - h->mono_start_ns);
		h->tsc_error_ppb = line_error(&p);
	}
}
