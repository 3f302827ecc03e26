/* SPDX-License-Identifier: MIT */
/* How often threads use a line, from records without counters, and what that is said to cost. */
#include <math.h>

#include "fake.h"

#include "analyzer/lines/evidence.h"
#include "analyzer/sharing/sharing.h"

#define MOVES 2000000u

static struct fake *two_threads(void)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);

	f->header.minor = 2;
	f->header.mem_ticks = 10;
	fake_main(f, 1);
	fake_create(f, 0, 0, 5, 1005, 1000, 1);
	fake_create(f, 0, 1, 5, 1005, 1000, 1);
	return f;
}

/* A line that windows saw @gap ns apart, from 5 to 1005 ms. */
static struct prs_line *windowed(struct fake *f, uint32_t thread, uint32_t site, uint64_t at, double gap,
				 uint32_t peer)
{
	struct prs_line *l = fake_line(f, thread, site, at, 0, MOVES, peer);

	l->gaps = 500;
	l->gap_ticks = (uint64_t)(500 * (gap + 10));
	return l;
}

static struct line_use use_of(const struct prs_line *l)
{
	return (struct line_use){.raw = l, .thread = 1};
}

static const struct line_pace plain = {.time = 1, .work = 1, .cpu_ns = 1e9};
static const struct line_pace looks = {.time = 1, .work = 1, .cpu_ns = 1e9, .windows = true};

/* As for a whole process. */
static void fill(struct line_use *u, size_t n, const struct run_process *p, const struct line_pace *pace)
{
	evidence_pool(u, n);
	evidence_fill(u, n, p, pace);
}

static bool near(double x, double want)
{
	return x > 0.98 * want && x < 1.02 * want;
}

/* What an access takes in a run that disputes the line, of a gap that is seen: between two cores, two hardware threads. */
#define FAR(gap)     (1.8 * (gap) + 5.5)
#define NEAR_BY(gap) (1.1 * (gap) + 2.5)

static void windows_say_how_often(void **state)
{
	struct fake *f = two_threads();
	struct line_use u = use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2));

	(void)state;
	fill(&u, 1, &f->p, &plain);
	assert_int_equal(u.how, EVIDENCE_WINDOW);
	/* What the probe adds to each 40 ns is not the program's. */
	assert_true(near(u.accesses, 1e9 / FAR(40)));
	assert_true(near(u.visits, 1e9 / FAR(40)));
	assert_true(near(u.active_ns, 40e9 / FAR(40)));
	assert_true(u.by_span && !u.active_waits && !u.gap_waits);
	fake_free(f);
}

/*
 * A line that a thread uses from one place each 4 ns, and later from another each 40 us: the long gaps say
 * nothing of the first, whatever the windows saw more of.  What it did between is not known.
 */
static void stages_are_told_apart(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *fast = windowed(f, 1, MEM_RX, ADDR_STATS, 4, 2);
	struct prs_line *slow = windowed(f, 1, MEM_TX, ADDR_STATS, 40000, 2);
	struct line_use both[2], one;

	(void)state;
	fast->last = fast->first + (fast->last - fast->first) * 3 / 10;
	slow->first = fast->last + (slow->last - fast->last) / 7;
	slow->gaps = 5000;
	slow->gap_ticks = 5000ull * 40010;
	slow->misses = fast->misses = 1000;
	one = use_of(fast);
	fill(&one, 1, &f->p, &plain);
	both[0] = use_of(slow);
	both[1] = use_of(fast);
	fill(both, 2, &f->p, &plain);
	assert_true(near(both[1].accesses, one.accesses));
	assert_true(both[0].accesses < 1.02 * 0.6e9 / 40000);
	assert_true(both[0].accesses > 0.5 * 0.6e9 / 40000);
	/* The thread's time is that of both. */
	assert_true(both[0].active_ns == both[1].active_ns && both[0].active_ns > one.active_ns);
	/* The tenth between may be more of either. */
	assert_true(both[1].high < one.high && both[1].high > both[1].accesses * 4 / 3);
	/* At the same time they are one use: its slow part is most of the time. */
	slow->first = fast->first;
	both[0] = use_of(slow);
	both[1] = use_of(fast);
	fill(both, 2, &f->p, &plain);
	assert_true(both[1].accesses < one.accesses / 100);
	fake_free(f);
}

/* Half of its life without a core: half of any part of it is expected, none and all of it may be so. */
static void lack_of_a_core_may_be_anywhere(void **state)
{
	static const struct line_pace half = {.time = 1, .work = 1, .cpu_ns = 0.5e9};
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 4, 2);
	struct line_use u;
	double all;

	(void)state;
	l->misses = 1000;
	l->last = l->first + (l->last - l->first) * 3 / 10;
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	all = u.accesses;
	u = use_of(l);
	fill(&u, 1, &f->p, &half);
	assert_true(near(u.accesses, all / 2));
	assert_true(u.low <= 1000 && u.high > all);
	fake_free(f);
}

/* A thread that misses at other lines all the time comes here in the rest of it; that it may be all is in the bound. */
static void other_lines_take_time(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct line_use alone = use_of(l), half = use_of(l), none = use_of(l);

	(void)state;
	l->misses = 1000;
	half.others = 0.5e9 / 770;
	none.others = 2e9;
	fill(&alone, 1, &f->p, &plain);
	fill(&half, 1, &f->p, &plain);
	fill(&none, 1, &f->p, &plain);
	assert_true(near(half.accesses, alone.accesses / 2));
	assert_true(half.high > 0.98 * alone.high && half.low < 0.52 * alone.low);
	assert_true(none.accesses > 0 && none.accesses < 0.11 * alone.accesses);
	fake_free(f);
}

