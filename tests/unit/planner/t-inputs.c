/* SPDX-License-Identifier: MIT */
/* Several models in one plan: what is joined, what is refused, and that the mean and the worst are the best there are. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "brute.h"
#include "planner/result/emit.h"
#include "small.h"

#define INSTANCES 12

static const char *const names[] = {"a.yaml", "b.yaml", "c.yaml"};

/* @n inputs of one program with @threads, whose work is drawn anew. */
static void make_inputs(struct maker *k, uint32_t n, uint64_t seed, uint32_t threads, uint32_t conflicts)
{
	for (uint32_t s = 0; s < n; s++) {
		struct rng rng = rng_keyed(seed, s, 7, 0);

		small_model(&k[s], &rng, threads, s ? 0 : conflicts, 2);
	}
}

static void release_inputs(struct maker *k, uint32_t n)
{
	for (uint32_t s = 0; s < n; s++)
		model_release(&k[s].m);
}

static int join(struct inputs *in, const struct maker *k, struct model *models, uint32_t n, struct err *err)
{
	for (uint32_t s = 0; s < n; s++)
		models[s] = k[s].m;
	return inputs_join(in, models, names, n, err);
}

static const struct planner_options thorough = {
	.goal.objective = PLAN_ENERGY, .seed = 1, .worth_set = true, .threads = 1};

/* The plan found for drawn inputs is the best of all designs, and no better than the bound. */
static void is_best(enum plan_over over)
{
	uint64_t designs = 0;

	for (uint64_t seed = 1; seed <= INSTANCES; seed++) {
		struct planner_options o = thorough;
		struct model models[3];
		struct platform pf;
		struct inputs in;
		struct planner p;
		struct maker k[3];
		uint64_t least;
		struct cost c;

		small_platform(&pf, 2, 1, 2, 2, CLOCK_PACKAGE);
		make_inputs(k, 2 + seed % 2, seed, 3, seed % 3);
		assert_int_equal(join(&in, k, models, 2 + seed % 2, NULL), 0);
		o.inputs = &in;
		o.over = over;
		assert_int_equal(planner_run(&p, &in.joined, &pf, &o, NULL), 0);
		least = brute_force(&p, &designs);
		c = outcome_cost(&p.out, &p.out.best_ev);
		if (c.energy_pj != least)
			print_message("# instance %d: %.0f, least %.0f\n", (int)seed, (double)c.energy_pj,
				      (double)least);
		assert_int_equal(c.energy_pj, least);
		assert_true(over == PLAN_OVER_WORST ? p.out.worst_bound.energy_pj <= least
						    : p.out.bound.energy_pj <= least);
		planner_release(&p);
		inputs_release(&in);
		release_inputs(k, 2 + seed % 2);
		platform_release(&pf);
	}
	assert_true(designs > INSTANCES * 1000);
}

static void the_mean_is_the_best_of_all_designs(void **state)
{
	(void)state;
	is_best(PLAN_OVER_MEAN);
}

static void the_worst_input_is_the_best_of_all_designs(void **state)
{
	(void)state;
	is_best(PLAN_OVER_WORST);
}

/* A model twice is as good as once: same figures, same places. */
static void the_same_input_twice_changes_nothing(void **state)
{
	struct planner_options o = thorough;
	struct model models[3];
	struct platform pf;
	struct inputs in;
	struct planner one, two;
	struct plan a, b;
	struct maker k[2];

	(void)state;
	small_platform(&pf, 2, 2, 2, 2, CLOCK_GROUP);
	for (uint32_t s = 0; s < 2; s++) {
		struct rng rng = rng_keyed(5, 0, 0, 0);

		small_model(&k[s], &rng, 4, 2, 2);
	}
	assert_int_equal(join(&in, k, models, 2, NULL), 0);
	assert_int_equal(in.joined.n_threads, 5);
	assert_int_equal(planner_run(&one, &models[0], &pf, &o, NULL), 0);
	o.inputs = &in;
	assert_int_equal(planner_run(&two, &in.joined, &pf, &o, NULL), 0);
	assert_int_equal(planner_emit(&one.out, &a, NULL), 0);
	assert_int_equal(planner_emit(&two.out, &b, NULL), 0);
	assert_int_equal(a.time_ns, b.time_ns);
	assert_int_equal(a.energy_nj, b.energy_nj);
	assert_int_equal(a.base_energy_nj, b.base_energy_nj);
	assert_int_equal(a.n_phases, b.n_phases);
	assert_int_equal(a.n_triggers, b.n_triggers);
	for (size_t i = 0; i < a.n_threads; i++)
		assert_int_equal(a.threads[i].core, b.threads[i].core);
	assert_int_equal(a.n_inputs, 0);
	assert_int_equal(b.n_inputs, 2);
	plan_release(&a);
	plan_release(&b);
	planner_release(&one);
	planner_release(&two);
	inputs_release(&in);
	release_inputs(k, 2);
	platform_release(&pf);
}

