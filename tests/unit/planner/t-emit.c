/* SPDX-License-Identifier: MIT */
/* From the best design to triggers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/result/emit.h"
#include "small.h"

/*
 * Two pairs of threads; the conflicts change partners from phase to phase, so
 * that threads have to move.  With @turns > 1 the two phases are a loop.
 */
static void make_partners(struct maker *k, uint32_t turns, double cycles)
{
	uint32_t create, barrier;

	maker_init(k, "partners");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 1);
	barrier = maker_site(k, "worker", "pthread_barrier_wait", 2);
	for (uint32_t i = 0; i < 4; i++)
		maker_thread(k, "worker", 0, create, i);
	for (uint32_t p = 0; p < 3; p++) {
		maker_phase(k, p ? "barrier" : "create");
		k->m.phases[p].repeats = p ? turns : 1;
		for (uint32_t i = 1; i <= 4; i++) {
			struct model_work *w = maker_work(k, p, i, cycles);

			w->starts = p == 0;
			if (!p)
				continue;
			w->enter_site = barrier;
			w->enter_visit = p;
			w->enter_every = turns > 1 ? 2 : 0;
		}
	}
	for (uint32_t p = 0; p < 3; p++) {
		maker_conflict(k, 1, p == 1 ? 3 : 2, 30);
		k->m.conflicts[k->m.n_conflicts - 1].phase = p;
		maker_conflict(k, p == 1 ? 2 : 3, 4, 30);
		k->m.conflicts[k->m.n_conflicts - 1].phase = p;
	}
}

struct made {
	struct platform pf;
	struct maker k;
	struct planner p;
	struct plan plan;
};

static void plan_it(struct made *x, const struct planner_options *o)
{
	struct err err = ERR_INIT;

	if (planner_run(&x->p, &x->k.m, &x->pf, o, &err))
		fail_msg("%s", err.msg);
	if (planner_emit(&x->p.out, &x->plan, &err))
		fail_msg("%s", err.msg);
}

static void drop(struct made *x)
{
	plan_release(&x->plan);
	planner_release(&x->p);
	model_release(&x->k.m);
	platform_release(&x->pf);
}

/* ... a loop whose first turn begins where the threads start: the last one lacks the second phase. */
static void make_partners_from_the_start(struct maker *k, uint32_t turns, double cycles)
{
	make_partners(k, turns, cycles);
	k->m.phases[2].repeats = turns - 1;
}

/* Make the conflicts free behind one cache, costly elsewhere. */
static void partner_platform(struct platform *pf)
{
	small_platform(pf, 1, 2, 2, 1, CLOCK_CORE);
	for (int k = 0; k < PRS_KIND_N; k++) {
		pf->price[k].shared_ps[DIST_CACHE] = 5000;
		pf->price[k].shared_ps[DIST_PACKAGE] = 50000;
	}
}

static void threads_move_at_the_call_by_which_they_enter(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;
	unsigned back = 0;

	(void)state;
	partner_platform(&x.pf);
	make_partners(&x.k, 1, 1e8);
	plan_it(&x, &o);
	assert_int_equal(x.p.out.verdict, PLANNER_GAIN);
	/* One thread of each pair changes places, and back again. */
	assert_int_equal(x.plan.n_triggers, 4);
	for (size_t i = 0; i < x.plan.n_triggers; i++) {
		const struct plan_trigger *t = &x.plan.triggers[i];

		assert_true(t->number > (i ? x.plan.triggers[i - 1].number : 0));
		assert_int_equal(t->at, PLAN_AT_CALL);
		assert_true(t->after);
		assert_in_range(t->first, 1, 2);
		back += t->first == 2;
		assert_int_equal(t->every, 0);
		assert_string_equal(x.plan.sites[t->site].callee, "pthread_barrier_wait");
		assert_int_equal(t->n_actions, 1);
		assert_int_equal(t->actions[0].kind, PLAN_PIN);
		assert_non_null(t->evidence);
		assert_non_null(t->reason);
	}
	assert_int_equal(back, 2);
	drop(&x);
}