/* Seen once, away from the others: too little for a stage. */
static void one_sight_is_no_stage(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2), *seldom;
	struct line_use both[2];

	(void)state;
	seldom = fake_line(f, 1, MEM_TX, ADDR_STATS, 0, 1, 2);
	seldom->gaps = seldom->gap_ticks = seldom->watched = 0;
	seldom->misses = 1;
	l->first += (l->last - l->first) / 2;
	both[0] = use_of(l);
	both[1] = use_of(seldom);
	seldom->last = seldom->first;
	fill(both, 2, &f->p, &plain);
	assert_true(near(both[0].accesses, 1e9 / FAR(40)));
	fake_free(f);
}

/* At the end two sights, nearer to each other than to the stage before: both are of that one. */
static void what_is_too_small_goes_along_with_what_it_joins(void **state)
{
	struct fake *f = two_threads();
	struct line_use uses[4];
	uint64_t at;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct prs_line *l = windowed(f, 1, i % 2 ? MEM_TX : MEM_RX, ADDR_STATS, 40, 2);
		uint64_t part = (l->last - l->first) / 10;

		at = i ? at : l->first;
		l->first = at + (i < 2 ? i * 3 : i + 4) * part;
		l->last = l->first + (i < 2 ? part : 1);
		l->misses = i < 2 ? 1000 : 1;
		if (i >= 2)
			l->gaps = l->gap_ticks = l->watched = 0;
		if (i == 3)
			l->first = l->last = uses[2].raw->last + part / 2;
		uses[i] = use_of(l);
	}
	fill(uses, 4, &f->p, &plain);
	for (size_t i = 0; i < 4; i++) {
		assert_true(uses[i].active_ns == uses[0].active_ns && uses[i].visits == uses[0].visits);
		assert_true(uses[i].low <= uses[i].accesses && uses[i].accesses <= uses[i].high);
	}
	fake_free(f);
}

/*
 * Threads that met at the line for a part of the time only came to it more often in
 * the rest: an access there takes 0.4 ns more than its gap, in the dispute 10.
 */
static void most_accesses_are_made_while_nobody_else_comes(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 4, 2);
	struct line_use u;

	(void)state;
	l->gap_ticks = 500 * (6 + 10);
	l->misses = (uint64_t)(0.5e9 / 770);
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.accesses, 0.5e9 / FAR(6) + 0.5e9 / 6.4));
	assert_true(near(u.active_ns, 6 * u.accesses));
	fake_free(f);
}

/* Short visits with long absences: each begins with a miss, and windows saw how many accesses it has. */
static void who_goes_away_comes_once_for_each_miss(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 900, 2);
	struct line_use u;

	(void)state;
	l->misses = 100;
	l->watched = 4 * 17;
	l->gaps = 4 * 14;
	l->gap_ticks = l->gaps * (900 + 10);
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.accesses, 100 * 17));
	assert_true(u.wide >= 3 && u.wide_short >= 3);
	/* One window that the other thread began. */
	l->watched = 16;
	l->gaps = 15;
	l->gap_ticks = l->gaps * (900 + 10);
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.accesses, 100 * 16));
	/* Its twin stays: windows are used up. */
	l->watched = 4 * 512;
	l->gaps = 4 * 510;
	l->gap_ticks = l->gaps * (900 + 10);
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(u.accesses > 500000);
	fake_free(f);
}

/* A rare use with which windows began does not say that the loop beside it came seldom. */
static void beginnings_of_windows_are_no_long_gaps(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct prs_line *rare = windowed(f, 1, MEM_TX, ADDR_STATS, 0, 2);
	struct line_use u[2];

	(void)state;
	l->misses = rare->misses = 20;
	l->watched = 5120;
	l->gaps = 5110;
	l->gap_ticks = l->gaps * (40 + 10);
	rare->watched = 15;
	rare->gaps = rare->gap_ticks = 0;
	u[0] = use_of(l);
	u[1] = use_of(rare);
	fill(u, 2, &f->p, &plain);
	assert_true(u[0].accesses > 1e7 && u[1].accesses < 100);
	/* Its twin: few accesses, and most of them after a long gap, as of a lock taken now and then. */
	l->watched = l->gaps = 20;
	l->gap_ticks = l->gaps * (40 + 10);
	u[0] = use_of(l);
	u[1] = use_of(rare);
	fill(u, 2, &f->p, &plain);
	assert_true(u[0].accesses < 1e5);
	fake_free(f);
}

/* Gaps of a tight loop are hidden by our own code: a locked access takes what the recorder measured. */
static void locked_accesses_take_what_was_measured(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 0, 2);
	struct line_pace measured = plain, slower = plain;
	struct line_use u = use_of(l);

	(void)state;
	l->kind = PRS_KIND_ATOMIC;
	l->misses = 0;
	l->gap_own = 16 * 13;
	measured.locked_ns = 2.2;
	slower.locked_ns = 5;
	u = use_of(l);
	fill(&u, 1, &f->p, &measured);
	assert_true(near(u.active_ns / u.visits, 2.2));
	u = use_of(l);
	fill(&u, 1, &f->p, &slower);
	assert_true(near(u.active_ns / u.visits, 5));
	assert_true(near(u.wide_short, 1.25));
	fake_free(f);
}

/* The line's travel lies in the gaps, but not in those that found it at hand. */
static void own_gaps_are_free_of_the_travel(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 190, 2);
	struct line_use u = use_of(l);

	(void)state;
	l->gap_own = 16 * (13 + 40); /* ticks; the probe's own part is 1.3 x mem_ticks */
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.active_ns / u.visits, 40));
	/* Longer than any travel: now and then the work takes longer. */
	l->gap_ticks = 500 * (2300 + 10);
	l->misses = 1000;
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.active_ns / u.visits, 2000));
	fake_free(f);
}