/* An input without the last thread: it has no work there, and is planned for the others. */
static void a_thread_may_be_missing_in_an_input(void **state)
{
	struct planner_options o = thorough;
	struct model models[3];
	struct platform pf;
	struct inputs in;
	struct planner p;
	struct maker k[2];
	struct rng rng = rng_keyed(9, 0, 0, 0);

	(void)state;
	small_platform(&pf, 1, 2, 2, 2, CLOCK_GROUP);
	small_model(&k[0], &rng, 3, 0, 2);
	small_model(&k[1], &rng, 4, 0, 2);
	assert_int_equal(join(&in, k, models, 2, NULL), 0);
	assert_int_equal(in.joined.n_threads, 5);
	assert_int_equal(in.each[0].phases[1].work[3].cycles, 0);
	assert_true(in.each[1].phases[1].work[3].cycles > 0);
	assert_false(in.agrees[1][3]);
	assert_true(in.agrees[1][2]);
	o.inputs = &in;
	assert_int_equal(planner_run(&p, &in.joined, &pf, &o, NULL), 0);
	assert_true(eval_balanced(&p.problem, &p.out.best, &p.search.scratch, &p.out.best_ev));
	/* Nobody passes a trigger at the barrier in both inputs but the first three. */
	for (uint32_t i = 0; i < p.problem.n_slots; i++)
		assert_true(p.problem.slots[i].kind != SLOT_SITE || p.problem.slots[i].thread != 4);
	planner_release(&p);
	inputs_release(&in);
	release_inputs(k, 2);
	platform_release(&pf);
}

static void refuses(struct maker *k, const char *words)
{
	struct err err = ERR_INIT;
	struct model models[3];
	struct inputs in;

	assert_int_equal(join(&in, k, models, 2, &err), -EINVAL);
	if (!strstr(err.msg, words))
		fail_msg("'%s' does not say '%s'", err.msg, words);
	release_inputs(k, 2);
}

static void what_is_not_alike_is_refused_by_name(void **state)
{
	struct maker k[2];

	(void)state;
	make_inputs(k, 2, 1, 3, 0);
	k[1].m.program[0] = 'x';
	refuses(k, "'a.yaml' is a model of `small`, 'b.yaml' one of `xmall`");
	make_inputs(k, 2, 1, 3, 0);
	k[1].m.build_id[0] = 'f';
	refuses(k, "different builds");
	make_inputs(k, 2, 1, 3, 0);
	maker_work(&k[1], maker_phase(&k[1], "join"), 0, 1e6);
	refuses(k, "'a.yaml' has 2 phases, 'b.yaml' has 3");
	make_inputs(k, 2, 1, 3, 0);
	free(k[1].m.phases[1].opened_by);
	k[1].m.phases[1].opened_by = mem_strdup("join");
	refuses(k, "phase 1 of the run is opened by barrier in 'a.yaml', by join in 'b.yaml'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mean_is_the_best_of_all_designs),
		cmocka_unit_test(the_worst_input_is_the_best_of_all_designs),
		cmocka_unit_test(the_same_input_twice_changes_nothing),
		cmocka_unit_test(a_thread_may_be_missing_in_an_input),
		cmocka_unit_test(what_is_not_alike_is_refused_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
