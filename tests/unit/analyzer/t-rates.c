/* SPDX-License-Identifier: MIT */
/* Between what bounds the number of accesses lies, and how waits and long absence count. */
#include "fake.h"

#include "analyzer/lines/evidence.h"
#include "analyzer/lines/kept.h"
#include "analyzer/sharing/sharing.h"

static struct fake *two_threads(void)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);

	f->header.mem_ticks = 10;
	fake_main(f, 1);
	fake_create(f, 0, 0, 5, 1005, 1000, 1);
	fake_create(f, 0, 1, 5, 1005, 1000, 1);
	return f;
}

/* A line that windows saw @gap ns apart, from 5 to 1005 ms. */
static struct prs_line *windowed(struct fake *f, uint32_t thread, uint64_t at, double gap)
{
	struct prs_line *l = fake_line(f, thread, thread == 1 ? MEM_RX : MEM_TX, at, 0, 1000, 3 - thread);

	l->recorded = l->misses;
	l->gaps = 500;
	l->gap_ticks = (uint64_t)(500 * (gap + 10));
	return l;
}

/* Windows saw it @watched times, and began @begun times before that. */
static void seen(struct prs_line *l, uint64_t watched, uint32_t begun)
{
	l->watched = watched;
	l->begun = begun;
	l->gaps = watched - begun;
	l->gap_ticks = l->gaps * 50;
}

/* @thread waited @count times, @ns together, all the time that it was at its lines. */
static void waits(struct fake *f, uint32_t thread, struct prs_wait *w, uint64_t count, double ns)
{
	*w = (struct prs_wait){.kind = PRS_EV_SLEEP, .count = count, .ticks = (uint64_t)ns};
	w->first = f->raw[thread].start_tsc;
	w->last = f->raw[thread].end_tsc;
	f->thread[thread].waits = w;
	f->thread[thread].n_waits = 1;
}

static struct line_use filled(struct fake *f, const struct prs_line *l, const struct line_pace *pace)
{
	struct line_use u = {.raw = l, .thread = 1};

	evidence_pool(&u, 1);
	evidence_fill(&u, 1, &f->p, pace);
	return u;
}

static const struct line_pace plain = {.time = 1, .work = 1, .cpu_ns = 1e9, .run_ns = 1e9, .cycle_ns = 1};

static bool near(double x, double want)
{
	return x > 0.95 * want && x < 1.05 * want;
}

/* What it waits is no time at the line, whatever CPU time its waits take. */
static void who_sleeps_makes_no_accesses(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 400);
	struct prs_wait w;
	double awake;

	(void)state;
	l->misses = l->recorded = 10;
	awake = filled(f, l, &plain).accesses;
	waits(f, 1, &w, 10, 0.9e9);
	assert_true(near(filled(f, l, &plain).accesses, awake / 10));
	/* Its twin holds what it takes: that is no wait. */
	w.flags = PRS_WAIT_TAKEN;
	assert_true(near(filled(f, l, &plain).accesses, awake));
	fake_free(f);
}

/* Windows saw 20 waits and 242 accesses, and 4 visits in part: 11 to each visit, and one to each wait. */
static void accesses_to_a_wait_are_counted(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 40);
	struct prs_wait w;

	(void)state;
	seen(l, 242, 4);
	l->waits = 20;
	waits(f, 1, &w, 5000, 0.9e9);
	assert_true(near(filled(f, l, &plain).accesses, 55000));
	assert_int_equal(filled(f, l, &plain).how, EVIDENCE_WINDOW);
	assert_true(filled(f, l, &plain).low < 50000 && filled(f, l, &plain).high < 1e5);
	/* Its twin waits seldom: its time says more. */
	seen(l, 4 * 500, 4);
	l->waits = 0;
	w.count = 5;
	assert_true(filled(f, l, &plain).accesses > 1e6);
	fake_free(f);
}

/* All windows were used up before the thread slept: as many accesses to a wait, up to its time awake. */
static void long_visits_between_waits_open_the_interval(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 40);
	struct line_use u;
	struct prs_wait w;

	(void)state;
	seen(l, 10 * 500, 10);
	waits(f, 1, &w, 5000, 0.9e9);
	u = filled(f, l, &plain);
	assert_true(u.low < 5000.0 * 500 && u.high > 5000.0 * 500);
	assert_true(u.accesses < u.high && u.accesses > u.low);
	fake_free(f);
}

/* Windows that saw a thread 20 times each do not show that it stays there: once for each miss, at the least. */
static void short_visits_open_the_interval(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 40);
	struct line_use u;

	(void)state;
	seen(l, 10 * 20, 10);
	u = filled(f, l, &plain);
	assert_true(u.low < 1000 * 20 && u.high > 1e7);
	/* Its twin uses its windows up. */
	seen(l, 10 * 500, 10);
	u = filled(f, l, &plain);
	assert_true(u.low > 1e7);
	fake_free(f);
}