/*
 * A lock taken now and then: its release follows at once, but the gap to the next
 * time is too long to be measured.  What is short says nothing of how often.
 */
static void gaps_too_long_to_measure_count(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *take = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct prs_line *release = windowed(f, 1, MEM_TX, ADDR_STATS + 8, 20, 2);
	struct line_use u[2] = {use_of(take), use_of(release)};

	(void)state;
	take->misses = release->misses = 1000;
	take->gaps = 0;
	take->gap_ticks = 0;
	fill(u, 2, &f->p, &plain);
	assert_true(u[0].accesses > 0.95 * 1e9 / 100e3 && u[0].accesses < 1.05 * 1e9 / 100e3);
	assert_true(near(u[1].accesses, u[0].accesses));
	/* Few without a gap begin their windows. */
	take->gaps = 480;
	take->gap_ticks = 480 * (40 + 10);
	u[0] = use_of(take);
	u[1] = use_of(release);
	fill(u, 2, &f->p, &plain);
	assert_true(u[0].accesses > 100 * 1e9 / 100e3);
	fake_free(f);
}

/*
 * A block that is freed soon may have been disputed all its life without a window:
 * it is used as the others of its site are.  Not so a line that is touched now and then.
 */
static void blocks_without_a_window_are_used_as_others_of_their_site(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *seen = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct prs_line *short_lived = windowed(f, 1, MEM_RX, ADDR_STATS + 64, 40, 2);
	struct prs_line *seldom = windowed(f, 1, MEM_RX, ADDR_STATS + 128, 40, 2);
	struct line_use u[3] = {use_of(seen), use_of(short_lived), use_of(seldom)};

	(void)state;
	short_lived->gaps = seldom->gaps = 0;
	short_lived->gap_ticks = seldom->gap_ticks = 0;
	short_lived->watched = seldom->watched = 0;
	seldom->misses = 100;
	evidence_pool(u, 3);
	for (int i = 0; i < 3; i++)
		evidence_fill(&u[i], 1, &f->p, &plain);
	assert_true(near(u[1].accesses, u[0].accesses));
	assert_true(near(u[1].active_ns, u[0].active_ns));
	assert_int_equal(u[1].how, EVIDENCE_WINDOW);
	assert_int_equal(u[2].how, EVIDENCE_SEEN);
	assert_true(u[2].accesses < 1000);
	fake_free(f);
}

/* Two threads in one loop at one line: a window of the one tells of the other, too. */
static void a_window_of_one_thread_tells_of_the_other(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *seen = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct prs_line *other = windowed(f, 2, MEM_RX, ADDR_STATS, 40, 1);
	struct prs_line *place = windowed(f, 2, MEM_TX, ADDR_STATS + 64, 40, 1);
	struct line_use u[3] = {use_of(seen), use_of(other), use_of(place)};

	(void)state;
	u[1].thread = u[2].thread = 2;
	seen->misses = other->misses = place->misses = 20;
	other->gaps = place->gaps = 0;
	other->gap_ticks = place->gap_ticks = 0;
	other->watched = place->watched = 0;
	evidence_pool(u, 3);
	for (int i = 0; i < 3; i++)
		evidence_fill(&u[i], 1, &f->p, &plain);
	assert_true(near(u[1].accesses, u[0].accesses));
	assert_true(u[2].accesses < 100);
	fake_free(f);
}

static struct run_mem_site round_site(uint32_t least, uint32_t most, bool open)
{
	return (struct run_mem_site){.function = "work",
				     .round_least = least,
				     .round_most = most,
				     .round_accesses = 1,
				     .round_open = open};
}

/* Where the probe hides the gap the site table tells it, and windows where they can. */
static void work_that_the_probe_hides_is_told_by_the_table(void **state)
{
	struct line_pace pace = {.time = 1, .work = 1, .cpu_ns = 1e9, .cycle_ns = 0.5};
	struct run_mem_site site = round_site(4, 4, false);
	struct fake *f = two_threads();
	struct line_use u = use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 1, 2));

	(void)state;
	u.site = &site;
	fill(&u, 1, &f->p, &pace);
	assert_true(near(u.active_ns / u.visits, 2));
	assert_true(u.wide < 1.5 && u.wide_short < 1.5);
	u = use_of(windowed(f, 1, MEM_RX, ADDR_STATS + 64, 40, 2));
	u.site = &site;
	fill(&u, 1, &f->p, &pace);
	assert_true(near(u.active_ns / u.visits, 40));
	fake_free(f);
}

/* Of two processes a gap may be the line's travel, so the table tells the work; longer ones are work. */
static void work_of_processes_is_told_by_the_table(void **state)
{
	struct line_pace pace = {.time = 1, .work = 1, .cpu_ns = 1e9, .cycle_ns = 0.5, .windows = true};
	struct run_mem_site site = round_site(4, 4, false);
	struct fake *f = two_threads();
	struct line_use u = use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 100, 2));
	struct prs_line *l;

	(void)state;
	u.site = &site;
	fill(&u, 1, &f->p, &pace);
	assert_true(near(u.active_ns / u.visits, 2));
	assert_true(u.wide > 40);
	l = windowed(f, 1, MEM_RX, ADDR_STATS + 64, 1000, 2);
	l->misses = 1000; /* each of them was an access, and more of them would need more time */
	u = use_of(l);
	u.site = &site;
	fill(&u, 1, &f->p, &pace);
	assert_true(near(u.active_ns / u.visits, 1000));
	fake_free(f);
}

