/* SPDX-License-Identifier: MIT */
/* Phases, slots, epochs and blocks: where threads can be moved, and where not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/planner/small.h"

struct setup {
	struct platform pf;
	struct machine m;
	struct maker k;
	struct problem pb;
	uint32_t create, join, barrier;
};

static void begin(struct setup *x, uint32_t workers)
{
	memset(x, 0, sizeof(*x));
	small_platform(&x->pf, 2, 1, 2, 2, CLOCK_CORE);
	maker_init(&x->k, "p");
	maker_thread(&x->k, "main", MODEL_NONE, MODEL_NONE, 0);
	x->create = maker_site(&x->k, "main", "pthread_create", 1);
	x->join = maker_site(&x->k, "main", "pthread_join", 2);
	x->barrier = maker_site(&x->k, "worker", "pthread_barrier_wait", 3);
	for (uint32_t i = 0; i < workers; i++)
		maker_thread(&x->k, "worker", 0, x->create, i);
}

static struct model_work *work(struct setup *x, uint32_t phase, uint32_t thread, double cycles, bool starts)
{
	struct model_work *w = maker_work(&x->k, phase, thread, cycles);

	w->starts = starts;
	return w;
}

static void enter(struct model_work *w, uint32_t site, uint32_t visit, uint32_t every)
{
	w->enter_site = site;
	w->enter_visit = visit;
	w->enter_every = every;
}

static void make(struct setup *x)
{
	struct err err = ERR_INIT;

	assert_int_equal(machine_init(&x->m, &x->pf, &err), 0);
	if (problem_init(&x->pb, &x->k.m, &x->m, &err))
		fail_msg("%s", err.msg);
}

static void end(struct setup *x)
{
	problem_release(&x->pb);
	machine_release(&x->m);
	model_release(&x->k.m);
	platform_release(&x->pf);
}

static uint32_t slot(const struct setup *x, uint32_t phase, uint32_t thread)
{
	return x->pb.home[(size_t)phase * x->pb.model->n_threads + thread];
}

static void joins_of_one_worker_after_the_other_make_one_phase(void **state)
{
	struct setup x;

	(void)state;
	begin(&x, 3);
	maker_phase(&x.k, "create");
	for (uint32_t i = 1; i <= 3; i++)
		work(&x, 0, i, 1e7, true);
	maker_phase(&x.k, "join");
	work(&x, 1, 2, 4e6, false);
	work(&x, 1, 3, 3e6, false);
	maker_phase(&x.k, "join");
	work(&x, 2, 3, 2e6, false);
	make(&x);
	assert_int_equal(x.pb.n_phases, 1);
	assert_int_equal(x.pb.n_slots, 3);
	for (uint32_t i = 0; i < 3; i++) {
		static const uint64_t cycles[] = {0, 10000000, 14000000, 15000000};
		const struct prob_member *m = &x.pb.phases[0].members[i];

		assert_int_equal(m->cycles, cycles[m->thread]);
	}
	end(&x);
}

static void a_barrier_keeps_phases_apart_even_if_nobody_can_be_moved_there(void **state)
{
	struct setup x;

	(void)state;
	begin(&x, 2);
	maker_phase(&x.k, "create");
	maker_phase(&x.k, "barrier");
	for (uint32_t p = 0; p < 2; p++)
		for (uint32_t i = 1; i <= 2; i++)
			work(&x, p, i, 1e7, p == 0);
	make(&x);
	assert_int_equal(x.pb.n_phases, 2);
	assert_int_equal(x.pb.n_slots, 2);
	assert_int_equal(x.pb.n_blocks, 1); /* tied: one core for both phases */
	assert_int_equal(x.pb.n_epochs, 1);
	end(&x);
}

static void a_call_site_opens_a_slot_of_its_own(void **state)
{
	struct setup x;

	(void)state;
	begin(&x, 2);
	maker_phase(&x.k, "create");
	maker_phase(&x.k, "barrier");
	for (uint32_t p = 0; p < 2; p++)
		for (uint32_t i = 1; i <= 2; i++) {
			struct model_work *w = work(&x, p, i, 1e7, p == 0);

			if (p)
				enter(w, x.barrier, 1, 0);
		}
	make(&x);
	assert_int_equal(x.pb.n_slots, 4);
	assert_int_equal(x.pb.n_blocks, 2);
	assert_int_equal(x.pb.n_epochs, 2);
	assert_int_equal(x.pb.slots[slot(&x, 1, 1)].kind, SLOT_SITE);
	assert_int_equal(x.pb.edges[1].n_arrivals, 2);
	end(&x);
}

