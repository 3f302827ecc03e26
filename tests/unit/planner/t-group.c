/* SPDX-License-Identifier: MIT */
/* Changes that are weighed together, and sentences that agree with the plan's settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/result/emit.h"
#include "planner/result/reason.h"
#include "small.h"

/*
 * Two pairs of threads, tied by conflicts.  Main works a little beside them
 * on one core: in the second phase the first pair has time to spare for it,
 * in the third the second one has, so that pairs that trade places save just that.
 */
static void make_pairs(struct maker *k, double cycles_of_main)
{
	uint32_t create, barrier;

	maker_init(k, "pairs");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 1);
	barrier = maker_site(k, "worker", "pthread_barrier_wait", 2);
	for (uint32_t i = 0; i < 4; i++)
		maker_thread(k, "worker", 0, create, i);
	for (uint32_t p = 0; p < 3; p++) {
		maker_phase(k, p ? "barrier" : "create");
		for (uint32_t i = 1; i <= 4; i++) {
			bool spare = p && (i > 2) == (p == 2);
			struct model_work *w = maker_work(k, p, i, spare ? 9e7 : 1e8);

			w->starts = p == 0;
			if (p) {
				w->enter_site = barrier;
				w->enter_visit = p;
			}
		}
		if (p)
			maker_work(k, p, 0, cycles_of_main);
	}
	maker_conflict(k, 1, 2, 100);
	maker_conflict(k, 3, 4, 100);
}

/* Settings of the plan; *time_ns: what it takes. */
static uint32_t settings(double cycles_of_main, uint32_t worth, uint64_t *time_ns)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME,
					  .seed = 1,
					  .worth_set = true,
					  .trigger_worth = worth,
					  .threads = 1};
	struct planner p;
	struct platform pf;
	struct maker k;
	uint32_t n;

	small_platform(&pf, 1, 1, 2, 1, CLOCK_CORE);
	make_pairs(&k, cycles_of_main);
	assert_int_equal(planner_run(&p, &k.m, &pf, &o, NULL), 0);
	n = emit_count(&p.out);
	*time_ns = p.out.best_ev.total.time_ns;
	planner_release(&p);
	model_release(&k.m);
	platform_release(&pf);
	return n;
}

static void a_swap_worth_little_is_dropped_as_one(void **state)
{
	uint64_t all, few;
	uint32_t n;

	(void)state;
	n = settings(8e5, 0, &all);
	assert_true(settings(8e5, TRIGGER_WORTH, &few) + 4 <= n);
	assert_true(few > all);
	assert_true(few <= all + all / 1000000 * 4 * TRIGGER_WORTH);
}

static void a_swap_worth_more_stays(void **state)
{
	uint64_t all, few;

	(void)state;
	assert_int_equal(settings(8e6, TRIGGER_WORTH, &few), settings(8e6, 0, &all));
	assert_true(settings(8e6, 0, &all) >= 8);
	assert_int_equal(few, all);
}

/* ---- reasons ---- */

/* Main alone first, then three workers; @beside: main works beside them too. */
static void open_placed(struct planner *p, struct maker *k, struct platform *pf, bool beside)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME, .threads = 1};
	uint32_t create;

	small_platform(pf, 1, 1, 2, 1, CLOCK_CORE);
	maker_init(k, "placed");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 1);
	maker_serial(k, 1e8, MODEL_NONE);
	maker_phase(k, "create");
	for (uint32_t i = 0; i < 3; i++)
		maker_work(k, 1, maker_thread(k, "worker", 0, create, i), 1e8)->starts = true;
	if (beside)
		maker_work(k, 1, 0, 1e8);
	assert_int_equal(planner_prepare(p, &k->m, pf, &o, NULL), 0);
	/* Main and the first two workers on one core. */
	for (uint32_t i = 0; i < p->problem.n_slots; i++)
		p->out.best.unit[i] = p->problem.slots[i].thread == 3;
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
}

static void says(struct planner *p, uint32_t thread, const char *wanted)
{
	char *evidence = NULL, *reason = NULL;

	for (uint32_t i = 0; i < p->problem.n_slots && !reason; i++)
		if (p->problem.slots[i].thread == thread)
			reason = planner_thread_reason(&p->out, i, &evidence);
	assert_non_null(reason);
	assert_string_equal(reason, wanted);
	free(reason);
	free(evidence);
}

static void who_shares_a_core_is_named(void **state)
{
	struct planner p;
	struct maker k;
	struct platform pf;

	(void)state;
	open_placed(&p, &k, &pf, true);
	says(&p, 1, "shares core 0 with worker (thread 2): their work in turn ends in time");
	says(&p, 3, "has core 2 to itself");
	p.out.place_main = true;
	says(&p, 1,
	     "shares core 0 with main (thread 0) and worker (thread 2): their work in turn ends in time");
	says(&p, 0,
	     "shares core 0 with worker (thread 1) and worker (thread 2): their work in turn ends in time");
	says(&p, 3, "has core 2 to itself");
	planner_release(&p);
	model_release(&k.m);
	platform_release(&pf);
}

static void a_core_used_by_others_at_other_times_is_called_so(void **state)
{
	struct planner p;
	struct maker k;
	struct platform pf;

	(void)state;
	open_placed(&p, &k, &pf, false);
	p.out.place_main = true;
	says(&p, 0, "has core 0 to itself while it works: others use it at other times");
	says(&p, 1, "shares core 0 with worker (thread 2): their work in turn ends in time");
	planner_release(&p);
	model_release(&k.m);
	platform_release(&pf);
}

/* ---- front ---- */

/* A plan of the front that takes as long as the plan itself pins main no more than that does. */
static void the_front_pins_main_as_the_plan_does(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME, .seed = 1, .threads = 1, .front = 20};
	struct planner p;
	struct plan plan, point;
	struct platform pf;
	struct maker k;
	uint32_t met = 0;

	(void)state;
	small_platform(&pf, 1, 1, 2, 2, CLOCK_CORE);
	make_pairs(&k, 1e5);
	assert_int_equal(planner_run(&p, &k.m, &pf, &o, NULL), 0);
	assert_int_equal(p.out.verdict, PLANNER_GAIN);
	assert_int_equal(planner_emit(&p.out, &plan, NULL), 0);
	assert_int_equal(plan.threads[0].core, PLAN_NONE);
	for (uint32_t i = 0; i < p.out.n_plans; i++) {
		assert_int_equal(planner_front_plan(&p, i, &point, NULL), 0);
		assert_int_equal(point.threads[0].core, PLAN_NONE);
		met += plan_thread_starts(&point) == plan_thread_starts(&plan);
		plan_release(&point);
	}
	assert_true(met);
	plan_release(&plan);
	planner_release(&p);
	model_release(&k.m);
	platform_release(&pf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_swap_worth_little_is_dropped_as_one),
		cmocka_unit_test(a_swap_worth_more_stays),
		cmocka_unit_test(who_shares_a_core_is_named),
		cmocka_unit_test(a_core_used_by_others_at_other_times_is_called_so),
		cmocka_unit_test(the_front_pins_main_as_the_plan_does),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
