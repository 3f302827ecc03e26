/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/sharing/doubts.h"

/* @n threads that each live for a second and use @cpu ms of it. */
static struct fake *threads(uint32_t n, uint64_t cpu)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1000);

	fake_main(f, 1);
	for (uint32_t i = 0; i < n; i++)
		fake_create(f, 0, i, 0, 1000, cpu, 1);
	return f;
}

static double together(uint32_t n, uint64_t cpu, double cores)
{
	struct fake *f = threads(n, cpu);
	double part = doubts_together(&f->p, cores);

	fake_free(f);
	return part;
}

static void load_of_others_shows_as_less_time_together(void **state)
{
	(void)state;
	assert_float_equal(together(2, 995, 2), 1, 0.01);
	assert_float_equal(together(2, 500, 2), 0.5, 0.01);
	assert_float_equal(together(2, 250, 2), 0.25, 0.01);
}

static void more_threads_than_cores_are_no_load(void **state)
{
	(void)state;
	assert_float_equal(together(8, 250, 2), 1, 0.01);
	assert_float_equal(together(8, 60, 2), 0.24, 0.01);
}

static void who_waits_could_not_run(void **state)
{
	struct prs_wait waits[2] = {{.kind = PRS_EV_MUTEX, .count = 9, .ticks = 500 * MS},
				    {.kind = PRS_EV_MUTEX, .count = 9, .ticks = 9, .flags = PRS_WAIT_TAKEN}};
	struct prs_wait join = {.kind = PRS_EV_JOIN, .count = 2, .ticks = 999 * MS};
	struct fake *f = threads(2, 498);

	(void)state;
	f->thread[0].waits = &join;
	f->thread[0].n_waits = 1;
	for (size_t i = 1; i <= 2; i++) {
		f->thread[i].waits = waits;
		f->thread[i].n_waits = 2;
	}
	assert_true(doubts_together(&f->p, 2) > 0.98);
	for (size_t i = 1; i <= 2; i++)
		f->thread[i].n_waits = 0;
	assert_true(doubts_together(&f->p, 2) < 0.51);
	fake_free(f);
}

/* Two threads made at once; the second gets a core when the first has ended. */
static void who_was_made_and_got_no_core_could_have_run(void **state)
{
	struct prs_wait join = {.kind = PRS_EV_JOIN, .count = 2, .ticks = 999 * MS};
	struct fake *f = threads(2, 499);

	(void)state;
	f->thread[0].waits = &join;
	f->thread[0].n_waits = 1;
	f->raw[1].end_tsc = f->raw[2].start_tsc = FAKE_START + 500 * MS;
	assert_int_equal(f->raw[2].create_tsc, f->raw[1].create_tsc);
	assert_true(doubts_together(&f->p, 2) < DOUBTS_TOGETHER);
	f->raw[2].create_tsc = f->raw[2].start_tsc; /* made when the first had ended: one after the other */
	assert_true(doubts_together(&f->p, 2) > 0.98);
	fake_free(f);
}

static double apart(uint64_t life, uint64_t cpu)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", life);
	double ns;

	fake_main(f, 0);
	for (uint32_t i = 0; i < 2; i++)
		fake_create(f, 0, i, 0, life, cpu, 1);
	ns = doubts_apart(&f->p, 2);
	fake_free(f);
	return ns;
}

/* Four fifths of a short life may be another time of each; of a long one they have met. */
static void threads_of_a_short_run_may_have_been_kept_apart(void **state)
{
	(void)state;
	assert_float_equal(apart(5, 3), 3.5 * MS, 0.6 * MS);
	assert_float_equal(apart(5, 5), 0, 0);
	assert_float_equal(apart(1000, 800), 0, 0);
}

static void a_thread_alone_misses_nobody(void **state)
{
	(void)state;
	assert_float_equal(together(0, 0, 2), 1, 0);
}

static void each_reason_is_a_sentence_with_its_figure(void **state)
{
	struct platform disturbed = {.name = (char *)"here", .source = (char *)"calibrated, disturbed"};
	struct platform calm = {.name = (char *)"here", .source = (char *)"calibrated"};
	struct fake *f = threads(2, 250);
	struct notes doubts = {0}, none = {0};

	(void)state;
	f->run.complete = false;
	f->run.incomplete_why = (char *)"killed";
	f->header.minor = 2;
	f->header.sharing_mode = PRS_SHARING_RATE;
	f->header.n_bursts = 1;
	f->header.burst_ticks = f->header.enabled_ticks = MS;
	doubts_find(&doubts, &f->run);
	doubts_prices(&doubts, &disturbed);
	assert_int_equal(doubts.n, 4);
	assert_non_null(strstr(doubts.at[0], "incomplete: killed"));
	assert_non_null(strstr(doubts.at[1], "had 25 % of the processor time"));
	assert_non_null(strstr(doubts.at[2], "looked at for 1 ms"));
	assert_non_null(strstr(doubts.at[3], "'here' were measured on a disturbed machine"));
	notes_release(&doubts);
	fake_free(f);
	f = threads(2, 990);
	doubts_find(&none, &f->run);
	doubts_prices(&none, &calm);
	assert_int_equal(none.n, 0);
	notes_release(&none);
	fake_free(f);
}

/* Where no line travels the run cannot say what the threads would cost each other on two cores. */
static void threads_that_take_turns_on_one_core_are_a_doubt(void **state)
{
	struct fake *f = threads(2, 500);
	struct notes doubts = {0};

	(void)state;
	assert_false(doubts_one_core(&f->run, &f->p));
	f->run.manifest.cores = 1;
	assert_true(doubts_one_core(&f->run, &f->p));
	doubts_find(&doubts, &f->run);
	assert_int_equal(doubts.n, 1);
	assert_non_null(strstr(doubts.at[0], "one core"));
	notes_release(&doubts);
	fake_free(f);
	f = threads(0, 0); /* main alone */
	f->run.manifest.cores = 1;
	assert_false(doubts_one_core(&f->run, &f->p));
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_of_others_shows_as_less_time_together),
		cmocka_unit_test(more_threads_than_cores_are_no_load),
		cmocka_unit_test(who_waits_could_not_run),
		cmocka_unit_test(who_was_made_and_got_no_core_could_have_run),
		cmocka_unit_test(threads_of_a_short_run_may_have_been_kept_apart),
		cmocka_unit_test(a_thread_alone_misses_nobody),
		cmocka_unit_test(threads_that_take_turns_on_one_core_are_a_doubt),
		cmocka_unit_test(each_reason_is_a_sentence_with_its_figure),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
