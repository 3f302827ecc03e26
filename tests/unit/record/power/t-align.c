/* SPDX-License-Identifier: MIT */
/*
 * Meters whose clock is another one: made-up programs that work in a known pattern, and
 * a meter that shows 10 W and 20 W for each busy core.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/rng.h"
#include "record/power/align.h"

#define WINDOW  0.01
#define SECONDS 8.0
#define N       800

static double busy[N];
static struct align_run run = {SECONDS, 0, busy, N, WINDOW};

/* Cores in use at @t of the run. */
static double cores_at(double t)
{
	struct rng r;

	if (t < 0 || t >= SECONDS)
		return 0;
	r = rng_keyed(7, (uint64_t)(t / 0.23), 0, 0);
	return rng_unit(&r) < 0.5 ? 0.1 : 1.5;
}

static int make_run(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 10; k++)
			busy[i] += cores_at((i + (k + 0.5) / 10) * WINDOW) * WINDOW / 10;
	return 0;
}

static double watts_at(double t)
{
	return 10 + 20 * cores_at(t);
}

/* What a made-up meter does. */
struct fault {
	double start, drift; /* second t of the run is start + t (1 + drift) */
	double interval, before, behind;
	double lost_from, lost_until; /* in seconds of the meter */
	int doubled;                  /* every n-th reading twice; 0: none */
	double noise;
	bool trigger, no_rise, no_fall;
};

static void meter_make(struct series *s, const struct fault *f)
{
	struct rng r = rng_keyed(3, 0, 0, 0);
	double end = f->start + SECONDS * (1 + f->drift) + f->behind;
	struct err err = ERR_INIT;
	int n = 0;

	memset(s, 0, sizeof(*s));
	for (double m = f->start - f->before; m < end; m += f->interval) {
		double t = (m - f->start) / (1 + f->drift);

		if (m > f->lost_from && m < f->lost_until)
			continue;
		for (int k = 0; k < (f->doubled && ++n % f->doubled == 0 ? 2 : 1); k++)
			assert_int_equal(
				series_add(s, m, watts_at(t) + f->noise * (rng_unit(&r) - 0.5), &err), 0);
	}
	s->has_trigger = f->trigger;
	if (f->trigger && !f->no_rise)
		series_edge(s, f->start);
	if (f->trigger && !f->no_fall)
		series_edge(s, f->start + SECONDS * (1 + f->drift));
	s->high = f->trigger && f->no_rise;
	assert_int_equal(series_finish(s, "meter", &err), 0);
}

static double true_joules(void)
{
	double sum = 0;

	for (int i = 0; i < 80000; i++)
		sum += watts_at((i + 0.5) * 1e-4) * 1e-4;
	return sum;
}

/* The meter with @f is aligned within @most seconds, and says the joules within @part. */
static struct align aligned(const struct fault *f, double most, double part)
{
	struct joules j = {.source = mem_strdup("x")};
	struct err err = ERR_INIT;
	struct series s;
	struct align a;

	meter_make(&s, f);
	if (align_find(&a, &s, &run, &err) || align_joules(&j, &s, &a, &run, &err))
		fail_msg("%s", err.msg);
	if (fabs(a.start - f->start) > most || fabs((a.drift - f->drift) * SECONDS) > most)
		fail_msg("start %.4f drift %.5f error %.4f, of %.4f and %.5f", a.start, a.drift, a.error,
			 f->start, f->drift);
	assert_true(a.error >= fabs(a.start - f->start) || a.error >= f->interval);
	if (fabs(j.joules / true_joules() - 1) > part)
		fail_msg("%.3f J of %.3f, error %.4f", j.joules, true_joules(), j.error);
	assert_int_equal(j.n_power, N);
	joules_release(&j);
	series_release(&s);
	return a;
}

/* It is refused, with @words in the reason. */
static void refused(const struct fault *f, const char *words)
{
	struct joules j = {.source = mem_strdup("x")};
	struct err err = ERR_INIT;
	struct series s;
	struct align a = {0};
	int ret;

	meter_make(&s, f);
	ret = align_find(&a, &s, &run, &err);
	if (!ret)
		ret = align_joules(&j, &s, &a, &run, &err);
	if (!ret || !strstr(err.msg, words))
		fail_msg("status %d, start %.4f fit %.3f: '%s' says nothing of '%s'", ret, a.start, a.fit,
			 err.msg, words);
	joules_release(&j);
	series_release(&s);
}

#define METER .interval = 0.002, .before = 2, .behind = 1.5, .noise = 2

static void a_trigger_is_found_within_a_reading(void **state)
{
	struct align a = aligned(&(struct fault){METER, .start = 5.3, .trigger = true}, 0.002, 0.002);

	(void)state;
	assert_int_equal(a.how, JOULES_TRIGGER);
	a = aligned(&(struct fault){METER, .start = 5.3, .trigger = true, .drift = 0.01}, 0.002, 0.002);
	assert_int_equal(a.how, JOULES_TRIGGER);
}

static void a_shift_of_50_ms_is_found_without_a_trigger(void **state)
{
	struct align a = aligned(&(struct fault){METER, .start = 0.05}, 0.004, 0.005);

	(void)state;
	assert_int_equal(a.how, JOULES_CORRELATED);
	aligned(&(struct fault){METER, .start = -0.05}, 0.004, 0.005);
	aligned(&(struct fault){METER, .start = 321.123}, 0.004, 0.005);
}

static void a_clock_that_is_wrong_by_1_percent_is_found(void **state)
{
	(void)state;
	aligned(&(struct fault){METER, .start = 3, .drift = 0.01}, 0.006, 0.005);
	aligned(&(struct fault){METER, .start = 3, .drift = -0.01}, 0.006, 0.005);
}