static void moves_in_a_loop_fire_on_every_turn(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;

	(void)state;
	partner_platform(&x.pf);
	make_partners(&x.k, 10, 1e8);
	plan_it(&x, &o);
	assert_int_equal(x.p.out.verdict, PLANNER_GAIN);
	assert_int_equal(x.plan.n_triggers, 4);
	for (size_t i = 0; i < x.plan.n_triggers; i++)
		assert_int_equal(x.plan.triggers[i].every, 2);
	drop(&x);
}

/* ... two turns have one of the second phase, which the calls show to be inside. */
static void moves_in_a_loop_from_the_start_fire_on_every_turn(void **state)
{
	static const uint32_t turns[] = {10, 2};

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct planner_options o = {.goal.objective = PLAN_TIME};
		unsigned into_first = 0;
		struct made x;

		partner_platform(&x.pf);
		make_partners_from_the_start(&x.k, turns[i], 1e8);
		x.k.m.phases[2].work[0].enter_every = x.k.m.phases[2].work[1].enter_every =
			x.k.m.phases[2].work[2].enter_every = x.k.m.phases[2].work[3].enter_every =
				turns[i] > 2 ? 2 : 0;
		plan_it(&x, &o);
		assert_int_equal(x.p.out.verdict, PLANNER_GAIN);
		assert_int_equal(x.plan.n_triggers, 4);
		for (size_t k = 0; k < x.plan.n_triggers; k++) {
			const struct plan_trigger *t = &x.plan.triggers[k];

			into_first += t->first == 1;
			assert_int_equal(t->every, t->first == 1 || turns[i] > 2 ? 2 : 0);
		}
		assert_int_equal(into_first, 2);
		drop(&x);
	}
}

static void moves_that_cost_more_than_they_gain_are_not_planned(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;

	(void)state;
	partner_platform(&x.pf);
	for (int d = 0; d < DIST_N; d++)
		x.pf.migrate_ns[d] = 1000000000;
	make_partners(&x.k, 10, 1e8);
	plan_it(&x, &o);
	assert_int_equal(x.plan.n_triggers, 0);
	drop(&x);
}