/* Loads and stores of one turn are one visit; two places in the table are two accesses. */
static void accesses_of_one_turn_are_one_visit(void **state)
{
	struct line_pace pace = {.time = 1, .work = 1, .cpu_ns = 1e9, .cycle_ns = 0.5};
	struct run_mem_site site = round_site(4, 12, false), other = site;
	struct fake *f = two_threads();
	struct line_use u[2] = {use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 1, 2)),
				use_of(windowed(f, 1, MEM_TX, ADDR_STATS + 8, 1, 2))};

	(void)state;
	u[0].site = &site;
	u[1].site = &other;
	fill(u, 2, &f->p, &pace);
	assert_true(near(u[0].active_ns / u[0].visits, 4));
	assert_true(near(u[0].visits, (u[0].accesses + u[1].accesses) / 2));
	assert_true(u[0].wide_short > 2 && u[0].wide > 1.5);
	fake_free(f);
}

/* A turn with a call in it takes so long at the least, and that is all that is known. */
static void open_rounds_are_lower_bounds(void **state)
{
	struct line_pace pace = {.time = 1, .work = 1, .cpu_ns = 1e9, .cycle_ns = 0.5};
	struct run_mem_site site = round_site(1, 1, true), longer = round_site(9, 9, true);
	struct fake *f = two_threads();
	struct line_use u = use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 1, 2)), v = u;

	(void)state;
	u.site = &site;
	v.site = &longer;
	fill(&u, 1, &f->p, &pace);
	fill(&v, 1, &f->p, &pace);
	assert_true(near(v.active_ns / v.visits, 4.5));
	assert_true(u.active_ns / u.visits < 4.5);
	assert_true(u.wide > 4);
	fake_free(f);
}

static void several_fields_at_once_are_one_visit(void **state)
{
	struct fake *f = two_threads();
	struct line_use u[2] = {use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 98, 2)),
				use_of(windowed(f, 1, MEM_READ_TX, ADDR_STATS + 8, 2, 2))};

	(void)state;
	fill(u, 2, &f->p, &plain);
	/* A transfer each 250 ns. */
	assert_true(near(u[0].accesses, 0.5e9 / NEAR_BY(50)));
	assert_true(near(u[1].accesses, 0.5e9 / NEAR_BY(50)));
	assert_true(u[0].visits > 0.5e9 / NEAR_BY(50) && u[0].visits < 0.53e9 / NEAR_BY(50));
	fake_free(f);
}

static void ranges_announce_how_often(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct line_use u = use_of(l);

	(void)state;
	l->trips = 5000000;
	fill(&u, 1, &f->p, &plain);
	assert_int_equal(u.how, EVIDENCE_ANNOUNCED);
	assert_true(near(u.accesses, 5e6));
	assert_true(near(u.active_ns, 0.2e9));
	assert_false(u.active_waits);
	/* Without gaps: as often as its span allows. */
	l->gaps = l->gap_ticks = 0;
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.active_ns / u.visits, 200));
	assert_true(u.gap_waits);
	fake_free(f);
}

/* 50 bursts of 1 ms in the second; what one of them saw stands for 20 ms, no more. */
static void bursts_stand_for_the_time_between(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = fake_line(f, 1, MEM_RX, ADDR_STATS, 0, 1000, 2);
	struct line_use u = use_of(l);

	(void)state;
	f->header.n_bursts = 50;
	f->header.burst_ticks = 50 * MS;
	l->burst_misses = l->burst_accesses = 1000;
	fill(&u, 1, &f->p, &plain);
	assert_true(u.scale > 18 && u.scale < 21);
	l->first = FAKE_START + 5 * MS;
	l->last = FAKE_START + 5 * MS + MS / 2; /* only the first burst saw it */
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(u.scale < 1.6);
	fake_free(f);
}

static struct fake *timed(unsigned ms)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "runs/net-2", ms + 10);

	fake_main(f, 1);
	fake_create(f, 0, 0, 5, ms + 5, ms, 1);
	fake_create(f, 0, 1, 5, ms + 5, ms, 1);
	return f;
}

/*
 * Two threads at a line for @share of the time; @probe: mem_ticks; @timing: ms of a timing run, 0: none, which
 * took @longer times as long as the plain program; at @side the first of them.
 */
static struct sharing_finding weighed(double gap, double share, uint32_t probe, unsigned timing,
				      double longer, struct sharing_side *side)
{
	struct platform_core cores[2] = {{.id = 0, .usable = true}, {.id = 1, .physical = 1, .usable = true}};
	struct platform_step step = {.khz = 1000000};
	struct platform pf = {.cores = cores, .n_cores = 2, .steps = &step, .n_steps = 1};
	struct fake *f = two_threads();
	struct fake *t = timing ? timed(timing) : NULL;
	struct sharing_opts opts = {&pf, t ? &t->run : NULL, longer};
	struct sharing_finding finding;
	struct sharing_report rep;
	struct err err = ERR_INIT;
	struct prs_line *line[3];

	f->header.mem_ticks = probe;
	pf.price[PRS_KIND_RMW].alone_ps = 250;
	pf.price[PRS_KIND_RMW].shared_ps[DIST_CACHE] = 1000;
	for (int g = 0; g < PRICE_GAPS; g++)
		pf.price[PRS_KIND_RMW].extra_ps[g][DIST_CACHE] = platform_gap_ps((uint32_t)g) / 2;
	pf.transfer_ps[DIST_CACHE] = 100000;
	line[1] = windowed(f, 1, MEM_RX, ADDR_STATS, gap, 2);
	line[2] = windowed(f, 2, MEM_TX, ADDR_STATS + 8, gap, 1);
	line[1]->last = FAKE_START + (5 + (uint64_t)(1000 * share)) * MS - 1;
	line[1]->misses = (uint64_t)(share * MOVES);
	for (int i = 1; i < 3; i++)
		line[i]->gap_ticks = (uint64_t)(500 * (gap + probe));
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	assert_true(rep.findings[0].priced);
	assert_int_equal(rep.inflated, !timing || longer >= SHARING_LONGER);
	finding = rep.findings[0];
	*side = finding.pairs[0].a;
	sharing_release(&rep);
	if (t)
		fake_free(t);
	fake_free(f);
	return finding;
}