static void a_rejected_phase_opens_no_slot(void **state)
{
	struct setup x;

	(void)state;
	begin(&x, 1);
	maker_phase(&x.k, "create");
	work(&x, 0, 1, 1e7, true);
	maker_phase(&x.k, "barrier");
	enter(work(&x, 1, 1, 1e7, false), x.barrier, 1, 0);
	x.k.m.phases[1].accepted = false;
	make(&x);
	assert_int_equal(x.pb.n_slots, 1);
	end(&x);
}

static void threads_that_cannot_be_planned_stay_where_the_baseline_has_them(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY};
	struct planner p;
	struct plan plan;
	struct setup x;

	(void)state;
	begin(&x, 2);
	maker_phase(&x.k, "create");
	work(&x, 0, 1, 1e9, true);
	work(&x, 0, 2, 1e9, true);
	x.k.m.threads[2].plannable = false;
	make(&x);
	assert_int_equal(x.pb.slots[slot(&x, 0, 2)].kind, SLOT_FIXED);
	assert_int_equal(planner_run(&p, &x.k.m, &x.pf, &o, NULL), 0);
	assert_int_equal(p.out.best.unit[slot(&x, 0, 2)], p.out.base.unit[slot(&x, 0, 2)]);
	assert_int_equal(p.machine.units[p.out.best.unit[slot(&x, 0, 1)]].package,
			 p.machine.units[p.out.best.unit[slot(&x, 0, 2)]].package);
	assert_int_equal(planner_emit(&p.out, &plan, NULL), 0);
	assert_int_equal(plan.threads[2].core, PLAN_NONE);
	assert_int_not_equal(plan.threads[1].core, PLAN_NONE);
	plan_release(&plan);
	planner_release(&p);
	end(&x);
}

static void a_thread_without_work_that_matters_follows_its_creator(void **state)
{
	struct setup x;

	(void)state;
	begin(&x, 2);
	maker_phase(&x.k, "create");
	work(&x, 0, 0, 1e3, true);
	work(&x, 0, 1, 1e9, true);
	work(&x, 0, 2, 1e3, true);
	make(&x);
	assert_int_equal(x.pb.phases[0].n_heavy, 1);
	assert_int_equal(x.pb.slots[slot(&x, 0, 2)].kind, SLOT_FOLLOW);
	assert_int_equal(x.pb.slots[slot(&x, 0, 2)].follow, slot(&x, 0, 0));
	assert_int_equal(x.pb.slots[slot(&x, 0, 0)].kind, SLOT_PROGRAM);
	end(&x);
}

static void many_threads_with_little_work_are_not_light_together(void **state)
{
	struct setup x;

	(void)state;
	begin(&x, 11);
	maker_phase(&x.k, "create");
	work(&x, 0, 1, 1e9, true);
	for (uint32_t i = 2; i <= 11; i++)
		work(&x, 0, i, 4e6, true);
	make(&x);
	/* Each has 0.4 %, two of them stay below 1 % together. */
	assert_int_equal(x.pb.phases[0].n_heavy, 9);
	end(&x);
}

/* A loop of two phases: all workers pass the barrier twice a turn. */
static void make_loop(struct setup *x, uint32_t second_visit)
{
	begin(x, 2);
	maker_phase(&x->k, "create");
	maker_phase(&x->k, "barrier");
	maker_phase(&x->k, "barrier");
	for (uint32_t i = 1; i <= 2; i++) {
		work(x, 0, i, 1e7, true);
		enter(work(x, 1, i, 1e7, false), x->barrier, 1, second_visit == 2 ? 2 : 1);
		enter(work(x, 2, i, 2e7, false), x->barrier, second_visit, second_visit == 2 ? 2 : 1);
	}
	x->k.m.phases[1].repeats = x->k.m.phases[2].repeats = 10;
	make(x);
}

static void changes_in_a_loop_are_paid_on_every_turn(void **state)
{
	struct setup x;

	(void)state;
	make_loop(&x, 2);
	/* start, into 1, back into 1, into 2 the first time and later */
	assert_int_equal(x.pb.n_edges, 5);
	assert_int_equal(x.pb.edge_at[2] - x.pb.edge_at[1], 2);
	assert_int_equal(x.pb.edges[x.pb.edge_at[1]].count, 1);
	assert_int_equal(x.pb.edges[x.pb.edge_at[1] + 1].count, 9);
	assert_int_equal(x.pb.edges[x.pb.edge_at[1] + 1].from, 2);
	assert_int_equal(x.pb.edges[x.pb.edge_at[1] + 1].n_arrivals, 2);
	end(&x);
}

