/* SPDX-License-Identifier: MIT */
/* tuner/search/race and trials: effects of rounds, and how often the best is dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tuner/search/race.h"

static const char *const text = "perseus: tunables\nversion: 1\ntunables:\n"
				"  - {name: a, kind: integer, low: 0, high: 99}\n";

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

static void load(struct space *s)
{
	struct err err = ERR_INIT;

	if (space_parse(s, text, strlen(text), "test", &err))
		fail_msg("%s", err.msg);
}

static size_t setting_of(struct trials *t, uint32_t at)
{
	struct setting x = {{at}};

	return trials_index(t, &x);
}

/* Five settings in six rounds that differ by 20 %: the means are right all the same. */
static void what_a_round_adds_is_taken_out(void **state)
{
	struct rng rng = rng_keyed(1, 0, 0, 0);
	struct space s;
	struct trials t;
	double worst = 0;

	(void)state;
	load(&s);
	trials_init(&t, &s);
	for (uint32_t r = 0; r < 12; r++) {
		double level = 0.2 * normal(&rng);

		/* The first is always there, the others in turns. */
		for (uint32_t k = 0; k < 5; k++)
			if (!k || (k + r) % 2)
				trials_add(&t, setting_of(&t, k), r, TRIAL_OK,
					   exp(0.1 * k + level + 0.01 * normal(&rng)));
	}
	trials_settle(&t);
	for (uint32_t k = 1; k < 5; k++)
		worst = fmax(worst,
			     fabs(t.settings.at[setting_of(&t, k)].mean - t.settings.at[0].mean - 0.1 * k));
	print_message("# sigma %.4f tau %.3f, off by %.4f\n", t.sigma, t.tau, worst);
	assert_true(t.sigma > 0.005 && t.sigma < 0.02);
	assert_true(t.tau > 0.1 && t.tau < 0.4);
	assert_true(worst < 0.02);
	trials_release(&t);
	space_release(&s);
}

/* The twin: rounds that add nothing are not seen to. */
static void a_steady_machine_has_no_rounds(void **state)
{
	struct rng rng = rng_keyed(2, 0, 0, 0);
	struct space s;
	struct trials t;

	(void)state;
	load(&s);
	trials_init(&t, &s);
	for (uint32_t r = 0; r < 30; r++)
		for (uint32_t k = 0; k < 5; k++)
			trials_add(&t, setting_of(&t, k), r, TRIAL_OK, exp(0.1 * k + 0.05 * normal(&rng)));
	trials_settle(&t);
	print_message("# sigma %.4f tau %.4f\n", t.sigma, t.tau);
	assert_true(t.sigma > 0.04 && t.sigma < 0.06);
	assert_true(t.tau < 0.02);
	trials_release(&t);
	space_release(&s);
}

/* Race @n settings, of which number 1 is @better than the others; true: it is dropped in 10 rounds. */
static bool dropped(const struct space *s, uint64_t seed, uint32_t n, double better, double drop,
		    unsigned *others)
{
	struct rng rng = rng_keyed(seed, 3, 0, 0);
	struct trials t;
	bool bad;

	trials_init(&t, s);
	for (uint32_t k = 0; k < 4; k++)
		trials_add(&t, setting_of(&t, 0), 0, TRIAL_OK, exp(0.05 * normal(&rng)));
	for (uint32_t r = 1; r <= 10; r++) {
		size_t best;

		for (uint32_t k = 0; k < n; k++)
			if (!k || trials_good(&t, setting_of(&t, k)) || r == 1)
				trials_add(&t, setting_of(&t, k), r, TRIAL_OK,
					   exp((k == 1 ? -better : 0) + 0.05 * normal(&rng)));
		trials_settle(&t);
		best = race_leader(&t);
		for (uint32_t k = 0; k < n; k++)
			race_look(&t, setting_of(&t, k), best, drop);
	}
	bad = t.settings.at[1].dropped;
	for (uint32_t k = 0; k < n; k++)
		*others += k != 1 && t.settings.at[k].dropped;
	trials_release(&t);
	return bad;
}

static void the_best_is_dropped_no_more_often_than_stated(void **state)
{
	unsigned bad = 0, others = 0, none = 0;
	struct space s;

	(void)state;
	load(&s);
	for (uint64_t seed = 0; seed < 1000; seed++)
		bad += dropped(&s, seed, 5, 0.03, 0.05, &others);
	print_message("# dropped the best in %u of 1000 races, %u of 4000 others\n", bad, others);
	assert_true(bad <= 50);
	for (others = 0, none = 0, bad = 0; none < 100; none++)
		bad += dropped(&s, none, 5, 0.4, 0.05, &others);
	print_message("# by far: dropped the best in %u of 100 races, %u of 400 others\n", bad, others);
	assert_int_equal(bad, 0);
	assert_true(others > 380);
	space_release(&s);
}

static void nobody_is_dropped_before_noise_is_known(void **state)
{
	struct space s;
	struct trials t;

	(void)state;
	load(&s);
	trials_init(&t, &s);
	trials_add(&t, setting_of(&t, 0), 0, TRIAL_OK, 1);
	trials_add(&t, setting_of(&t, 1), 0, TRIAL_OK, 100);
	trials_settle(&t);
	race_look(&t, 1, 0, 0.05);
	assert_false(t.settings.at[1].dropped);
	assert_int_equal(race_leader(&t), 0);
	trials_add(&t, 0, 1, TRIAL_WRONG, 0);
	assert_int_equal(race_leader(&t), 1); /* what failed once leads no more */
	trials_release(&t);
	space_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_round_adds_is_taken_out),
		cmocka_unit_test(a_steady_machine_has_no_rounds),
		cmocka_unit_test(the_best_is_dropped_no_more_often_than_stated),
		cmocka_unit_test(nobody_is_dropped_before_noise_is_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
