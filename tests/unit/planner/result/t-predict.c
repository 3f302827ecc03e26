/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "planner/result/predict.h"
#include "tests/unit/planner/small.h"

/* Three threads of 1, 2 and 4 ms and a main that waits; cores are numbered 0, 2, 4, 6. */
static void make(struct maker *k, struct platform *pf)
{
	uint32_t create;

	small_platform(pf, 1, 2, 2, 2, CLOCK_CORE);
	maker_init(k, "three");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 1);
	for (uint32_t i = 0; i < 3; i++)
		maker_thread(k, "worker", 0, create, i);
	maker_phase(k, "create");
	for (uint32_t i = 0; i < 3; i++)
		maker_work(k, 0, i + 1, 2e6 * (1u << i))->starts = true;
}

static uint64_t time_on(const uint64_t *cores, size_t n)
{
	struct err err = ERR_INIT;
	struct platform pf;
	struct prediction p;
	struct maker k;
	int ret;

	make(&k, &pf);
	ret = planner_predict(&k.m, &pf, cores, n, &p, &err);
	assert_int_equal(ret, 0);
	assert_true(p.free_main);
	model_release(&k.m);
	platform_release(&pf);
	return p.cost.time_ns / 100000;
}

static void threads_take_turns_where_they_are_put(void **state)
{
	(void)state;
	assert_int_equal(time_on((const uint64_t[]){0, 2, 4}, 3), 40);
	assert_int_equal(time_on((const uint64_t[]){0, 2, 2}, 3), 60);
	assert_int_equal(time_on((const uint64_t[]){6, 6, 0}, 3), 40);
	/* One core for all: the list begins again. */
	assert_int_equal(time_on((const uint64_t[]){4}, 1), 70);
	assert_int_equal(time_on((const uint64_t[]){4, 0}, 2), 50);
}

static void a_placement_is_what_the_search_says_of_it(void **state)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME, .baseline = BASELINE_PACK};
	struct err err = ERR_INIT;
	struct platform pf;
	struct prediction p;
	struct planner pl;
	struct maker k;

	(void)state;
	make(&k, &pf);
	maker_conflict(&k, 2, 3, 40);
	assert_int_equal(planner_run(&pl, &k.m, &pf, &o, &err), 0);
	assert_int_equal(planner_predict_baseline(&k.m, &pf, BASELINE_PACK, 1, &p, &err), 0);
	assert_true(p.cost.time_ns == pl.out.base_ev.total.time_ns);
	assert_true(p.cost.energy_pj == pl.out.base_ev.total.energy_pj);
	planner_release(&pl);
	model_release(&k.m);
	platform_release(&pf);
}

/* Four threads of 30 ms; two of them do @percent of it under one lock, the others a tenth. */
static uint64_t locked_on(const uint64_t *cores, double percent)
{
	struct err err = ERR_INIT;
	struct model_serial *s;
	struct prediction p;
	struct platform pf;
	uint32_t create;
	struct maker k;

	small_platform(&pf, 1, 2, 2, 1, CLOCK_CORE);
	maker_init(&k, "locked");
	maker_thread(&k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(&k, "main", "pthread_create", 1);
	for (uint32_t i = 0; i < 4; i++)
		maker_thread(&k, "worker", 0, create, i);
	maker_phase(&k, "create");
	for (uint32_t i = 0; i < 4; i++)
		maker_work(&k, 0, i + 1, 60e6)->starts = true;
	s = k.m.phases[0].serial = mem_new(1, sizeof(*s));
	k.m.phases[0].n_serial = percent > 0;
	*s = (struct model_serial){.n_held = 4, .held = mem_new(4, sizeof(*s->held))};
	for (uint32_t i = 0; i < 4; i++)
		s->held[i] = (struct model_held){i + 1, (uint64_t)(0.6e6 * (i < 2 ? percent : 10)), 0};
	if (!k.m.phases[0].n_serial) {
		free(s->held);
		free(s);
		k.m.phases[0].serial = NULL;
	}
	assert_int_equal(planner_predict(&k.m, &pf, cores, 4, &p, &err), 0);
	assert_int_equal(p.simulated, percent > 0);
	model_release(&k.m);
	platform_release(&pf);
	return p.cost.time_ns;
}

/* As much work on each core either way, and less under the lock than a core has to do. */
static void who_shares_a_lock_waits_less_on_one_core(void **state)
{
	static const uint64_t apart[] = {0, 2, 0, 2}, together[] = {0, 0, 2, 2};

	(void)state;
	assert_true(locked_on(apart, 0) == locked_on(together, 0));
	assert_true(locked_on(apart, 80) > locked_on(together, 80) * 103 / 100);
	assert_true(locked_on(together, 80) < locked_on(together, 0) * 110 / 100);
}

static void cores_that_are_not_there_are_refused(void **state)
{
	const uint64_t cores[] = {0, 1};
	struct err err = ERR_INIT;
	struct platform pf;
	struct prediction p;
	struct maker k;

	(void)state;
	make(&k, &pf);
	assert_int_equal(planner_predict(&k.m, &pf, cores, 2, &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no usable core 1"));
	assert_int_equal(planner_predict(&k.m, &pf, cores, 0, &p, &err), -EINVAL);
	pf.cores[2].usable = false;
	assert_int_equal(planner_predict(&k.m, &pf, (const uint64_t[]){4}, 1, &p, &err), -EINVAL);
	model_release(&k.m);
	platform_release(&pf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_take_turns_where_they_are_put),
		cmocka_unit_test(a_placement_is_what_the_search_says_of_it),
		cmocka_unit_test(who_shares_a_lock_waits_less_on_one_core),
		cmocka_unit_test(cores_that_are_not_there_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
