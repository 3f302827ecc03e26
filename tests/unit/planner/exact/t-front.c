/* SPDX-License-Identifier: MIT */
/* Fronts against exhaustive search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/exact/exact.h"
#include "tests/unit/planner/exhaust.h"

static bool all_heavy(const struct problem *pb)
{
	for (uint32_t p = 0; p < pb->n_phases; p++)
		if (pb->phases[p].n_heavy != pb->phases[p].n_members)
			return false;
	return true;
}

static void same_front(const struct front *a, const struct front *b, uint64_t seed)
{
	bool same = a->n == b->n;

	for (uint32_t i = 0; same && i < a->n; i++)
		same = a->at[i].cost.time_ns == b->at[i].cost.time_ns &&
		       front_second(a, &a->at[i].cost) == front_second(b, &b->at[i].cost);
	for (uint32_t i = 0; !same && i < a->n; i++)
		print_message("# a %lu %lu\n", a->at[i].cost.time_ns, front_second(a, &a->at[i].cost));
	for (uint32_t i = 0; !same && i < b->n; i++)
		print_message("# b %lu %lu\n", b->at[i].cost.time_ns, front_second(b, &b->at[i].cost));
	if (!same)
		fail_msg("seed %lu: fronts differ", seed);
}

/* Limits that bite: between the least and what a top-step run takes. */
static void set_limits(struct problem *pb, struct rng *rng, bool cap, bool late)
{
	const struct machine *m = pb->machine;

	if (cap)
		pb->cap_mw = m->full_mw * (40 + rng_below(rng, 60)) / 100;
	for (uint32_t p = 0; p < pb->n_phases && late; p++)
		pb->phases[p].limit_ns = 1000000 + rng_below(rng, 30000000);
	pb->limited = cap || late;
}

/* One block: the front of the block is that of all designs. */
static uint32_t check_block(uint64_t seed, bool peak, bool cap, bool late)
{
	const struct goal goal = {.objective = PLAN_TIME};
	const struct exact_options opts = {.max_work = UINT64_MAX};
	struct rng rng = rng_keyed(seed, 9, peak, cap);
	struct block_front f;
	struct front all;
	struct scratch s;
	struct design fixed;
	struct instance x;
	uint32_t n;

	draw(&x, seed, 1);
	set_limits(&x.pb, &rng, cap, late);
	scratch_init(&s, &x.pb);
	design_init(&fixed, &x.pb);
	front_init(&all, peak);
	brute_search(&x.pb, false, &goal, &all);
	exact_front(&x.pb, 0, &fixed, peak, &opts, &s, &f);
	assert_true(f.proven);
	if (all_heavy(&x.pb)) {
		same_front(&f.front, &all, seed);
		same_front(&f.bound, &all, seed);
	}
	n = f.front.n;
	front_release(&all);
	block_front_release(&f);
	design_release(&fixed);
	scratch_release(&s);
	drop(&x);
	return n;
}

static void the_front_of_a_block_is_that_of_all_designs(void **state)
{
	uint32_t points = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++)
		points += check_block(seed, false, false, false);
	assert_true(points > 150); /* there was something to choose from */
}

static void the_front_of_time_and_draw_is_that_of_all_designs(void **state)
{
	uint32_t points = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++)
		points += check_block(seed, true, false, false);
	assert_true(points > 100);
}

static void a_cap_and_phase_deadlines_cut_the_front_exactly(void **state)
{
	uint32_t empty = 0, full = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		uint32_t n = check_block(seed, seed % 2, seed % 3 != 0, seed % 3 != 1);

		empty += !n;
		full += n > 0;
	}
	assert_true(empty > 3 && full > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_front_of_a_block_is_that_of_all_designs),
		cmocka_unit_test(the_front_of_time_and_draw_is_that_of_all_designs),
		cmocka_unit_test(a_cap_and_phase_deadlines_cut_the_front_exactly),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
