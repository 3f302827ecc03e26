/* SPDX-License-Identifier: MIT */
/* Kinds of plans: what each may change, what each reaches, and how many triggers it takes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "brute.h"
#include "planner/result/emit.h"
#include "small.h"

#define INSTANCES 10

static const struct planner_options thorough = {
	.goal.objective = PLAN_ENERGY, .seed = 1, .worth_set = true, .threads = 1};

/* Two stages of main after a call each, then workers, a barrier, and main alone again. */
static void staged(struct maker *k, uint64_t seed)
{
	struct rng rng = rng_keyed(seed, 3, 0, 0);
	uint32_t call, create, barrier;

	maker_init(k, "staged");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	call = maker_site(k, "main", "stage", 1);
	create = maker_site(k, "main", "pthread_create", 2);
	barrier = maker_site(k, "worker", "pthread_barrier_wait", 3);
	maker_serial(k, 5e6 + (double)rng_below(&rng, 100000000), MODEL_NONE);
	for (uint32_t i = 1; i <= 2; i++) {
		struct model_work *w =
			maker_work(k, maker_phase(k, "call"), 0, 5e6 + (double)rng_below(&rng, 100000000));

		w->memory_ns = rng_below(&rng, 40000000);
		w->enter_site = call;
		w->enter_visit = i;
	}
	maker_phase(k, "create");
	for (uint32_t i = 1; i <= 2; i++)
		maker_work(k, 3, maker_thread(k, "worker", 0, create, i - 1),
			   5e6 + (double)rng_below(&rng, 50000000))
			->starts = true;
	maker_phase(k, "barrier");
	for (uint32_t i = 1; i <= 2; i++) {
		struct model_work *w = maker_work(k, 4, i, 5e6 + (double)rng_below(&rng, 50000000));

		w->memory_ns = rng_below(&rng, 40000000);
		w->enter_site = barrier;
		w->enter_visit = 1;
	}
}

static void plan(const struct maker *k, const struct platform *pf, enum plan_kind kind, struct planner *p)
{
	struct planner_options o = thorough;

	o.kind = kind;
	assert_int_equal(planner_run(p, &k->m, pf, &o, NULL), 0);
}

/* Each kind has the slots and epochs that it may have. */
static void kinds_differ_in_what_may_change(void **state)
{
	struct platform pf;
	struct maker k;
	struct planner p;

	(void)state;
	small_platform(&pf, 2, 1, 2, 2, CLOCK_PACKAGE);
	staged(&k, 1);
	plan(&k, &pf, PLAN_KIND_CALL, &p);
	assert_int_equal(p.problem.n_slots, 7);
	assert_int_equal(p.problem.n_epochs, 5);
	planner_release(&p);
	plan(&k, &pf, PLAN_KIND_PHASE, &p);
	assert_int_equal(p.problem.n_slots, 5);
	assert_int_equal(p.problem.n_epochs, 3);
	planner_release(&p);
	plan(&k, &pf, PLAN_KIND_START, &p);
	assert_int_equal(p.problem.n_slots, 3);
	assert_int_equal(p.problem.n_epochs, 2);
	planner_release(&p);
	model_release(&k.m);
	platform_release(&pf);
}

static void check_triggers(struct planner *p)
{
	struct plan out;

	assert_int_equal(planner_emit(&p->out, &out, NULL), 0);
	if (p->out.verdict == PLANNER_GAIN)
		assert_int_equal(p->out.reach[p->task.opts.kind].triggers,
				 plan_thread_starts(&out) + plan_call_triggers(&out));
	if (p->task.opts.kind == PLAN_KIND_START)
		assert_int_equal(plan_call_triggers(&out), 0);
	assert_int_equal(out.n_kinds, PLAN_KINDS);
	assert_int_equal(out.kinds[0].kind, PLAN_KIND_START);
	assert_int_equal(out.kinds[2].kind, PLAN_KIND_CALL);
	plan_release(&out);
}