/* Four unequal threads on two cores: dealt in order they take 8, placed 6, and 6 is all the work there is. */
static void make_unequal(struct made *x, double conflict)
{
	static const double work[] = {4e8, 1e8, 4e8, 3e8};
	uint32_t create;

	small_platform(&x->pf, 1, 2, 1, 1, CLOCK_CORE);
	for (int k = 0; k < PRS_KIND_N; k++)
		x->pf.price[k].shared_ps[DIST_CACHE] = x->pf.price[k].shared_ps[DIST_PACKAGE] = 50000;
	maker_init(&x->k, "unequal");
	maker_thread(&x->k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(&x->k, "main", "pthread_create", 1);
	for (uint32_t i = 0; i < 4; i++)
		maker_thread(&x->k, "worker", 0, create, i);
	maker_phase(&x->k, "create");
	for (uint32_t i = 0; i < 4; i++)
		maker_work(&x->k, 0, i + 1, work[i])->starts = true;
	if (conflict > 0)
		maker_conflict(&x->k, 1, 4, conflict);
}

static void a_placement_no_better_than_a_free_scheduler_is_refused(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;

	(void)state;
	make_unequal(&x, 0);
	plan_it(&x, &o);
	assert_int_equal(x.p.out.verdict, PLANNER_PACE);
	assert_true(x.p.out.gain > 0.05);
	assert_int_equal(x.plan.n_triggers, 0);
	assert_true(x.plan.time_ns == x.plan.base_time_ns);
	drop(&x);
}

static void a_placement_that_ends_a_conflict_beats_the_scheduler(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;

	(void)state;
	make_unequal(&x, 100);
	plan_it(&x, &o);
	assert_int_equal(x.p.out.verdict, PLANNER_GAIN);
	assert_true(x.plan.time_ns < x.p.out.pace_ns);
	drop(&x);
}

static void a_baseline_that_is_the_best_placement_is_set(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;

	(void)state;
	make_unequal(&x, 0);
	/* Dealt in turn, 1 and 3 share a core, and 2 and 4: those are the partners. */
	for (uint32_t i = 0; i < 4; i++)
		x.k.m.phases[0].work[i].cycles = i % 2 ? 300000000 : 400000000;
	maker_conflict(&x.k, 1, 3, 100);
	maker_conflict(&x.k, 2, 4, 100);
	plan_it(&x, &o);
	assert_int_equal(x.p.out.verdict, PLANNER_GAIN);
	assert_true(x.p.out.replaced);
	assert_string_equal(x.plan.baseline, "os");
	assert_true(x.plan.time_ns < x.plan.base_time_ns);
	assert_int_equal(plan_thread_starts(&x.plan), 4);
	drop(&x);
}

/*
 * A light thread takes turns, too, so that two others meet a little less
 * often: that must not bring a plan below the bound, which leaves it out.
 */
static void a_light_thread_does_not_bring_a_plan_below_the_bound(void **state)
{
	static const double work[] = {271930821, 307378628, 354358493, 230869287,
				      234743664, 451147831, 624477194, 709518350};
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;
	uint32_t create;

	(void)state;
	make_unequal(&x, 0);
	model_release(&x.k.m);
	maker_init(&x.k, "light");
	maker_thread(&x.k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(&x.k, "main", "pthread_create", 1);
	for (uint32_t i = 0; i < 8; i++)
		maker_thread(&x.k, "worker", 0, create, i);
	maker_phase(&x.k, "create");
	maker_work(&x.k, 0, 0, 5634405)->waits = true;
	for (uint32_t i = 0; i < 8; i++)
		maker_work(&x.k, 0, i + 1, work[i])->starts = true;
	for (int k = 0; k < PRS_KIND_N; k++)
		x.pf.price[k] =
			(struct platform_price){.alone_ps = 2000, .shared_ps = {0, 0, 8600, 8600, 8600}};
	for (uint32_t i = 1; i < 8; i += 2)
		maker_conflict(&x.k, i, i + 1, 100);
	plan_it(&x, &o);
	assert_true(x.p.out.bound.time_ns <= x.p.out.best_ev.total.time_ns);
	drop(&x);
}

static void a_gain_below_the_noise_of_the_runs_is_refused(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;

	(void)state;
	partner_platform(&x.pf);
	make_partners(&x.k, 1, 1e8);
	x.k.m.runs = mem_resize(x.k.m.runs, 2, sizeof(char *));
	x.k.m.runs[x.k.m.n_runs++] = mem_strdup("again");
	x.k.m.wall_sd_ns = x.k.m.wall_ns;
	plan_it(&x, &o);
	assert_int_equal(x.p.out.verdict, PLANNER_NOISE);
	assert_true(x.p.out.gain > 0.05);
	assert_int_equal(x.plan.n_triggers, 0);
	for (size_t i = 0; i < x.plan.n_threads; i++)
		assert_int_equal(x.plan.threads[i].core, PLAN_NONE);
	assert_true(x.plan.time_ns == x.plan.base_time_ns);
	drop(&x);
}

/* Four partners of one line on two cores; @explained: that much of 40 % noise was waiting for it. */
static enum planner_verdict judged(double explained, bool apart, struct made *x)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME, .baseline = BASELINE_OS};
	struct model *m;

	make_unequal(x, 0);
	m = &x->k.m;
	for (uint32_t i = 0; i < 4; i++)
		m->phases[0].work[i].cycles = 300000000;
	maker_conflict(&x->k, 1, 3, 20);
	maker_conflict(&x->k, 2, apart ? 3 : 4, 20);
	if (apart)
		maker_conflict(&x->k, 1, 4, 20);
	m->runs = mem_resize(m->runs, 2, sizeof(char *));
	m->runs[m->n_runs++] = mem_strdup("again");
	m->wall_sd_ns = 2 * m->wall_ns / 5;
	m->waited_ns = explained > 0 ? m->wall_ns / 10 : 0;
	m->wall_rest_sd_ns = (uint64_t)((double)m->wall_sd_ns * (1 - explained));
	plan_it(x, &o);
	return x->p.out.verdict;
}

