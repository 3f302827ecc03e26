/* SPDX-License-Identifier: MIT */
/*
 * Which calls to time.  A site with n calls whose times spread by s, timed at
 * the rate q, adds n * s^2 / q to the variance of the time that is attributed,
 * and costs n * q pairs.  For a given cost the sum over all sites is least if q
 * is proportional to s (Neyman's allocation); times of calls spread about as
 * much as they last, so q = mean / threshold, and 1 from there on.  A caller is
 * never timed more seldom than what it calls, so that paths hang together.
 *
 * Amounts are ticks * PART, negative ones are owed.  A signal handler may look
 * while its thread is looking: then a few microseconds are earned twice.
 */
#include "runtime/base/lock.h"
#include "runtime/calls/budget.h"

#define PART             256
#define AIM              70 /* percent of the promise: under load probes took a third more than their prices */
#define GRANT_PAIRS      1000      /* timed pairs between two looks at the CPU time */
#define STEP_UP          4         /* the threshold rises at most so much at once, */
#define STEP_DOWN        2         /* ... and falls */
#define CLIMB            8         /* a period rises at most so much: later calls may last longer */
#define FIRST_GUESS      64u       /* first period of a site that another thread found short */
#define THRESHOLD_MAX_US 1000u     /* calls that last longer are all timed */
#define KEPT_NS          100000000 /* the earnings of so long are kept for later */
#define STALE_NS         20000000  /* after so long each site shows one call at least */
#define IN_DEBT          4         /* ... times so much while the thread owes */
#define LOOK_US          2000      /* at least so often the CPU time is looked at, while calls are timed */
#define RECORD_NS        1200u     /* what it takes to make a record, */
#define THREAD_NS        20000u    /* ... to begin a thread */
#define LOOK_NS_MAX      4000000000u
#define HINTS            65536u
#define LOG_PARTS        4  /* an entry of the block log may cost this part of the promise */
#define BURST            8  /* sampled calls are timed so many in a row: only the first meets cold code */
#define LEAP             64 /* the mean rises at most so much at once, */
#define TRUST            8  /* ... and for calls that were not timed it counts as so much at most */
#define SURPRISE         16 /* a burst that raises the mean so much is followed by another one */
#define MEAN_MAX         (1ll << 31)
#define GAP_MAX          60000u /* more calls than a reload goes to */
#define REFRESH_SLOTS    4096u  /* that are looked at in one go */
#define SLOT_TICKS       4

/*
 * What depends on the code round the probe cannot be measured here, it comes
 * from real programs (make bench-budget), in reads of the clock: a call that is
 * only counted takes half a cycle more than one whose probe is at rest.
 */
#define COUNT_PER_MILLE 18
#define COLD_FIRST      2  /* pairs that a sampled one costs before that is known */
#define COLD_MAX        16 /* ... at most: what takes longer was interrupted */

struct rt_prices budget_prices;

static struct {
	uint32_t asked;                    /* ppm that the environment asks for */
	uint64_t threshold, threshold_max; /* ticks: where a thread begins */
	uint64_t start_ns;                 /* CPU time that the start of the runtime took */
	uint64_t paid, ran_ns;             /* by threads that ended: ticks, CPU time */
	uint8_t *hints;                    /* by site number: 1 + log2 of the period that a thread found */
} budget;

/* ---- prices ---------------------------------------------------------------------- */

/* Ticks that reading a thread's CPU time takes, at best. */
static uint64_t price_of_look(void)
{
	uint64_t best = ~0ull;

	for (int i = 0; i < 8; i++) {
		uint64_t begin = rt_ticks(), end;

		sys_cpu_ns();
		end = rt_ticks();
		if (end - begin < best)
			best = end - begin;
	}
	return best;
}

void budget_ask(uint32_t ppm)
{
	budget.asked = ppm;
	budget.start_ns = ppm ? sys_cpu_ns() : 0;
}

