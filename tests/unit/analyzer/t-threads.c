/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/time/threads.h"

static void match(struct instances *ins, struct fake *const *f, size_t n)
{
	const struct run *runs[4];
	const struct run_process *procs[4];

	for (size_t i = 0; i < n; i++) {
		runs[i] = &f[i]->run;
		procs[i] = &f[i]->p;
	}
	instances_match(ins, runs, procs, n);
}

/* Two workers; the second created arrives first in run 1. */
static struct fake *two_workers(bool swapped)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "r", 100);

	fake_main(f, 1);
	if (swapped) {
		fake_thread(f, 0, CALL_CREATE, 1, 6, 90, 30);
		fake_thread(f, 0, CALL_CREATE, 0, 5, 90, 20);
	} else {
		fake_thread(f, 0, CALL_CREATE, 0, 5, 90, 20);
		fake_thread(f, 0, CALL_CREATE, 1, 6, 90, 30);
	}
	return f;
}

static void instance_does_not_depend_on_the_order_of_arrival(void **state)
{
	struct fake *f[2] = {two_workers(false), two_workers(true)};
	struct instances ins;

	(void)state;
	match(&ins, f, 2);
	assert_int_equal(ins.n, 3);
	assert_int_equal(instance_of(&ins, 0, 1), instance_of(&ins, 1, 2));
	assert_int_equal(instance_of(&ins, 0, 2), instance_of(&ins, 1, 1));
	assert_int_not_equal(instance_of(&ins, 0, 1), instance_of(&ins, 0, 2));
	assert_int_equal(ins.at[1].seen, 2);
	instances_release(&ins);
	fake_free(f[0]);
	fake_free(f[1]);
}

static void other_site_or_ordinal_is_another_instance(void **state)
{
	struct fake *f[2] = {two_workers(false), two_workers(false)};
	struct instances ins;

	(void)state;
	f[1]->raw[1].create_site = CALL_OTHER_CREATE;
	f[1]->raw[2].ordinal = 5;
	match(&ins, f, 2);
	assert_int_equal(ins.n, 5);
	for (int i = 1; i < 5; i++)
		assert_int_equal(ins.at[i].seen, 1);
	instances_release(&ins);
	fake_free(f[0]);
	fake_free(f[1]);
}

static void creators_come_first_and_names_are_numbered(void **state)
{
	struct fake *f[1] = {fake_new(PRS_PURPOSE_TIMING, "r", 100)};
	struct instances ins;

	(void)state;
	fake_main(f[0], 1);
	fake_thread(f[0], 2, CALL_CREATE, 0, 7, 90, 1); /* created by a thread that registered later */
	fake_thread(f[0], 0, CALL_CREATE, 0, 5, 90, 1);
	match(&ins, f, 1);
	assert_int_equal(ins.n, 3);
	assert_int_equal(instance_of(&ins, 0, 2), 1);
	assert_int_equal(instance_of(&ins, 0, 1), 2);
	assert_int_equal(ins.at[2].creator, 1);
	assert_string_equal(ins.at[0].name, "main");
	assert_string_equal(ins.at[1].name, "rx_thread 0");
	assert_string_equal(ins.at[2].name, "rx_thread 1");
	instances_release(&ins);
	fake_free(f[0]);
}

static void thread_of_unseen_creation_is_foreign(void **state)
{
	struct fake *f[1] = {two_workers(false)};
	struct instances ins;

	(void)state;
	f[0]->raw[2].state |= PRS_THREAD_FOREIGN;
	match(&ins, f, 1);
	assert_false(ins.at[instance_of(&ins, 0, 1)].foreign);
	assert_true(ins.at[instance_of(&ins, 0, 2)].foreign);
	instances_release(&ins);
	fake_free(f[0]);
}

static void threads_beyond_the_limit_are_counted(void **state)
{
	struct fake *f[1] = {fake_new(PRS_PURPOSE_TIMING, "r", 1000)};
	struct instances ins;

	(void)state;
	fake_main(f[0], 1);
	for (uint32_t i = 0; i < INSTANCE_MAX_ORDINAL + 44; i++)
		fake_thread(f[0], 0, CALL_CREATE, i, i, i + 1, 1);
	match(&ins, f, 1);
	assert_int_equal(ins.n, INSTANCE_MAX_ORDINAL + 1);
	assert_int_equal(ins.untracked, 44);
	assert_int_equal(instance_of(&ins, 0, INSTANCE_MAX_ORDINAL + 1), INSTANCE_NONE);
	instances_release(&ins);
	fake_free(f[0]);
}

static void circle_of_creators_ends(void **state)
{
	struct fake *f[1] = {two_workers(false)};
	struct instances ins;

	(void)state;
	f[0]->raw[1].creator = 2;
	f[0]->raw[2].creator = 1;
	match(&ins, f, 1);
	assert_true(ins.n >= 1);
	for (size_t i = 1; i < ins.n; i++)
		assert_true(ins.at[i].creator < i);
	instances_release(&ins);
	fake_free(f[0]);
}

static void failed_creation_is_no_thread(void **state)
{
	struct fake *f[1] = {two_workers(false)};
	struct instances ins;

	(void)state;
	f[0]->raw[2].end_tsc = f[0]->raw[2].start_tsc = f[0]->raw[2].create_tsc;
	match(&ins, f, 1);
	assert_int_equal(ins.n, 2);
	assert_int_equal(ins.untracked, 0);
	instances_release(&ins);
	fake_free(f[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instance_does_not_depend_on_the_order_of_arrival),
		cmocka_unit_test(other_site_or_ordinal_is_another_instance),
		cmocka_unit_test(creators_come_first_and_names_are_numbered),
		cmocka_unit_test(thread_of_unseen_creation_is_foreign),
		cmocka_unit_test(threads_beyond_the_limit_are_counted),
		cmocka_unit_test(circle_of_creators_ends),
		cmocka_unit_test(failed_creation_is_no_thread),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