static void noise_that_a_placement_takes_away_does_not_count_against_it(void **state)
{
	struct made x;

	(void)state;
	assert_int_equal(judged(0.9, false, &x), PLANNER_GAIN);
	assert_true(x.p.out.gain > 0.15 && x.p.out.gain < 0.3);
	assert_true(x.p.out.noise > 0.039 && x.p.out.noise < 0.041);
	assert_true(x.p.out.noise_all > 0.399 && x.p.out.noise_all < 0.401);
	drop(&x);
	/* Random sleeps, other input: nothing explains it. */
	assert_int_equal(judged(0, false, &x), PLANNER_NOISE);
	assert_true(x.p.out.noise == x.p.out.noise_all);
	drop(&x);
	/* A tenth of it is explained, which is not enough. */
	assert_int_equal(judged(0.1, false, &x), PLANNER_NOISE);
	drop(&x);
	/* 3-1-4 and 2-3 cannot all be together: the part that stays apart still counts. */
	judged(0.9, true, &x);
	assert_true(x.p.out.noise > 0.05 && x.p.out.noise < x.p.out.noise_all);
	drop(&x);
}

static void frequencies_are_set_at_program_start(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY};
	const struct plan_trigger *t;
	struct made x;

	(void)state;
	small_platform(&x.pf, 1, 2, 2, 2, CLOCK_CORE);
	make_partners(&x.k, 1, 1e8);
	plan_it(&x, &o);
	assert_true(x.plan.n_triggers > 0);
	t = x.plan.triggers;
	while (t < x.plan.triggers + x.plan.n_triggers - 1 && t->at != PLAN_AT_PROGRAM_START)
		t++;
	assert_int_equal(t->at, PLAN_AT_PROGRAM_START);
	assert_int_equal(t->thread, 0);
	assert_true(t->n_actions > 0);
	for (size_t i = 0; i < t->n_actions; i++) {
		assert_int_equal(t->actions[i].kind, PLAN_STEP);
		assert_int_equal(t->actions[i].khz, 1500000);
	}
	drop(&x);
}

/* Three workers of one length and a fourth of a hundredth of it, each on its core. */
static void make_uneven(struct maker *k)
{
	uint32_t create;

	maker_init(k, "uneven");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 1);
	maker_phase(k, "create");
	for (uint32_t i = 0; i < 4; i++) {
		maker_thread(k, "worker", 0, create, i);
		maker_work(k, 0, i + 1, i < 3 ? 1e9 : 1e7)->starts = true;
	}
}

/* The reason of the first steps on a machine that draws @busy_mw and @idle_mw at its lower step of two. */
static void assert_step_reason(enum plan_objective objective, uint64_t busy_mw, uint64_t idle_mw,
			       const char *reason)
{
	const struct planner_options o = {.goal.objective = objective};
	struct made x;

	small_platform(&x.pf, 1, 2, 2, 2, CLOCK_CORE);
	x.pf.steps[1].busy_mw = busy_mw;
	x.pf.steps[1].idle_mw = idle_mw;
	make_uneven(&x.k);
	plan_it(&x, &o);
	assert_true(x.plan.n_triggers > 0);
	assert_int_equal(x.plan.triggers[0].at, PLAN_AT_PROGRAM_START);
	assert_non_null(strstr(x.plan.triggers[0].reason, reason));
	drop(&x);
}

static void the_reason_of_a_step_says_what_is_lowered(void **state)
{
	(void)state;
	assert_step_reason(PLAN_ENERGY, 2000, 600, "fewer joules a cycle");
	assert_step_reason(PLAN_POWER, 2000, 600, "cores that work draw less");
	/* Work needs more of them at the lower step, so only the core with time to spare goes there. */
	assert_step_reason(PLAN_ENERGY, 4900, 600, "idle, or have time to spare");
}

static void energy_is_refused_where_watts_are_not_known(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY};
	struct err err = ERR_INIT;
	struct made x;

	(void)state;
	small_platform(&x.pf, 1, 2, 2, 1, CLOCK_CORE);
	x.pf.energy_known = false;
	make_partners(&x.k, 1, 1e8);
	assert_int_equal(planner_run(&x.p, &x.k.m, &x.pf, &o, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "--objective=time"));
	model_release(&x.k.m);
	platform_release(&x.pf);
}