static double priced(double gap, double share, uint32_t probe, unsigned timing)
{
	struct sharing_side side;

	return weighed(gap, share, probe, timing, 0, &side).cost;
}

static double cost(double gap, double share)
{
	return priced(gap, share, 10, 0);
}

/* Each access costs half the gap more: a third of the time. */
static void cost_follows_from_the_gap(void **state)
{
	(void)state;
	assert_true(near(cost(20, 1), 33.3));
	assert_true(near(cost(60, 1), 33.3));
	/* Thread 1 is at it for half of the time only, with work of its own in the other half. */
	assert_in_range((uint64_t)cost(20, 0.5), 13, 15);
}

/* Both threads read each other's word all the time and write their own each @gap ns: cost, and its interval. */
static struct sharing_finding reading(double gap, uint64_t transfer)
{
	static struct platform_core cores[2] = {{.usable = true}, {.usable = true, .physical = 1}};
	struct platform_step step = {.khz = 1000000};
	struct platform pf = {.cores = cores, .n_cores = 2, .steps = &step, .n_steps = 1};
	struct sharing_opts opts = {.platform = &pf};
	static const uint32_t load[3] = {0, MEM_READ_TX, MEM_READ_RX}, store[3] = {0, MEM_JOB_A, MEM_JOB_B};
	struct fake *f = two_threads();
	struct sharing_finding out = {0};
	struct sharing_report rep;
	struct err err = ERR_INIT;

	for (int k = 0; k < PRS_KIND_N; k++) {
		pf.price[k].alone_ps = 250;
		pf.price[k].shared_ps[DIST_CACHE] = 300;
	}
	pf.transfer_ps[DIST_CACHE] = transfer;
	for (uint32_t t = 1; t < 3; t++) {
		struct prs_line *l = windowed(f, t, load[t], ADDR_STATS + (t == 1 ? 8 : 0), 0, 3 - t);
		struct prs_line *s = windowed(f, t, store[t], ADDR_STATS + (t == 1 ? 0 : 8), 0, 3 - t);

		s->gaps = 40;
		s->gap_ticks = (uint64_t)(40 * (gap + 10));
		l->gaps = 4000;
		l->gap_ticks = 4000 * 10;
	}
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	assert_true(rep.findings[0].pairs[0].a.counts < 0.1);
	out.cost = rep.findings[0].cost;
	out.cost_low = rep.findings[0].cost_low;
	out.cost_high = rep.findings[0].cost_high;
	sharing_release(&rep);
	fake_free(f);
	return out;
}

/* Threads of whose ranges of 4096 lines the first line was looked at, and nothing else: cost and its interval. */
static struct sharing_finding ranges(uint32_t extent1, uint32_t extent2)
{
	static struct platform_core cores[2] = {{.usable = true}, {.usable = true, .physical = 1}};
	struct platform_step step = {.khz = 1000000};
	struct platform pf = {.cores = cores, .n_cores = 2, .steps = &step, .n_steps = 1};
	struct sharing_opts opts = {.platform = &pf};
	const uint32_t extent[3] = {0, extent1, extent2};
	struct fake *f = two_threads();
	struct sharing_finding out = {0};
	struct sharing_report rep;
	struct err err = ERR_INIT;

	pf.price[PRS_KIND_RMW].alone_ps = 250;
	pf.price[PRS_KIND_RMW].shared_ps[DIST_CACHE] = 1000;
	pf.transfer_ps[DIST_CACHE] = 100000;
	for (uint32_t t = 1; t < 3; t++) {
		struct prs_line *l = fake_line(f, t, t == 1 ? MEM_RX : MEM_TX, ADDR_STATS + (t == 1 ? 0 : 8),
					       0, 600, 3 - t);

		l->trips = 16 * 600;
		l->times = 600;
		l->extent = extent[t];
	}
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	out.cost = rep.findings[0].cost;
	out.cost_low = rep.findings[0].cost_low;
	out.cost_high = rep.findings[0].cost_high;
	out.confidence = rep.findings[0].confidence;
	sharing_release(&rep);
	fake_free(f);
	return out;
}

/* Nobody knows how much of what lies between is disputed.  Slices of an array meet where one of them begins. */
static void of_very_long_ranges_more_may_be_shared_than_was_seen(void **state)
{
	struct sharing_finding both = ranges(4096 * 64, 4096 * 64), slices = ranges(4096 * 64, 64);

	(void)state;
	assert_true(slices.cost_high < 1);
	assert_true(both.cost_high > 100 * slices.cost_high);
	assert_true(both.cost > 100 * slices.cost && both.cost < both.cost_high);
	assert_true(near(both.cost_low, slices.cost_low));
	assert_int_equal(both.confidence, SHARING_LOW);
}