static void doubled_readings_count_once(void **state)
{
	(void)state;
	aligned(&(struct fault){METER, .start = 3, .doubled = 5, .trigger = true}, 0.002, 0.002);
	aligned(&(struct fault){METER, .start = 3, .doubled = 5}, 0.004, 0.005);
}

static void few_missing_readings_are_bridged_and_many_refused_with_the_place(void **state)
{
	(void)state;
	aligned(&(struct fault){METER, .start = 3, .lost_from = 6, .lost_until = 6.1, .trigger = true}, 0.002,
		0.01);
	refused(&(struct fault){METER, .start = 3, .lost_from = 6, .lost_until = 7, .trigger = true},
		"behind 6 s");
	refused(&(struct fault){METER, .start = 3, .lost_from = 6, .lost_until = 6.3, .trigger = true},
		"from 6 s");
	refused(&(struct fault){.interval = 0.002, .before = 2, .behind = -1, .start = 3, .trigger = true},
		"ends 1");
}

static void one_lost_edge_is_made_up_for_by_what_the_program_did(void **state)
{
	struct align a =
		aligned(&(struct fault){METER, .start = 5.3, .trigger = true, .no_fall = true, .drift = 0.01},
			0.006, 0.005);

	(void)state;
	assert_int_equal(a.how, JOULES_EDGE);
	a = aligned(&(struct fault){METER, .start = 5.3, .trigger = true, .no_rise = true, .drift = 0.01},
		    0.006, 0.005);
	assert_int_equal(a.how, JOULES_EDGE);
	a = aligned(&(struct fault){METER, .start = 5.3, .trigger = true, .no_rise = true, .no_fall = true},
		    0.004, 0.005);
	assert_int_equal(a.how, JOULES_CORRELATED);
}

static void a_meter_of_another_run_is_refused(void **state)
{
	struct fault f = {METER, .start = 5.3};
	struct align_run constant = {SECONDS, 0, NULL, 0, WINDOW};
	struct err err = ERR_INIT;
	double other[N];
	struct series s;
	struct align a;

	(void)state;
	for (int i = 0; i < N; i++) {
		struct rng r = rng_keyed(99, (uint64_t)i / 20, 0, 0);

		other[i] = rng_unit(&r) < 0.5 ? 0 : WINDOW;
	}
	meter_make(&s, &f);
	assert_int_not_equal(align_find(&a, &s, &(struct align_run){SECONDS, 0, other, N, WINDOW}, &err), 0);
	assert_non_null(strstr(err.msg, "go together nowhere"));
	assert_int_not_equal(align_find(&a, &s, &constant, &err), 0);
	series_edge(&s, 1);
	series_edge(&s, 4);
	s.has_trigger = true;
	assert_int_not_equal(align_find(&a, &s, &constant, &err), 0);
	assert_non_null(strstr(err.msg, "the trigger is up from 1 to 4 s"));
	series_release(&s);
}

static void a_pulse_of_another_length_is_of_another_run(void **state)
{
	struct fault f = {METER, .start = 5.3};
	struct err err = ERR_INIT;
	struct series s;
	struct align a;

	(void)state;
	meter_make(&s, &f);
	s.has_trigger = true;
	series_edge(&s, 5.3);
	series_edge(&s, 5.3 + 1.1 * SECONDS);
	assert_int_not_equal(align_find(&a, &s, &run, &err), 0);
	assert_non_null(strstr(err.msg, "the trigger is up from 5.3 to 14.1 s"));
	series_release(&s);
	/* Without a trigger, 4 % slow. */
	refused(&(struct fault){METER, .start = 3, .drift = 0.04}, "");
}

static void two_places_that_fit_as_well_are_refused(void **state)
{
	double even[N];
	struct err err = ERR_INIT;
	struct series s = {0};
	struct align a;

	(void)state;
	for (int i = 0; i < N; i++)
		even[i] = i / 50 % 2 ? WINDOW : 0;
	for (int i = 0; i < 20000; i++)
		series_add(&s, i * 0.002, 10 + 20 * (i / 250 % 2), &err);
	assert_int_equal(series_finish(&s, "m", &err), 0);
	assert_int_not_equal(align_find(&a, &s, &(struct align_run){SECONDS, 0, even, N, WINDOW}, &err), 0);
	assert_non_null(strstr(err.msg, "as well"));
	series_release(&s);
}

static void two_pulses_as_long_as_the_run_are_refused(void **state)
{
	struct fault f = {METER, .start = 5.3, .trigger = true};
	struct err err = ERR_INIT;
	struct series s;
	struct align a;

	(void)state;
	meter_make(&s, &f);
	series_edge(&s, 20);
	series_edge(&s, 28);
	assert_int_not_equal(align_find(&a, &s, &run, &err), 0);
	assert_non_null(strstr(err.msg, "at 5.3 s and again at 20 s"));
	series_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trigger_is_found_within_a_reading),
		cmocka_unit_test(a_shift_of_50_ms_is_found_without_a_trigger),
		cmocka_unit_test(a_clock_that_is_wrong_by_1_percent_is_found),
		cmocka_unit_test(doubled_readings_count_once),
		cmocka_unit_test(few_missing_readings_are_bridged_and_many_refused_with_the_place),
		cmocka_unit_test(one_lost_edge_is_made_up_for_by_what_the_program_did),
		cmocka_unit_test(a_meter_of_another_run_is_refused),
		cmocka_unit_test(a_pulse_of_another_length_is_of_another_run),
		cmocka_unit_test(two_places_that_fit_as_well_are_refused),
		cmocka_unit_test(two_pulses_as_long_as_the_run_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_run, NULL);
}
