/* SPDX-License-Identifier: MIT */
/* How surely bursts see a line: the Poisson sums, and what comes from the header. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/blocks/bursts.h"

static void test_miss(void **state)
{
	struct run_bursts b = {.seconds = 0.001};
	double sum = exp(-10.0) * (1 + 10 + 50);

	(void)state;
	assert_true(fabs(run_bursts_miss(&b, 10000, 1) - exp(-10.0)) < 1e-12);
	assert_true(fabs(run_bursts_miss(&b, 10000, 3) - sum) < 1e-12);
	assert_true(run_bursts_miss(&b, 10000, 0) == 0);
	assert_true(run_bursts_miss(&b, 1, 32) > 0.999);
	b.seconds = 10;
	assert_true(run_bursts_miss(&b, 10000, BURSTS_NEED) < 1e-300);
	b.seconds = 0;
	assert_true(run_bursts_miss(&b, 10000, 1) == 1);
}

static void test_header(void **state)
{
	struct prs_rec_header h = {.minor = 2,
				   .purpose = PRS_PURPOSE_SHARING,
				   .sharing_mode = PRS_SHARING_RATE,
				   .tsc_start = 1000,
				   .n_bursts = 4,
				   .burst_ticks = 4000000,
				   .enabled_ticks = 2000000,
				   .places = 10,
				   .places_hot = 3};
	struct run_process p = {.header = &h, .ns_per_tick = 1, .end = 80001000};
	struct run run = {.processes = &p, .n_processes = 1};
	struct run_bursts b;

	(void)state;
	run_bursts(&b, &run);
	assert_true(b.rate);
	assert_int_equal(b.n, 4);
	assert_int_equal(b.places, 10);
	assert_true(fabs(b.length - 0.001) < 1e-9);
	assert_true(fabs(b.share - 0.05) < 1e-9);
	assert_true(fabs(b.seconds - 0.002) < 1e-9);
	h.sharing_mode = PRS_SHARING_ADAPTIVE;
	run_bursts(&b, &run);
	assert_false(b.rate); /* never settled */
	h.first_tsc = 2000;
	h.settled_tsc = 40002000;
	run_bursts(&b, &run);
	assert_true(b.rate);
	assert_true(fabs(b.first - 0.04) < 1e-9);
	assert_true(fabs(b.seconds - 0.042) < 1e-9);
	h.sharing_mode = PRS_SHARING_RATE;
	h.minor = 1; /* nothing behind the old header means anything */
	run_bursts(&b, &run);
	assert_int_equal(b.n, 0);
	assert_false(b.rate);
	h.minor = 2;
	h.purpose = PRS_PURPOSE_TIMING;
	run_bursts(&b, &run);
	assert_int_equal(b.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_miss),
		cmocka_unit_test(test_header),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