static void setup(void)
{
	struct rt_prices *p = &budget_prices;
	int64_t read = (int64_t)rt.header->clock_ticks * PART;

	if (!rt.period && rt.purpose == PRS_PURPOSE_TIMING)
		budget.hints = sys_anon(HINTS);
	if (!budget.hints) {
		budget.asked = 0;
		return;
	}
	p->pair = (int64_t)rt.pair_ticks * PART;
	if (p->pair < 2 * read)
		p->pair = 2 * read;
	p->pair += p->pair / 8; /* looking at the record now and then */
	p->count = read * COUNT_PER_MILLE / 1000;
	p->log = 2 * (int64_t)price_of_look() * PART; /* and the entry itself */
	p->per_ns = ((rt.tick_hz * PART / 1000000 * budget.asked) << 20) / 100000000000 * AIM;
	p->look_ticks = rt.tick_hz / 1000000 * LOOK_US;
	budget.threshold_max = rt.tick_hz / 1000000 * THRESHOLD_MAX_US;
	budget.threshold = (uint64_t)p->pair / PART * 4000000 / budget.asked;
	if (budget.threshold > budget.threshold_max)
		budget.threshold = budget.threshold_max;
	/* What the start took; a late one is another thread's doing. */
	budget.start_ns = rt.state == RT_UNKNOWN ? sys_cpu_ns() - budget.start_ns : 0;
	rt.review_mask = BUDGET_LEARN - 1;
	rt.budget_ppm = budget.asked;
}

/* Calls that are logged last long enough for an entry to cost a quarter of what they earn at most. */
static void thin_log(struct prs_rec_header *h)
{
	uint64_t least = (uint64_t)budget_prices.log / PART * LOG_PARTS * 1000000 / rt.budget_ppm;

	if (rt.block_ticks < least)
		h->block_ticks = rt.block_ticks = least;
}

void budget_start(struct prs_rec_header *h)
{
	if (budget.asked && !rt.budget_ppm)
		setup();
	h->budget_ppm = rt.budget_ppm;
	budget.paid = budget.ran_ns = 0;
	if (rt.budget_ppm)
		thin_log(h);
}

/* What a thread may spend for @ns of CPU time. */
static __attribute__((noinline)) int64_t income(uint64_t ns)
{
	if (ns > LOOK_NS_MAX)
		ns = LOOK_NS_MAX;
	return (int64_t)(ns * budget_prices.per_ns >> 20);
}

/* ---- the thread's threshold ---------------------------------------------------------- */

