/* SPDX-License-Identifier: MIT */
/* scheduler/simulate/mold: registrations on any number of nodes; probes are made where they pay, and not elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "scheduler/simulate/mold.h"

#define LOADS 6

static void table_3_3(void **state)
{
	(void)state;
	assert_float_equal(mold_speedup(1), 1, 1e-9);
	assert_float_equal(mold_speedup(3), 2.8, 1e-9);
	assert_float_equal(mold_speedup(16), 10.8, 1e-9);
	assert_float_equal(mold_speedup(100), 13.9, 1e-9);
}

static void all_tasks_end(void **state)
{
	(void)state;
	for (unsigned load = MOLD_ATLAS; load <= MOLD_REGISTRATIONS; load++) {
		const struct mold_case m = {(enum mold_load)load, 20, 16, 0.2, 0.04};

		for (unsigned p = 0; p < MOLD_POLICIES; p++) {
			enum mold_policy done, again;
			struct simulated s = mold_run(&m, 1, (enum mold_policy)p, &done);

			assert_int_equal(s.ended, 20);
			assert_int_equal(s.runs, done == MOLD_PROBED ? 40 : 20);
			assert_true(s.idle >= -1e-9 && s.idle < 1 && s.wait >= 0);
			assert_true(s.makespan == mold_run(&m, 1, (enum mold_policy)p, &again).makespan);
			assert_true(done == again && (p == MOLD_CHOSEN || done == p));
		}
	}
}

/* The mean makespan of some loads; *@probed: in how many of them probes were made. */
static double mean(const struct mold_case *m, enum mold_policy policy, size_t *probed)
{
	double sum = 0;

	*probed = 0;
	for (uint64_t seed = 1; seed <= LOADS; seed++) {
		enum mold_policy done;

		sum += mold_run(m, seed, policy, &done).makespan / LOADS;
		*probed += done == MOLD_PROBED;
	}
	return sum;
}

static void who_knows_ends_earlier(void **state)
{
	const struct mold_case m = {MOLD_ATLAS, 24, 16, 0.2, 0.04};
	size_t ignored;
	double perfect = mean(&m, MOLD_PERFECT, &ignored);

	(void)state;
	assert_true(perfect < mean(&m, MOLD_SEQUENTIAL, &ignored));
	assert_true(perfect < mean(&m, MOLD_PARALLEL, &ignored));
	assert_true(perfect < mean(&m, MOLD_PROBED, &ignored));
}

/* Cheap probes that foretell are made; dear ones, and such that foretell nothing, are not. */
static void probes_are_made_where_they_pay(void **state)
{
	struct mold_case m = {MOLD_ATLAS, 24, 16, 0.1, 0.02};
	size_t probed;
	double chosen;

	(void)state;
	mean(&m, MOLD_CHOSEN, &probed);
	assert_int_equal(probed, LOADS);
	m.cost = 1;
	chosen = mean(&m, MOLD_CHOSEN, &probed);
	assert_int_equal(probed, 0);
	assert_true(chosen < mean(&m, MOLD_PROBED, &probed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_3_3),
		cmocka_unit_test(all_tasks_end),
		cmocka_unit_test(who_knows_ends_earlier),
		cmocka_unit_test(probes_are_made_where_they_pay),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