/* Each write of the other makes loads under way be done again; one that costs no more than a transfer. */
static void reading_what_the_other_writes_now_and_then_costs(void **state)
{
	struct sharing_finding f = reading(0, 100000), near_by = reading(0, 1000);

	(void)state;
	assert_in_range((uint64_t)f.cost, 15, 25);
	assert_true(f.cost_low < 1);
	assert_in_range((uint64_t)f.cost_high, 35, 50);
	assert_true(near_by.cost < f.cost / 2);
}

/*
 * Probes took most of the run, and nobody knows how much.  But both threads did nothing
 * but dispute the line, so they do the same for all of the 900 ms without probes.
 */
static void timing_run_does_not_change_the_share(void **state)
{
	(void)state;
	assert_true(near(priced(20, 1, 100, 900), 33.3));
	assert_true(near(priced(20, 1, 100, 0), 33.3));
	/* Who was elsewhere for half of the run may have been there for most of its own time. */
	assert_true(priced(20, 0.5, 100, 900) < 25);
}

/* Of a timing run that its probes made longer, the plain program has as many accesses in less time. */
static void long_timing_run_opens_the_upper_ends(void **state)
{
	struct sharing_side once, twice, little;
	struct sharing_finding a = weighed(20, 0.5, 100, 900, 0, &once),
			       b = weighed(20, 0.5, 100, 900, 2, &twice);

	(void)state;
	weighed(20, 0.5, 100, 900, 1.05, &little);
	assert_true(fabs(twice.per_s_high / once.per_s_high - 2) < 0.01);
	assert_true(fabs(little.per_s_high / once.per_s_high - 1.05) < 0.01);
	assert_true(twice.per_s == once.per_s && twice.per_s_low == once.per_s_low);
	assert_true(b.cost == a.cost && b.cost_low == a.cost_low);
	assert_true(b.cost_high > 1.9 * a.cost_high || b.cost_high > 90);
	assert_true(b.cost_high < 100);
	/* What was slowed by memory probes is reckoned without them by other ways. */
	assert_true(weighed(20, 0.5, 100, 0, 2, &twice).cost_high ==
		    weighed(20, 0.5, 100, 0, 0, &once).cost_high);
}

/* Threads that hardly met in the run: what they would cost each other is not known, not 0. */
static void transfers_of_a_busy_machine_are_no_limit(void **state)
{
	struct platform_core cores[2] = {{.id = 0, .usable = true}, {.id = 1, .physical = 1, .usable = true}};
	struct platform_step step = {.khz = 1000000};
	struct platform pf = {.cores = cores, .n_cores = 2, .steps = &step, .n_steps = 1};
	struct fake *f = two_threads();
	struct sharing_opts opts = {.platform = &pf};
	struct sharing_report rep;
	struct prs_line *line[2];
	struct err err = ERR_INIT;

	(void)state;
	pf.price[PRS_KIND_RMW].alone_ps = 250;
	pf.price[PRS_KIND_RMW].shared_ps[DIST_CACHE] = 1000;
	pf.transfer_ps[DIST_CACHE] = 100000;
	line[0] = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	line[1] = windowed(f, 2, MEM_TX, ADDR_STATS + 8, 40, 1);
	for (int i = 0; i < 2; i++) {
		line[i]->misses = 100;
		line[i]->peer_count[0] = 100;
	}
	for (int busy = 0; busy < 2; busy++) {
		for (uint32_t t = 1; busy && t < 3; t++)
			f->raw[t].cpu_end_ns = 500 * MS;
		if (sharing_make(&rep, &f->run, &opts, &err))
			fail_msg("%s", err.msg);
		assert_true(rep.findings[0].cost < 1);
		if (busy)
			assert_true(rep.findings[0].perhaps && rep.findings[0].cost_high > 10);
		else
			assert_true(rep.findings[0].cost_high < 1);
		sharing_release(&rep);
	}
	fake_free(f);
}

/* Cost of two words of one line that two threads use @gaps apart each time; *@f: all that is said of it. */
static double priced_pair(struct fake *f, const double gaps[2], uint32_t misses, struct sharing_finding *said)
{
	struct platform_core cores[2] = {{.id = 0, .usable = true}, {.id = 1, .physical = 1, .usable = true}};
	struct platform_step step = {.khz = 1000000};
	struct platform pf = {.cores = cores, .n_cores = 2, .steps = &step, .n_steps = 1};
	struct sharing_opts opts = {.platform = &pf};
	struct sharing_report rep;
	struct err err = ERR_INIT;

	pf.price[PRS_KIND_RMW].alone_ps = 250;
	pf.price[PRS_KIND_RMW].shared_ps[DIST_CACHE] = 1000;
	pf.transfer_ps[DIST_CACHE] = 100000;
	for (uint32_t t = 0; t < 2; t++) {
		struct prs_line *l = windowed(f, t + 1, MEM_RX, ADDR_STATS + 8 * t, gaps[t], 2 - t);

		l->misses = l->from_modified = l->peer_count[0] = misses;
	}
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	*said = rep.findings[0];
	said->pairs = NULL;
	sharing_release(&rep);
	return said->cost;
}

/* Who takes a line now and then pays its travel each time, and that was not measured by threads that dispute one. */
static void seldom_transfers_cost_their_travel(void **state)
{
	static const double gaps[2] = {40000, 40000};
	struct fake *f = two_threads();
	struct sharing_finding said;

	(void)state;
	/* 200,000 transfers of 100 ns, half of them each side's, in a second. */
	assert_in_range((uint64_t)(1000 * priced_pair(f, gaps, 100000, &said)), 900, 1400);
	assert_true(said.cost_high < 5);
	fake_free(f);
	f = two_threads();
	assert_true(priced_pair(f, gaps, 1000, &said) < 0.3);
	fake_free(f);
}