static void repeats_one_after_the_other_are_no_loop(void **state)
{
	struct setup x;

	(void)state;
	make_loop(&x, 11);
	assert_int_equal(x.pb.n_edges, 3);
	end(&x);
}

/* What comes less often by one is in the loop, if it is not over or a single phase behind it. */
static void the_last_turn_of_a_loop_may_end_early(void **state)
{
	struct setup x;

	(void)state;
	make_loop(&x, 2);
	problem_release(&x.pb);
	x.k.m.phases[2].repeats = 9;
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &(struct err)ERR_INIT), 0);
	/* Into 2 once and then 8 times, each time out of 1. */
	assert_int_equal(x.pb.n_edges, 5);
	assert_int_equal(x.pb.edges[x.pb.edge_at[1] + 1].count, 9);
	assert_int_equal(x.pb.edges[x.pb.edge_at[2] + 1].count, 8);
	assert_int_equal(x.pb.edges[x.pb.edge_at[2] + 1].from, 1);
	problem_release(&x.pb);
	x.k.m.phases[2].repeats = 8;
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &(struct err)ERR_INIT), 0);
	assert_int_equal(x.pb.n_edges, 3);
	problem_release(&x.pb);
	/* Twice and once: by the same call between the two visits, or else behind both. */
	x.k.m.phases[1].repeats = 2;
	x.k.m.phases[2].repeats = 1;
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &(struct err)ERR_INIT), 0);
	assert_int_equal(x.pb.n_edges, 4);
	problem_release(&x.pb);
	x.k.m.phases[2].work[0].enter_site = x.k.m.phases[2].work[1].enter_site = MODEL_NONE;
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &(struct err)ERR_INIT), 0);
	assert_int_equal(x.pb.n_edges, 3);
	end(&x);
}

static void models_without_work_or_chain_are_refused(void **state)
{
	struct err err = ERR_INIT;
	struct setup x;

	(void)state;
	begin(&x, 1);
	assert_int_equal(machine_init(&x.m, &x.pf, &err), 0);
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &err), -EINVAL);
	maker_phase(&x.k, "create");
	work(&x, 0, 1, 0, true);
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &err), -EINVAL);
	x.k.m.phases[0].work[0].cycles = 1000;
	x.k.m.phases[0].after = 0;
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "chain"));
	end(&x);
}

static void runs_that_overflow_the_sums_are_refused(void **state)
{
	struct err err = ERR_INIT;
	struct setup x;

	(void)state;
	begin(&x, 2);
	maker_phase(&x.k, "create");
	work(&x, 0, 1, 0, true)->cycles = UINT64_MAX;
	work(&x, 0, 2, 0, true)->memory_ns = UINT64_MAX;
	x.k.m.phases[0].repeats = UINT32_MAX;
	assert_int_equal(machine_init(&x.m, &x.pf, &err), 0);
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, &err), -ERANGE);
	end(&x);
}

static void platforms_that_contradict_themselves_are_refused(void **state)
{
	struct err err = ERR_INIT;
	struct setup x;

	(void)state;
	begin(&x, 1);
	x.pf.steps[1].idle_mw = x.pf.steps[1].busy_mw + 1;
	assert_int_equal(machine_init(&x.m, &x.pf, &err), -EINVAL);
	x.pf.steps[1].idle_mw = 0;
	for (uint32_t i = 0; i < x.pf.n_cores; i++)
		x.pf.cores[i].usable = false;
	assert_int_equal(machine_init(&x.m, &x.pf, &err), -ENODEV);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_of_one_worker_after_the_other_make_one_phase),
		cmocka_unit_test(a_barrier_keeps_phases_apart_even_if_nobody_can_be_moved_there),
		cmocka_unit_test(a_call_site_opens_a_slot_of_its_own),
		cmocka_unit_test(a_rejected_phase_opens_no_slot),
		cmocka_unit_test(threads_that_cannot_be_planned_stay_where_the_baseline_has_them),
		cmocka_unit_test(a_thread_without_work_that_matters_follows_its_creator),
		cmocka_unit_test(many_threads_with_little_work_are_not_light_together),
		cmocka_unit_test(changes_in_a_loop_are_paid_on_every_turn),
		cmocka_unit_test(repeats_one_after_the_other_are_no_loop),
		cmocka_unit_test(the_last_turn_of_a_loop_may_end_early),
		cmocka_unit_test(models_without_work_or_chain_are_refused),
		cmocka_unit_test(runs_that_overflow_the_sums_are_refused),
		cmocka_unit_test(platforms_that_contradict_themselves_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
