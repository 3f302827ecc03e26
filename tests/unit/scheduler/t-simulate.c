/* SPDX-License-Identifier: MIT */
/* scheduler/simulate: every policy ends all tasks; what is known beforehand comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "scheduler/simulate/simulate.h"

static void all_tasks_end(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct load l;
		size_t failing = 0;
		double work = 0, speed = 0;

		load_make(&l, seed, 30, 8, 0.2, 0.2);
		for (size_t t = 0; t < 30; t++) {
			failing += l.fails[t] > 0;
			work += l.takes[t] * (double)l.w.tasks.at[t].width * (1 + l.fails[t]);
		}
		for (size_t i = 0; i < 8; i++)
			speed += l.w.nodes.at[i].speed;
		for (int p = 0; p < POLICIES; p++) {
			struct simulated s = simulate(&l, (enum policy)p, seed, 3), again;

			assert_int_equal(s.ended, 30);
			assert_int_equal(s.runs, 30 + failing);
			/* No policy can have more than all nodes all the time. */
			assert_true(s.makespan * speed >= work * (1 - 1e-9));
			assert_true(s.idle >= -1e-9 && s.idle < 1 && s.wait >= 0);
			again = simulate(&l, (enum policy)p, seed, 3);
			assert_true(again.makespan == s.makespan);
		}
		load_release(&l);
	}
}

/* Two nodes; wide waits for long; small fits meanwhile, slow does not. */
static const char swf[] = "; Version: 2.2\n"
			  "1 0 -1 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1\n"
			  "2 1 -1 50 2 -1 -1 2 50 -1 1 1 1 1 1 1 -1 -1\n"
			  "3 2 -1 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n"
			  "4 3 -1 0 1 -1 -1 1 60 -1 0 1 1 1 1 1 -1 -1\n";

static void a_log_is_read(void **state)
{
	struct err err = ERR_INIT;
	struct load l;
	struct simulated fifo, easy;

	(void)state;
	assert_int_equal(load_read(&l, swf, sizeof(swf) - 1, "log", 100, 2, &err), 0);
	assert_int_equal(l.w.tasks.n, 3); /* the last one never ran */
	assert_true(l.idle == 1 && !l.wide);
	assert_int_equal(l.w.tasks.at[1].width, 2);
	fifo = simulate(&l, POLICY_FIFO, 1, 1);
	easy = simulate(&l, POLICY_EASY, 1, 1);
	assert_true(fabs(fifo.makespan - 210) < 1e-9);
	assert_true(fabs(easy.makespan - 150) < 1e-9);
	load_release(&l);
	/* 60 becomes 160: the job would keep the wide one waiting. */
	assert_int_equal(load_read(&l, swf, sizeof(swf) - 1, "log", 100, 2, &err), 0);
	l.w.tasks.at[2].seconds = l.takes[2] = 160;
	easy = simulate(&l, POLICY_EASY, 1, 1);
	assert_true(fabs(easy.makespan - 310) < 1e-9);
	load_release(&l);
}

static void bad_logs_are_refused(void **state)
{
	static const char *const bad[] = {"", "; nothing\n", "hello\n", "1 5 -1 9 1\n2 3 -1 9 1\n",
					  "1 0 -1 inf 1\n",
					  /* a line that is cut off, and one that is none, among good ones */
					  "1 0 -1 9 1\n2 1 -1\n", "1 0 -1 9 1\nhello\n3 1 -1 9 1\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = ERR_INIT;
		struct load l;

		assert_int_equal(load_read(&l, bad[i], strlen(bad[i]), "log", 100, 2, &err), -EINVAL);
		assert_true(err.msg[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_tasks_end),
		cmocka_unit_test(a_log_is_read),
		cmocka_unit_test(bad_logs_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