/* Of each kind the best of all designs is found, and a step up is never worse. */
static void each_kind_is_the_best_of_its_designs(void **state)
{
	uint64_t designs = 0, last[PLAN_KINDS];

	(void)state;
	for (uint64_t seed = 1; seed <= INSTANCES; seed++) {
		struct platform pf;
		struct maker k;
		bool differ = false;

		small_platform(&pf, 1, 1, 2, 2, CLOCK_CORE);
		staged(&k, seed);
		for (int kind = PLAN_KIND_START; kind >= 0; kind--) {
			struct planner p;

			plan(&k, &pf, (enum plan_kind)kind, &p);
			last[kind] = brute_force(&p, &designs);
			assert_int_equal(p.out.best_ev.total.energy_pj, last[kind]);
			if (p.out.verdict == PLANNER_GAIN)
				assert_int_equal(p.out.reach[kind].energy_pj, last[kind]);
			check_triggers(&p);
			if (kind != PLAN_KIND_START) {
				assert_true(last[kind] <= last[kind + 1]);
				assert_true(p.out.reach[kind].energy_pj <= p.out.reach[kind + 1].energy_pj);
				differ |= last[kind] < last[kind + 1];
			}
			planner_release(&p);
		}
		if (seed == 1)
			assert_true(differ);
		model_release(&k.m);
		platform_release(&pf);
	}
	assert_true(designs > 1000);
}

/* What all kinds reach is the same, whichever was asked for. */
static void the_table_does_not_depend_on_the_kind_asked_for(void **state)
{
	struct platform pf;
	struct maker k;

	(void)state;
	small_platform(&pf, 2, 1, 2, 2, CLOCK_PACKAGE);
	for (uint64_t seed = 1; seed <= INSTANCES; seed++) {
		struct kind_reach seen[PLAN_KINDS][PLAN_KINDS];

		staged(&k, seed);
		for (uint32_t kind = 0; kind < PLAN_KINDS; kind++) {
			struct planner p;

			plan(&k, &pf, (enum plan_kind)kind, &p);
			memcpy(seen[kind], p.out.reach, sizeof(p.out.reach));
			planner_release(&p);
		}
		for (uint32_t kind = 1; kind < PLAN_KINDS; kind++)
			for (uint32_t i = 0; i < PLAN_KINDS; i++)
				assert_int_equal(seen[kind][i].energy_pj, seen[0][i].energy_pj);
		model_release(&k.m);
	}
	platform_release(&pf);
}

/* The more a trigger must be worth, the fewer there are; nothing is dropped for nothing. */
static void triggers_below_their_worth_are_dropped(void **state)
{
	static const uint32_t worth[] = {0, 500, 10000, 100000, 1000000};
	struct platform pf;
	struct maker k;
	uint32_t before = UINT32_MAX, first = 0;
	uint64_t energy = 0;

	(void)state;
	small_platform(&pf, 2, 1, 2, 2, CLOCK_CORE);
	staged(&k, 4);
	for (size_t i = 0; i < sizeof(worth) / sizeof(worth[0]); i++) {
		struct planner_options o = thorough;
		struct planner p;
		uint32_t n;

		o.trigger_worth = worth[i];
		assert_int_equal(planner_run(&p, &k.m, &pf, &o, NULL), 0);
		n = emit_count(&p.out);
		assert_true(n <= before);
		assert_true(p.out.best_ev.total.energy_pj >= energy);
		first = i ? first : n;
		before = n;
		energy = p.out.best_ev.total.energy_pj;
		planner_release(&p);
	}
	assert_true(before < first);
	model_release(&k.m);
	platform_release(&pf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_differ_in_what_may_change),
		cmocka_unit_test(each_kind_is_the_best_of_its_designs),
		cmocka_unit_test(the_table_does_not_depend_on_the_kind_asked_for),
		cmocka_unit_test(triggers_below_their_worth_are_dropped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