static void the_written_plan_can_be_read_and_fits_its_platform(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY};
	struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct plan back;
	struct made x;

	(void)state;
	partner_platform(&x.pf);
	make_partners(&x.k, 3, 1e8);
	plan_it(&x, &o);
	plan_text(&x.plan, &text);
	if (plan_parse(&back, text.s, text.len, "plan.yaml", &err))
		fail_msg("%s", err.msg);
	plan_text(&back, &again);
	assert_string_equal(text.s, again.s);
	assert_true(x.plan.base_time_ns >= x.plan.bound_time_ns);
	assert_true(x.plan.energy_nj <= x.plan.base_energy_nj);
	assert_true(x.plan.energy_nj >= x.plan.bound_energy_nj);
	plan_release(&back);
	strbuf_release(&text);
	strbuf_release(&again);
	drop(&x);
}

static bool at_once(void *ctx)
{
	(void)ctx;
	return true;
}

static void an_interrupted_search_still_gives_a_plan_no_worse_than_the_baseline(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME, .stop = at_once};
	struct made x;

	(void)state;
	partner_platform(&x.pf);
	make_partners(&x.k, 1, 1e8);
	plan_it(&x, &o);
	assert_true(x.p.out.stopped);
	assert_true(x.plan.time_ns <= x.plan.base_time_ns);
	drop(&x);
}

static void every_baseline_is_beaten_or_kept(void **state)
{
	(void)state;
	for (int b = 0; b < BASELINE_N; b++) {
		const struct planner_options o = {
			.goal.objective = PLAN_ENERGY, .baseline = (enum baseline)b, .seed = 3};
		struct made x;

		assert_int_equal(baseline_find(baseline_name((enum baseline)b)), b);
		small_platform(&x.pf, 2, 2, 2, 2, CLOCK_GROUP);
		make_partners(&x.k, 4, 1e8);
		plan_it(&x, &o);
		assert_true(x.plan.energy_nj <= x.plan.base_energy_nj);
		assert_string_equal(x.plan.baseline, baseline_name((enum baseline)b));
		drop(&x);
	}
	assert_int_equal(baseline_find("best"), -1);
}

/* Two pairs change partners by one call, and back by another: once, and then again on every turn of a loop. */
static void the_same_moves_before_a_loop_and_in_it_are_one(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME};
	struct made x;
	uint32_t create, there, back;

	(void)state;
	partner_platform(&x.pf);
	maker_init(&x.k, "partners");
	maker_thread(&x.k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(&x.k, "main", "pthread_create", 1);
	there = maker_site(&x.k, "worker", "pthread_barrier_wait", 2);
	back = maker_site(&x.k, "worker", "pthread_barrier_wait", 3);
	for (uint32_t i = 0; i < 4; i++)
		maker_thread(&x.k, "worker", 0, create, i);
	for (uint32_t p = 0; p < 5; p++) {
		maker_phase(&x.k, p ? "barrier" : "create");
		x.k.m.phases[p].repeats = p > 2 ? 6 : 1;
		for (uint32_t i = 1; i <= 4; i++) {
			struct model_work *w = maker_work(&x.k, p, i, 1e8);

			w->starts = p == 0;
			if (!p)
				continue;
			w->enter_site = p % 2 ? there : back;
			w->enter_visit = p > 2 ? 2 : 1;
			w->enter_every = p > 2 ? 1 : 0;
		}
	}
	for (uint32_t p = 0; p < 5; p++) {
		maker_conflict(&x.k, 1, p % 2 ? 3 : 2, 30);
		x.k.m.conflicts[x.k.m.n_conflicts - 1].phase = p;
		maker_conflict(&x.k, p % 2 ? 2 : 3, 4, 30);
		x.k.m.conflicts[x.k.m.n_conflicts - 1].phase = p;
	}
	maker_work(&x.k, 0, 0, 1e3);
	plan_it(&x, &o);
	assert_int_equal(x.plan.n_triggers, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(x.plan.triggers[i].first, 1);
		assert_int_equal(x.plan.triggers[i].every, 1);
	}
	drop(&x);
}