/* Ten visits of 50 accesses, and a millisecond of other work between them. */
static void who_works_elsewhere_makes_no_accesses(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 40);

	(void)state;
	l->away = 10;
	l->away_ticks = 10 * MS;
	assert_true(near(filled(f, l, &plain).accesses, 50000));
	/* Its twin was held up once, by something that is not its own. */
	l->away = 1;
	l->away_ticks = MS;
	assert_true(filled(f, l, &plain).accesses > 1e7);
	fake_free(f);
}

static void no_bound_is_an_estimate(void **state)
{
	struct line_pace busy = plain;
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 40);
	struct line_use u = filled(f, l, &plain);

	(void)state;
	assert_true(u.low < u.accesses && u.accesses < u.high);
	assert_true(u.high <= 1e9);
	/* Nothing but transfers: each that was recorded is one, though it is taken for 50. */
	busy.misses = 1e6;
	l->gaps = l->gap_ticks = l->watched = 0;
	l->misses = 100000;
	l->recorded = 2000;
	u = filled(f, l, &busy);
	assert_int_equal(u.how, EVIDENCE_SEEN);
	assert_true(near(u.low, 2000) && u.high >= u.accesses);
	/* ... of old records it is known of the first only. */
	l->recorded = 0;
	u = filled(f, l, &busy);
	assert_true(u.low <= 100000 / 100);
	busy.misses = l->misses = 1000;
	u = filled(f, l, &busy);
	assert_true(near(u.low, 1000));
	fake_free(f);
}

/* Before the first transfer and after the last one nobody else comes, and nobody sees the thread there. */
static void before_and_after_count_above(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 40);
	struct line_use all = filled(f, l, &plain), part;

	(void)state;
	l->last = l->first + (l->last - l->first) / 10;
	part = filled(f, l, &plain);
	assert_true(near(part.accesses, all.accesses / 10));
	assert_true(part.high > 0.9 * all.accesses);
	fake_free(f);
}

/* One place in two threads that work alike cannot come at two rates: both may be. */
static void rates_that_contradict_each_other_span_both(void **state)
{
	struct fake *f = two_threads();
	struct sharing_opts opts = {.platform = NULL};
	struct prs_line *l[2] = {windowed(f, 1, ADDR_STATS, 400), windowed(f, 2, ADDR_STATS + 8, 20)};
	struct sharing_report rep;
	struct err err = ERR_INIT;
	const struct sharing_pair *p;

	(void)state;
	l[1]->site = MEM_RX;
	for (int i = 0; i < 2; i++)
		l[i]->misses = l[i]->recorded = l[i]->from_modified = 100;
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	p = &rep.findings[0].pairs[0];
	assert_false(p->a.at_least || p->b.at_least);
	assert_true(2 * p->a.per_s < p->b.per_s);
	assert_true(p->a.per_s_high >= p->b.per_s && p->b.per_s_low <= p->a.per_s);
	sharing_release(&rep);
	fake_free(f);
}

/*
 * A thread that ran for half of the time, 5 us from access to access as it waits for the clock: it may have
 * been there as often as if it had run all the time.
 */
static void who_was_kept_from_its_core_may_have_made_up_for_it(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 5000);
	struct line_pace half = plain;
	struct line_use u, all;

	(void)state;
	l->misses = l->recorded = 100;
	all = filled(f, l, &plain);
	half.cpu_ns = half.run_ns = 0.5e9;
	half.spins = true;
	u = filled(f, l, &half);
	assert_true(near(u.accesses, all.accesses / 2));
	assert_true(u.high >= all.high / 1.05);
	/* Its twin never asks the time: it works for 5 us, and what it missed it cannot make up for. */
	half.spins = false;
	u = filled(f, l, &half);
	assert_true(u.high < 0.6 * all.high);
	fake_free(f);
}

/* A tenth of 1000 transfers was recorded, the others stand for rests of the line; nine tenths of them it slept. */
static void transfers_of_a_rest_are_those_of_who_is_awake(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l[2] = {windowed(f, 1, ADDR_STATS, 400), windowed(f, 2, ADDR_STATS + 8, 400)};
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;
	struct prs_wait w[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		l[i]->misses = l[i]->from_modified = 1000;
		l[i]->recorded = 100;
		waits(f, i + 1, &w[i], 1000, 0.9e9);
	}
	assert_int_equal(sharing_make(&rep, &f->run, &opts, &err), 0);
	assert_int_equal(rep.n, 1);
	assert_true(near((double)rep.findings[0].transfers, 2 * (100 + 0.1 * 900)));
	sharing_release(&rep);
	/* Its twin is awake. */
	f->thread[1].n_waits = f->thread[2].n_waits = 0;
	assert_int_equal(sharing_make(&rep, &f->run, &opts, &err), 0);
	assert_int_equal(rep.findings[0].transfers, 2000);
	sharing_release(&rep);
	fake_free(f);
}

static struct line_pace paced(const struct fake *f)
{
	struct line_pace pace = plain;

	kept_pace(&pace, &f->p, 1);
	return pace;
}