static __attribute__((noinline)) int64_t within(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static void charge(uint64_t *amount, int64_t price)
{
	local_add64(amount, (uint64_t)price);
}

static int64_t budget_take(uint64_t *amount)
{
	int64_t all = (int64_t)*amount;

	charge(amount, -all);
	return all;
}

/* @allowed and @timed: what may go and what went into times since the last look. */
static void move_threshold(struct rt_budget *b, int64_t allowed, int64_t timed)
{
	uint64_t low = b->threshold / STEP_DOWN, high = b->threshold * STEP_UP, v;

	if (allowed <= timed / STEP_UP)
		v = high;
	else
		v = b->threshold * (uint64_t)timed / (uint64_t)allowed;
	v = v < low ? low : v > high ? high : v;
	b->threshold = v < 1 ? 1 : v > budget.threshold_max ? budget.threshold_max : v;
	/* Where the next thread begins; written seldom, since all threads read it. */
	v = rt_load(&budget.threshold);
	if (b->threshold > 2 * v || 2 * b->threshold < v)
		rt_store(&budget.threshold, b->threshold);
}

/* Amount of @ns of the CPU. */
static __attribute__((noinline)) int64_t amount_of(uint64_t ns)
{
	return (int64_t)(ns / 1000 * (rt.tick_hz / 1000000) * PART);
}

static void budget_look(struct rt_thread *t)
{
	struct rt_budget *b = &t->budget;
	uint64_t cpu = sys_cpu_ns(), ns = cpu > b->cpu_ns ? cpu - b->cpu_ns : 0;
	int64_t earned = income(ns), spent, timed, counted, allowed;

	charge(&b->spent, budget_prices.log);
	spent = budget_take(&b->spent);
	timed = budget_take(&b->timed);
	counted = budget_take(&b->counted);
	b->cpu_ns = cpu;
	b->total += spent + timed + counted;
	b->saved = within(b->saved + earned - spent - timed - counted, INT64_MIN, income(KEPT_NS));
	/* Debts are paid from half of what comes in, so that something is always seen. */
	allowed = earned + within(b->saved, -earned / 2, earned) - counted;
	move_threshold(b, allowed, timed);
}

/*
 * A site that was called much and briefly may be called little and long now:
 * its next call is timed.  The calls that the last reload paid for are taken
 * back.  Under the lock, since an object that goes away takes its slots along.
 */
static void refresh_slot(struct prs_slot *slot)
{
	uint32_t left = (uint32_t)slot->left, at = slot->record;
	struct prs_call *r;

	if (!at || slot->left <= 0)
		return;
	do {
		r = rt_call_record(at);
		at = (uint32_t)(r->next / 64);
	} while (at && r->count < left);
	if (r->count < left)
		return;
	local_add32((uint32_t *)&slot->left, -left);
	local_add64(&r->count, -(uint64_t)left);
}

static void refresh(struct rt_thread *t)
{
	struct prs_slot *first = (struct prs_slot *)(t->block + 1);
	uint32_t n = (rt.slots_end - (uint32_t)sizeof(*t->block)) / (uint32_t)sizeof(*first);
	uint32_t at = t->budget.refreshed, end = n - at < REFRESH_SLOTS ? n : at + REFRESH_SLOTS;

	charge(&t->budget.spent, (int64_t)(end - at) * SLOT_TICKS * PART);
	for (; at < end; at++)
		refresh_slot(&first[at]);
	t->budget.refreshed = at < n ? at : 0;
}

/*
 * Some slots at each look; a round ends when all had their turn.  Nobody waits
 * for the lock: a handler of fork() may run probes while its thread holds it.
 */
static void refresh_some(struct rt_thread *t)
{
	struct rt_budget *b = &t->budget;
	uint64_t stale = b->saved < 0 ? IN_DEBT * STALE_NS : STALE_NS, old;

	if (!b->refreshed && b->cpu_ns - b->round_ns < stale)
		return;
	if (!rt_try_lock(&old))
		return;
	if (!b->refreshed)
		b->round_ns = b->cpu_ns;
	refresh(t);
	rt_unlock(&old);
}

/* @now may be an earlier time; then only what was spent leads to a look. */
static void pay(struct rt_thread *t, int64_t timed, int64_t counted, uint64_t now)
{
	struct rt_budget *b = &t->budget;

	charge(&b->timed, timed);
	charge(&b->counted, counted);
	if ((int64_t)(b->timed + b->counted) < GRANT_PAIRS * budget_prices.pair &&
	    (int64_t)(now - b->looked) < budget_prices.look_ticks)
		return;
	b->looked = now;
	budget_look(t);
	refresh_some(t);
}

void budget_begin(struct rt_thread *t, uint64_t cpu_ns)
{
	int64_t start = 0;

	if (rt.budget_ppm && !t->index)
		start = amount_of(budget.start_ns);
	else if (rt.budget_ppm)
		start = amount_of(THREAD_NS);
	t->budget = (struct rt_budget){
		.cpu_ns = cpu_ns,
		.from_ns = cpu_ns,
		.round_ns = cpu_ns,
		.threshold = rt_load(&budget.threshold),
		.cold = COLD_FIRST * budget_prices.pair,
		.costly = COLD_FIRST * budget_prices.pair,
		.saved = -start,
		.total = start,
	};
}

static uint64_t total_ticks(const struct rt_budget *b)
{
	return ((uint64_t)b->total + b->spent + b->timed + b->counted) / PART;
}

void budget_end(struct rt_thread *t, uint64_t cpu_ns)
{
	rt_add(&budget.paid, total_ticks(&t->budget));
	rt_add(&budget.ran_ns, cpu_ns > t->budget.from_ns ? cpu_ns - t->budget.from_ns : 0);
}

/* Millionths of @ns that @ticks are; of more than some minutes without the last digits. */
static uint32_t share_of(uint64_t ticks, uint64_t ns)
{
	uint64_t of = ns / 1000 * (rt.tick_hz / 1000000);

	if (!of)
		return 0;
	return (uint32_t)(of >> 40 ? ticks / (of / 1000000) : ticks * 1000000 / of);
}

void budget_close(struct prs_rec_header *h)
{
	uint64_t paid = budget.paid, ran = budget.ran_ns;

	for (struct rt_thread *t = rt.all; t && rt.budget_ppm; t = t->all_next) {
		const struct rt_budget *b = &t->budget;

		if (!rt_acquire(&t->live))
			continue;
		paid += total_ticks(b);
		ran += t->entry->cpu_end_ns > b->from_ns ? t->entry->cpu_end_ns - b->from_ns : 0;
	}
	h->budget_measured_ppm = share_of(paid, ran);
}

/* ---- the record's period -------------------------------------------------------------- */

static unsigned log2_of(uint64_t v)
{
	return 63 - (unsigned)__builtin_clzll(v | 1);
}

/*
 * The records of a slot share one period, so that it does not matter which of
 * them triggers a reload, and what was found of their mean.
 */
static void set_period(const struct prs_slot *slot, uint32_t period, uint32_t mean)
{
	uint32_t number = rt_call_record(slot->record)->site;
	uint8_t *hint = &budget.hints[number % HINTS], found = (uint8_t)(log2_of(period) + 1);

	for (uint64_t at = slot->record; at; at = rt_call_record((uint32_t)at)->next / 64) {
		struct prs_call *r = rt_call_record((uint32_t)at);

		r->period = period;
		r->mean = mean;
	}
	if (found > rt_load(hint) + 1 || found + 1 < rt_load(hint)) /* threads share it: not for little */
		rt_store(hint, found);
}

uint32_t budget_first(const struct prs_call *head, uint32_t number)
{
	uint32_t hint = rt_load(&budget.hints[number % HINTS]), period = hint ? 1u << (hint - 1) : 1;

	charge(&rt_self->budget.spent, amount_of(RECORD_NS));
	if (head)
		period = head->period;
	else if (period > FIRST_GUESS)
		period = FIRST_GUESS;
	return period;
}

/* Calls that were not timed since the last time; one may be on its way into its record. */
static uint32_t take_untimed(struct prs_call *r)
{
	uint16_t n = (uint16_t)(r->count - r->timed - r->seen_untimed);

	if (n > GAP_MAX)
		return 0;
	r->seen_untimed += n;
	return n;
}

/*
 * Take the calls timed since the last time into the record's mean, and let them
 * speak for those that were not; how many.  A call that was interrupted must
 * not be multiplied by all those that were not.
 */
static uint32_t learn(struct prs_call *r)
{
	uint16_t n = (uint16_t)(r->timed - r->seen_timed);
	uint64_t sum = r->sum - r->seen_sum, mean;

	if (!n)
		return 0;
	r->seen_timed += n;
	r->seen_sum += sum;
	mean = sum / n;
	mean = mean > rt.own_ticks ? mean - rt.own_ticks : 1;
	if (!r->mean)
		r->mean = (uint32_t)within((int64_t)mean, 1, MEAN_MAX);
	mean = (uint64_t)within((int64_t)mean, 1, LEAP * (int64_t)r->mean);
	r->untimed_ticks += (uint64_t)within((int64_t)mean, 1, TRUST * (int64_t)r->mean) * take_untimed(r);
	r->mean = (uint32_t)within(((int64_t)r->mean + (int64_t)mean) / 2, 1, MEAN_MAX);
	return n;
}

static bool is_one_of_many(const struct prs_slot *slot, const struct prs_call *r)
{
	return r->next || rt_call_record(slot->record) != r;
}

/*
 * Mean of the slot's timed calls.  Were the period chosen by the record at hand, the
 * gap after a long callee would be shorter than that after a short one, and it is the
 * record at hand that a gap is charged to: who takes long would be counted too seldom.
 */
static uint64_t slot_mean(const struct prs_slot *slot, const struct prs_call *r)
{
	uint64_t sum = 0, n = 0;

	if (!is_one_of_many(slot, r))
		return r->mean;
	for (uint64_t at = slot->record; at; at = rt_call_record((uint32_t)at)->next / 64) {
		const struct prs_call *x = rt_call_record((uint32_t)at);
		uint64_t timed = x->mean ? x->timed : 0;

		sum += timed * x->mean;
		n += timed;
	}
	return n ? sum / n : r->mean;
}

static void budget_choose(const struct rt_budget *b, const struct prs_slot *slot, const struct prs_call *r)
{
	uint64_t mean = slot_mean(slot, r), period = r->period, ratio = b->threshold / (mean ? mean : 1);

	if (r->flags & PRS_CALL_PINNED || (ratio < 2 * period && 4 * ratio >= 3 * period))
		return;
	if (ratio > CLIMB * period)
		ratio = CLIMB * period;
	period = 1ull << log2_of(ratio);
	if (period > PRS_PERIOD_COUNT)
		period = PRS_PERIOD_COUNT;
	if (period != r->period)
		set_period(slot, (uint32_t)period, (uint32_t)mean);
}

/*
 * What a pair costs in the midst of the program: what this leave took from its
 * reading of the clock on, as much for the enter, and as much for what the
 * program finds gone from its caches afterwards.
 */
static void price(int64_t *of, uint64_t now)
{
	int64_t seen = 3 * (int64_t)(rt_ticks() - now) * PART;

	*of += (within(seen, budget_prices.pair, COLD_MAX * budget_prices.pair) - *of) / 16;
}

void budget_review(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r, uint64_t now)
{
	struct rt_budget *b = &t->budget;

	if (r->period > 1) {
		if (r->timed % BURST == 0 && !is_one_of_many(slot, r))
			price(&b->cold, now);
		pay(t, 0, 0, now);
		return;
	}
	price(&b->costly, now);
	pay(t, (int64_t)learn(r) * b->costly, 0, now);
	budget_choose(b, slot, r);
}

/*
 * Is the next call timed, too?  Where a slot has several records the end of a burst
 * must not depend on which of them is at hand: a burst has BURST calls in the mean.
 */
static bool burst_goes_on(struct rt_thread *t, const struct prs_slot *slot, const struct prs_call *r)
{
	if (!is_one_of_many(slot, r))
		return r->timed % BURST != BURST - 1;
	t->random = t->random * 1664525u + 1013904223u;
	return (t->random >> 16) % BURST != 0;
}

/*
 * Calls that last much longer than before are looked at again at once: either they
 * are long now, and the gap would hide them, or one was interrupted, and it shows.
 */
RT_COLD uint32_t budget_reload(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r)
{
	uint64_t before = r->mean;

	if (burst_goes_on(t, slot, r)) {
		pay(t, budget_prices.pair * 3 / 2, 0, t->budget.looked); /* warm, but not as in a loop */
		return 1;
	}
	learn(r);
	pay(t, t->budget.cold, (int64_t)r->period * BURST * budget_prices.count, t->budget.looked);
	budget_choose(&t->budget, slot, r);
	if (before && r->mean > SURPRISE * before)
		return 1;
	return r->period == 1 ? 1 : BURST * r->period;
}

void budget_too_deep(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r)
{
	pay(t, budget_prices.pair, 0, t->budget.looked);
	if (r->period < FIRST_GUESS && !(r->flags & PRS_CALL_PINNED))
		set_period(slot, FIRST_GUESS, r->mean);
}