/* A trigger of thread 1 at site 0 that pins to @core. */
static void add_pin(struct plan *plan, uint32_t core, uint32_t first, uint32_t every, const char *reason,
		    const char *evidence)
{
	struct plan_trigger *t;

	plan->triggers = mem_resize(plan->triggers, plan->n_triggers + 1, sizeof(*plan->triggers));
	t = &plan->triggers[plan->n_triggers++];
	*t = (struct plan_trigger){
		.at = PLAN_AT_CALL, .thread = 1, .after = true, .first = first, .every = every};
	t->actions = mem_new(1, sizeof(*t->actions));
	t->actions[0] = (struct plan_action){.kind = PLAN_PIN, .core = core};
	t->n_actions = 1;
	t->reason = mem_strdup(reason);
	t->evidence = mem_strdup(evidence);
}

static void one_effect_at_all_visits_is_one_trigger(void **state)
{
	struct plan plan = {0};

	(void)state;
	add_pin(&plan, 0, 5, 2, "has core 0 to itself", "phase-000002");
	add_pin(&plan, 1, 4, 2, "has core 1 to itself", "phase-000003");
	add_pin(&plan, 0, 3, 0, "package 1 has no work in this phase and can halt", "phase-000001");
	emit_join(&plan);
	assert_int_equal(plan.n_triggers, 2);
	assert_int_equal(plan.triggers[0].first, 4);
	assert_int_equal(plan.triggers[1].first, 3);
	assert_int_equal(plan.triggers[1].every, 2);
	assert_string_equal(plan.triggers[1].reason,
			    "package 1 has no work in this phase and can halt; later: has core 0 to itself");
	assert_string_equal(plan.triggers[1].evidence, "phase-000001, phase-000002");
	plan_release(&plan);
}

/* Another core, a visit left out, or visits that end: both are needed. */
static void other_effects_stay_apart(void **state)
{
	struct plan plan = {0};

	(void)state;
	add_pin(&plan, 0, 1, 0, "a", "phase-000001");
	add_pin(&plan, 1, 2, 1, "a", "phase-000002");
	add_pin(&plan, 0, 3, 1, "a", "phase-000003");
	add_pin(&plan, 0, 2, 0, "a", "phase-000004");
	plan.triggers[3].after = false;
	emit_join(&plan);
	assert_int_equal(plan.n_triggers, 4);
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_move_at_the_call_by_which_they_enter),
		cmocka_unit_test(moves_in_a_loop_fire_on_every_turn),
		cmocka_unit_test(moves_in_a_loop_from_the_start_fire_on_every_turn),
		cmocka_unit_test(moves_that_cost_more_than_they_gain_are_not_planned),
		cmocka_unit_test(a_placement_no_better_than_a_free_scheduler_is_refused),
		cmocka_unit_test(a_placement_that_ends_a_conflict_beats_the_scheduler),
		cmocka_unit_test(a_baseline_that_is_the_best_placement_is_set),
		cmocka_unit_test(a_light_thread_does_not_bring_a_plan_below_the_bound),
		cmocka_unit_test(a_gain_below_the_noise_of_the_runs_is_refused),
		cmocka_unit_test(noise_that_a_placement_takes_away_does_not_count_against_it),
		cmocka_unit_test(frequencies_are_set_at_program_start),
		cmocka_unit_test(the_reason_of_a_step_says_what_is_lowered),
		cmocka_unit_test(energy_is_refused_where_watts_are_not_known),
		cmocka_unit_test(the_written_plan_can_be_read_and_fits_its_platform),
		cmocka_unit_test(an_interrupted_search_still_gives_a_plan_no_worse_than_the_baseline),
		cmocka_unit_test(every_baseline_is_beaten_or_kept),
		cmocka_unit_test(the_same_moves_before_a_loop_and_in_it_are_one),
		cmocka_unit_test(one_effect_at_all_visits_is_one_trigger),
		cmocka_unit_test(other_effects_stay_apart),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