/* One place, threads that use the processor alike, and two rates: one of both is not true. */
static void two_rates_of_one_place_open_the_interval(void **state)
{
	static const double like[2] = {40, 40}, unlike[2] = {400, 20};

	(void)state;
	for (uint32_t busy = 0; busy < 2; busy++) {
		struct sharing_finding said[2];

		for (int k = 0; k < 2; k++) {
			struct fake *f = two_threads();

			for (uint32_t t = 1; busy && t < 3; t++)
				f->raw[t].cpu_end_ns = 500 * MS;
			priced_pair(f, k ? unlike : like, 100, &said[k]);
			fake_free(f);
		}
		assert_int_equal(said[1].confidence, SHARING_LOW);
		if (said[0].cost_high <= 1 || said[0].cost_high <= 10 * said[0].cost_low)
			assert_true(said[0].confidence > SHARING_LOW);
		else
			assert_int_equal(said[0].confidence, SHARING_LOW);
		assert_int_equal(said[1].cost_high > 10,
				 busy); /* the transfers still say that they hardly met */
	}
}

/*
 * A loop of 8 accesses that a range announces, 20,000 times; windows saw what else is
 * done there at half of them, and no gap to the next time.
 */
static void between_ranges_is_as_often_as_ranges_are(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *range = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct prs_line *one = windowed(f, 1, MEM_TX, ADDR_STATS + 8, 2, 2);
	struct line_use u[2] = {use_of(range), use_of(one)};

	(void)state;
	range->gaps = range->gap_ticks = 0;
	range->misses = range->times = 20000;
	range->trips = 8 * range->times;
	range->watched = 1000;
	one->misses = 0;
	fill(u, 2, &f->p, &plain);
	assert_true(near(u[0].accesses, 160000));
	assert_true(near(u[1].accesses, 10000));
	assert_true(u[0].disputed_ns <= 0); /* they are known: no time in dispute says more */
	/* No window saw a range: they may come before or after all that. */
	range->watched = 0;
	u[0] = use_of(range);
	u[1] = use_of(one);
	fill(u, 2, &f->p, &plain);
	assert_true(u[1].accesses > 1e7);
	fake_free(f);
}

/* A gap shorter than our own code may be any of those; a longer one is well known. */
static void short_gaps_are_not_known_well(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct line_use u = use_of(l);

	(void)state;
	fill(&u, 1, &f->p, &plain);
	assert_true(u.wide < 1.3 && u.wide_short < 1.3);
	/* Between processes it may be the line's travel, whatever its length. */
	u = use_of(l);
	fill(&u, 1, &f->p, &looks);
	assert_true(u.wide_short > 40 && u.wide < 1.3);
	l->gap_own = 16 * (13 + 2);
	l->gap_ticks = 500 * (2 + 10);
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(u.active_ns / u.visits * u.wide >= 4.9);
	assert_true(u.active_ns / u.visits / u.wide_short <= 0.3);
	fake_free(f);
}

/* All the time in dispute: one that is counted as often as between hardware threads costs less of it. */
static void transfers_say_how_far_the_cores_were(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l = windowed(f, 1, MEM_RX, ADDR_STATS, 40, 2);
	struct line_use u = use_of(l);

	(void)state;
	l->misses = 1300000;
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.accesses, 1e9 / FAR(40)));
	assert_true(near(u.disputed_ns, 1e9));
	assert_true(near(u.disputed_least_ns, 0.273e9));
	l->misses = 5000000;
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.accesses, 1e9 / NEAR_BY(40)));
	assert_true(near(u.disputed_least_ns, 1e9));
	assert_true(near(u.dispute_ns, 200));
	/* Now and then: most accesses find the line at hand. */
	l->misses = 1000;
	u = use_of(l);
	fill(&u, 1, &f->p, &plain);
	assert_true(near(u.accesses, 1e9 / 40.4));
	assert_true(u.disputed_ns < 1e6);
	fake_free(f);
}

/* Two threads run one loop, and the windows of one saw longer gaps by chance. */
static void equal_threads_have_equal_rates(void **state)
{
	struct fake *f = two_threads();
	struct line_use u[2] = {use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 31, 2)),
				use_of(windowed(f, 2, MEM_RX, ADDR_STATS + 8, 42, 1))};
	struct line_use other = use_of(windowed(f, 2, MEM_RX, ADDR_STATS + 16, 300, 1)), all[3];

	(void)state;
	memcpy(all, u, sizeof(u));
	all[2] = other; /* elsewhere it is much longer: another loop */
	evidence_pool(all, 3);
	evidence_fill(&all[0], 1, &f->p, &plain);
	evidence_fill(&all[1], 1, &f->p, &plain);
	evidence_fill(&all[2], 1, &f->p, &plain);
	assert_true(near(all[0].accesses, all[1].accesses));
	assert_true(near(all[2].accesses, MOVES)); /* as often as it moved at the least */
	fake_free(f);
}

/*
 * A thread reads a word all the time and writes its neighbour each 400th time.  The writes
 * miss nearly each time, the loads find the line at hand: there are 400 for each write.
 */
