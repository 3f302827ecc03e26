/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/sharing/sharing.h"

#define MANY  200000000ull /* accesses */
#define MOVES 60000u

/* What an access to a shared line costs more, a load still more, and the line's travel. */
#define EXTRA_PS  500u
#define LOAD_PS   1200u
#define TRAVEL_PS 300000u

/* Two cores that share a cache; from gaps of 20 ns on an access costs @late ps more. */
static void make_platform(struct platform *pf, struct platform_core cores[2], uint32_t late)
{
	*pf = (struct platform){.n_cores = 2, .cores = cores, .n_packages = 1, .n_domains = 1};
	cores[0] = (struct platform_core){.id = 0, .physical = 0, .usable = true};
	cores[1] = (struct platform_core){.id = 1, .physical = 1, .domain = 0, .usable = true};
	for (int k = 0; k < PRS_KIND_N; k++) {
		pf->price[k].alone_ps = 250;
		for (int d = 0; d < DIST_N; d++) {
			uint32_t extra = k == PRS_KIND_LOAD ? LOAD_PS : EXTRA_PS;

			pf->transfer_ps[d] = TRAVEL_PS;
			pf->price[k].shared_ps[d] = 250 + extra;
			for (int g = 0; g < PRICE_GAPS; g++)
				pf->price[k].extra_ps[g][d] =
					platform_gap_ps((uint32_t)g) < 20000 ? extra : late;
		}
	}
}

/* Two threads that run at the same time for a second: thread 1 counts stats.rx, thread 2 stats.tx. */
static struct fake *counters(void)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);

	fake_main(f, 1);
	fake_create(f, 0, 0, 5, 1005, 1000, 1);
	fake_create(f, 0, 1, 5, 1005, 1000, 1);
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	return f;
}

/* What the false sharing of @f costs, which is released. */
static struct sharing_finding price_at(struct fake *f, uint32_t late)
{
	struct platform_core cores[2];
	struct sharing_report rep;
	struct sharing_finding x = {0};
	struct platform pf;
	struct sharing_opts opts = {.platform = &pf};
	struct err err = ERR_INIT;

	make_platform(&pf, cores, late);
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < rep.n; i++)
		if (rep.findings[i].verdict == SHARING_FALSE)
			x = rep.findings[i];
	sharing_release(&rep);
	fake_free(f);
	assert_true(x.priced);
	return x;
}

static struct sharing_finding price_of(struct fake *f)
{
	return price_at(f, EXTRA_PS);
}

/* By turns a thread pays a line's travel once in a turn, if that: so few transfers cost nothing to speak of. */
static void turns_cost_what_their_transfers_can(void **state)
{
	struct fake *turns = counters(), *met = counters();
	struct sharing_finding x;

	(void)state;
	for (int t = 1; t <= 2; t++)
		turns->raw[t].switches = MOVES / 2;
	met->raw[1].switches = met->raw[2].switches = 100;
	x = price_of(turns);
	/* 60,000 times 300 ns of a second for each, and 2.2 times that. */
	assert_float_equal(x.cost_low, 0, 0);
	assert_true(x.cost <= 1.9 && x.cost_high <= 4.1);
	x = price_of(met);
	assert_float_equal(x.cost, 9.1, 0.3);
	assert_true(x.cost_low > 1);
}

/* A word that both add to, which moved the line @moves times, beside one that each has alone. */
static struct fake *beside_a_word_of_both(uint32_t moves)
{
	struct fake *f = counters();

	fake_line(f, 1, MEM_LEFT, ADDR_STATS + 16, MANY, moves, 2)->kind = PRS_KIND_RMW;
	fake_line(f, 2, MEM_RIGHT, ADDR_STATS + 16, MANY, moves, 1)->kind = PRS_KIND_RMW;
	return f;
}

static void a_line_that_is_truly_shared_as_well_stays_shared(void **state)
{
	struct sharing_finding alone = price_of(counters());
	struct sharing_finding same = price_of(beside_a_word_of_both(MOVES));
	struct sharing_finding rarer = price_of(beside_a_word_of_both(MOVES / 9));

	(void)state;
	assert_float_equal(alone.cost, 9.1, 0.3);
	assert_float_equal(same.cost, alone.cost / 2, 0.5);
	assert_float_equal(rarer.cost, 0.9 * alone.cost, 0.5);
	/* Perhaps nothing is saved, perhaps all; some of it if few moves stay. */
	assert_float_equal(same.cost_low, 0, 0.001);
	assert_true(rarer.cost_low > 0 && rarer.cost_low <= alone.cost_low);
	assert_true(same.cost_high > 0.9 * alone.cost_high);
}

/* Counters whose turns take @least to @most cycles. */
static struct fake *in_turns(uint32_t least, uint32_t most)
{
	struct fake *f = counters();

	for (int i = 0; i < N_MEMS; i++) {
		struct run_mem_site *m = (struct run_mem_site *)&f->module.sites.units[0].mems[i];

		m->round_least = least;
		m->round_most = most;
		m->round_accesses = 1;
	}
	return f;
}

/* Without optimisation what follows waits for an increment as for a load. */
static void work_through_the_frame_waits_for_the_line(void **state)
{
	struct sharing_finding fast = price_of(in_turns(5, 6)), frame = price_of(in_turns(2, 12));

	(void)state;
	assert_true(frame.cost > 2 * fast.cost);
	assert_true(frame.cost_high > 2 * fast.cost);
	/* Or it does not: some cores have the value at once. */
	assert_float_equal(frame.cost_low, fast.cost_low, 0.001);
}

/* Work may hide as much of the line's travel as twice as much work does in calibration. */
static void the_lower_end_is_that_of_work_that_hides_more(void **state)
{
	struct sharing_finding all = price_at(counters(), EXTRA_PS), some = price_at(counters(), 10);

	(void)state;
	assert_float_equal(some.cost, all.cost, 0.001);
	assert_float_equal(some.cost_high, all.cost_high, 0.001);
	assert_true(some.cost_low < all.cost_low);
}

/* Who loads what the other counts: its work may need the value. */
static void the_upper_end_of_a_load_is_that_of_work_that_needs_it(void **state)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);
	struct sharing_finding x;

	(void)state;
	fake_main(f, 1);
	fake_create(f, 0, 0, 5, 1005, 1000, 1);
	fake_create(f, 0, 1, 5, 1005, 1000, 1);
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS, MANY / 10, MOVES, 2);
	fake_line(f, 2, MEM_RX, ADDR_STATS + 8, MANY / 10, MOVES, 1);
	x = price_of(f);
	assert_true(x.cost_high > 3 * x.cost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_cost_what_their_transfers_can),
		cmocka_unit_test(a_line_that_is_truly_shared_as_well_stays_shared),
		cmocka_unit_test(work_through_the_frame_waits_for_the_line),
		cmocka_unit_test(the_lower_end_is_that_of_work_that_hides_more),
		cmocka_unit_test(the_upper_end_of_a_load_is_that_of_work_that_needs_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