/* Nine sleeps of 1 ms, and one of 11 in which it had no core: 10 of 20 ms are late. */
static void what_it_slept_too_long_was_no_wait(void **state)
{
	struct fake *f = two_threads();

	(void)state;
	for (uint64_t i = 0; i < 9; i++)
		fake_event(f, 1, PRS_EV_SLEEP, 10 + 5 * i, 11 + 5 * i, 1, CALL_CREATE, 1);
	assert_true(paced(f).late <= 0 && !paced(f).cut);
	fake_event(f, 1, PRS_EV_SLEEP, 100, 111, 1, CALL_CREATE, 1);
	assert_true(near(paced(f).late, 0.5) && !paced(f).cut);
	/* Then it sleeps for what is left to the next tick. */
	fake_event(f, 1, PRS_EV_SLEEP, 112, 112, 1, CALL_CREATE, 1)->end += MS / 5;
	assert_false(paced(f).cut); /* all accesses are looked at: also those that make up for it */
	f->header.sharing_mode = PRS_SHARING_RATE;
	assert_true(paced(f).cut);
	/* Its twin waits for another thread, which may take as long. */
	f->thread[1].n_events = 0;
	for (uint64_t i = 0; i < 10; i++)
		fake_event(f, 1, PRS_EV_SEM, 20 * i, 20 * i + (i < 9 ? 1 : 11), 1, CALL_CREATE, 1);
	assert_true(paced(f).late <= 0 && !paced(f).cut);
	fake_free(f);
}

/* Visits are counted by waits; half of its sleep it had no core for, and it ends at set times. */
static void late_ticks_open_what_waits_count(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 40);
	struct line_pace late = plain;
	struct prs_wait w;
	double high;

	(void)state;
	seen(l, 242, 4);
	l->waits = 20;
	waits(f, 1, &w, 5000, 0.9e9);
	high = filled(f, l, &plain).high;
	late.late = 0.5;
	assert_true(near(filled(f, l, &late).high, high));
	late.cut = true;
	assert_true(filled(f, l, &late).high > 1.2 * high && filled(f, l, &late).high < 2 * high);
	fake_free(f);
}

static void say(double per_s, double low, double high, bool at_least, const char *text)
{
	struct sharing_side s = {.per_s = per_s, .per_s_low = low, .per_s_high = high, .at_least = at_least};
	struct strbuf sb = STRBUF_INIT;

	sharing_rate_text(&sb, &s, "/s");
	assert_string_equal(sb.s, text);
	strbuf_release(&sb);
}

/* Windows that are used up in one stage say nothing of the others; rounds of a loop are alike. */
static void stages_at_one_place_open_the_interval(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, ADDR_STATS, 400);
	struct run_thread *t = &f->thread[1], were = *t;
	struct prs_event events[16] = {0};
	struct line_use whole, staged;

	(void)state;
	whole = filled(f, l, &plain);
	for (size_t i = 0; i < 16; i++)
		events[i] = (struct prs_event){.kind = PRS_EV_BARRIER,
					       .begin = l->first + (i + 1) * 1000000,
					       .end = l->first + (i + 1) * 1000000};
	t->events = events;
	t->n_events = 3;
	staged = filled(f, l, &plain);
	assert_true(near(staged.accesses, whole.accesses) && near(staged.low, whole.low));
	assert_true(whole.high < 2 * whole.accesses && staged.high > 50 * whole.accesses);
	t->n_events = 16;
	assert_true(near(filled(f, l, &plain).high, whole.high));
	/* A short wait hands something over, and what lies before or behind the use is no stage of it. */
	t->n_events = 1;
	events[0].kind = PRS_EV_COND;
	assert_true(near(filled(f, l, &plain).high, whole.high));
	events[0].end += 5000000;
	assert_true(filled(f, l, &plain).high > 50 * whole.accesses);
	events[0].end = l->last;
	assert_true(near(filled(f, l, &plain).high, whole.high));
	*t = were;
	fake_free(f);
}

static void rates_are_told_as_well_as_they_are_known(void **state)
{
	(void)state;
	say(20000, 15000, 25000, false, "20.0 k/s");
	say(20000, 5000, 25000, false, "about 20.0 k/s (5.00 k to 25.0 k)");
	say(20000, 15000, 2.5e6, false, "about 20.0 k/s (15.0 k to 2.50 M)");
	say(20000, 15000, 25000, true, "at least 15.0 k/s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_sleeps_makes_no_accesses),
		cmocka_unit_test(accesses_to_a_wait_are_counted),
		cmocka_unit_test(long_visits_between_waits_open_the_interval),
		cmocka_unit_test(short_visits_open_the_interval),
		cmocka_unit_test(who_works_elsewhere_makes_no_accesses),
		cmocka_unit_test(no_bound_is_an_estimate),
		cmocka_unit_test(before_and_after_count_above),
		cmocka_unit_test(rates_that_contradict_each_other_span_both),
		cmocka_unit_test(who_was_kept_from_its_core_may_have_made_up_for_it),
		cmocka_unit_test(transfers_of_a_rest_are_those_of_who_is_awake),
		cmocka_unit_test(what_it_slept_too_long_was_no_wait),
		cmocka_unit_test(late_ticks_open_what_waits_count),
		cmocka_unit_test(stages_at_one_place_open_the_interval),
		cmocka_unit_test(rates_are_told_as_well_as_they_are_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