static void misses_of_rare_writes_say_how_often_loads_come(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *writes = windowed(f, 1, MEM_RX, ADDR_STATS, 0, 2);
	struct prs_line *loads = windowed(f, 1, MEM_READ_TX, ADDR_STATS + 8, 0, 2);
	struct line_use u[2] = {use_of(writes), use_of(loads)};

	(void)state;
	writes->gaps = 20;
	loads->gaps = 8000;
	writes->gap_ticks = 10 * writes->gaps;
	loads->gap_ticks = 10 * loads->gaps;
	loads->misses = MOVES / 2;
	fill(u, 2, &f->p, &plain);
	assert_true(near(u[0].accesses, MOVES));
	assert_true(near(u[1].accesses, 400.0 * MOVES));
	assert_true(u[1].accesses * u[1].probe_ns < 1e9);
	/* They come alike: then the time says it. */
	writes->gaps = 8000;
	writes->gap_ticks = 10 * writes->gaps;
	u[0] = use_of(writes);
	u[1] = use_of(loads);
	fill(u, 2, &f->p, &plain);
	assert_true(u[0].accesses > 10.0 * MOVES);
	fake_free(f);
}

/* However short a gap looks, no access follows the next in less than a cycle and its probe. */
static void no_rate_is_impossible(void **state)
{
	const struct line_pace pace = {.time = 1, .work = 1, .cpu_ns = 1e9, .run_ns = 1e9, .cycle_ns = 0.5};
	struct fake *f = two_threads();
	struct line_use u = use_of(windowed(f, 1, MEM_RX, ADDR_STATS, 0, 2));

	(void)state;
	fill(&u, 1, &f->p, &pace);
	assert_true(u.accesses <= 1e9 / (0.5 + 6) + 1);
	assert_true(u.active_ns <= 1e9);
	fake_free(f);
}

static void many_lines_share_the_time_of_their_thread(void **state)
{
	struct fake *f = two_threads();
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;

	(void)state;
	for (int i = 0; i < 30; i++) {
		windowed(f, 1, MEM_JOB_A, ADDR_HEAP + 64 * (uint64_t)i, 2, 2);
		windowed(f, 2, MEM_JOB_B, ADDR_HEAP + 64 * (uint64_t)i + 8, 2, 1);
	}
	fake_note(f, 1, 6, ADDR_HEAP, 64 * 30);
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	/* 30 lines at full rate would be 15 G accesses in a second. */
	assert_true(rep.findings[0].pairs[0].a.accesses < 4.1e9);
	/* What is said of it is no more than one a cycle, of which this machine has 10^9 a second. */
	assert_true(rep.findings[0].pairs[0].a.per_s < 1.001e9);
	assert_int_equal(rep.findings[0].pairs[0].lines, 30);
	sharing_release(&rep);
	fake_free(f);
}

/* A range that goes on into the line has the bytes that its loop uses there, not those of its first access. */
static void ranges_have_the_bytes_of_their_loop(void **state)
{
	struct fake *f = two_threads();
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;
	struct prs_line *range = fake_line(f, 1, MEM_RX, ADDR_STATS, 0, MOVES, 2);

	(void)state;
	range->read_mask = range->write_mask = range->watched = 0;
	range->trips = 200000000;
	range->times = 100;
	windowed(f, 1, MEM_TX, ADDR_STATS + 8, 5, 2); /* of the loop */
	windowed(f, 2, MEM_RX, ADDR_STATS, 5, 1);
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_FALSE);
	sharing_release(&rep);
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_say_how_often),
		cmocka_unit_test(stages_are_told_apart),
		cmocka_unit_test(one_sight_is_no_stage),
		cmocka_unit_test(what_is_too_small_goes_along_with_what_it_joins),
		cmocka_unit_test(other_lines_take_time),
		cmocka_unit_test(lack_of_a_core_may_be_anywhere),
		cmocka_unit_test(most_accesses_are_made_while_nobody_else_comes),
		cmocka_unit_test(who_goes_away_comes_once_for_each_miss),
		cmocka_unit_test(beginnings_of_windows_are_no_long_gaps),
		cmocka_unit_test(locked_accesses_take_what_was_measured),
		cmocka_unit_test(own_gaps_are_free_of_the_travel),
		cmocka_unit_test(gaps_too_long_to_measure_count),
		cmocka_unit_test(work_that_the_probe_hides_is_told_by_the_table),
		cmocka_unit_test(work_of_processes_is_told_by_the_table),
		cmocka_unit_test(accesses_of_one_turn_are_one_visit),
		cmocka_unit_test(open_rounds_are_lower_bounds),
		cmocka_unit_test(blocks_without_a_window_are_used_as_others_of_their_site),
		cmocka_unit_test(a_window_of_one_thread_tells_of_the_other),
		cmocka_unit_test(several_fields_at_once_are_one_visit),
		cmocka_unit_test(ranges_announce_how_often),
		cmocka_unit_test(bursts_stand_for_the_time_between),
		cmocka_unit_test(cost_follows_from_the_gap),
		cmocka_unit_test(seldom_transfers_cost_their_travel),
		cmocka_unit_test(two_rates_of_one_place_open_the_interval),
		cmocka_unit_test(between_ranges_is_as_often_as_ranges_are),
		cmocka_unit_test(reading_what_the_other_writes_now_and_then_costs),
		cmocka_unit_test(of_very_long_ranges_more_may_be_shared_than_was_seen),
		cmocka_unit_test(timing_run_does_not_change_the_share),
		cmocka_unit_test(long_timing_run_opens_the_upper_ends),
		cmocka_unit_test(short_gaps_are_not_known_well),
		cmocka_unit_test(transfers_of_a_busy_machine_are_no_limit),
		cmocka_unit_test(transfers_say_how_far_the_cores_were),
		cmocka_unit_test(equal_threads_have_equal_rates),
		cmocka_unit_test(misses_of_rare_writes_say_how_often_loads_come),
		cmocka_unit_test(no_rate_is_impossible),
		cmocka_unit_test(many_lines_share_the_time_of_their_thread),
		cmocka_unit_test(ranges_have_the_bytes_of_their_loop),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
