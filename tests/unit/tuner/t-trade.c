/* SPDX-License-Identifier: MIT */
/* tuner/search/trade: the front of two figures, where it is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"
#include "lib/stats.h"
#include "tuner/search/front.h"
#include "tuner/search/search.h"
#include "tuner/search/trade.h"

#define SIDE   32
#define TRIALS 100
#define SEEDS  5

static const char *const text = "perseus: tunables\nversion: 1\ntunables:\n"
				"  - {name: a, kind: integer, low: 0, high: 31, default: 31}\n"
				"  - {name: b, kind: integer, low: 0, high: 31, default: 31}\n"
				"  - {name: idle, kind: integer, low: 0, high: 3}\n";

/* The two figures of a and b. */
typedef void two_figures(double a, double b, double f[2]);

/* The front is the way from (8, 8) to (24, 24): it bends outwards. */
static void bowls(double a, double b, double f[2])
{
	f[0] = 1 + (pow(a - 8, 2) + pow(b - 8, 2)) / 200;
	f[1] = 1 + (pow(a - 24, 2) + pow(b - 24, 2)) / 200;
}

/* The front is all a with b = 16: it bends inwards, so no weighted sum has anything of it but its ends. */
static void arc(double a, double b, double f[2])
{
	double x = a / (SIDE - 1), off = 1 + fabs(b - 16) / 8;

	f[0] = off * (0.3 + x);
	f[1] = off * (0.3 + sqrt(1 - x * x));
}

/* One setting is the best in both: the front is a point. */
static void no_trade(double a, double b, double f[2])
{
	f[0] = 1 + (pow(a - 20, 2) + pow(b - 5, 2)) / 100;
	f[1] = 2 * f[0];
}

struct landscape {
	const struct space *s;
	struct rng rng;
	double noise[2];
	two_figures *of;
};

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

static int answer(void *arg, const struct tuner_ask *ask, struct tuner_answer *a, struct err *err)
{
	struct landscape *l = arg;
	double f[2];

	(void)err;
	l->of(ask->x->at[0], ask->x->at[1], f);
	a->value = f[0] * exp(l->noise[0] * normal(&l->rng));
	a->other = f[1] * exp(l->noise[1] * normal(&l->rng));
	return 0;
}

struct point {
	double f[2];
};

static int by_first(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	int k = x->f[0] == y->f[0];

	return (x->f[k] > y->f[k]) - (x->f[k] < y->f[k]);
}

/* The area between the points and @worst that they beat. */
static double area(struct point *p, size_t n, const struct point *worst)
{
	double sum = 0, reached = worst->f[1];

	qsort(p, n, sizeof(*p), by_first);
	for (size_t i = 0; i < n; i++)
		if (p[i].f[0] < worst->f[0] && p[i].f[1] < reached) {
			sum += (worst->f[0] - p[i].f[0]) * (reached - p[i].f[1]);
			reached = p[i].f[1];
		}
	return sum;
}

static bool is_beaten(const struct point *p, const struct point *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].f[0] <= p->f[0] && all[i].f[1] <= p->f[1] &&
		    (all[i].f[0] < p->f[0] || all[i].f[1] < p->f[1]))
			return true;
	return false;
}

/* All that there is: the area of the true front, and where it is measured from. */
static double true_area(two_figures *of, struct point *worst)
{
	static struct point all[SIDE * SIDE], front[SIDE * SIDE];
	size_t n = 0;

	for (int a = 0; a < SIDE; a++)
		for (int b = 0; b < SIDE; b++)
			of(a, b, all[a * SIDE + b].f);
	*worst = (struct point){{0, 0}};
	for (size_t i = 0; i < SIDE * SIDE; i++)
		if (!is_beaten(&all[i], all, SIDE * SIDE)) {
			front[n++] = all[i];
			for (int k = 0; k < 2; k++)
				worst->f[k] = fmax(worst->f[k], 1.1 * all[i].f[k]);
		}
	return area(front, n, worst);
}

/* The share of that area that a search has found, by the true figures of what it says is the front. */
static double found(two_figures *of, const double noise[2], uint64_t seed, bool trade, size_t *n)
{
	struct landscape l = {.rng = rng_keyed(seed, 7, 7, 7), .noise = {noise[0], noise[1]}, .of = of};
	struct tuner_options options = {
		.seed = seed, .trials = TRIALS, .drop = 0.05, .measure = answer, .arg = &l, .trade = trade};
	struct point worst, points[TRIALS];
	double whole = true_area(of, &worst), share;
	struct front front = VEC_INIT;
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;

	assert_int_equal(space_parse(&space, text, strlen(text), "test", &err), 0);
	l.s = &space;
	tuner_init(&s, &space, &options);
	assert_int_equal(tuner_run(&s, &err), 0);
	assert_true(s.done <= TRIALS);
	front_find(&s.t, &front);
	for (size_t i = 0; i < front.n; i++) {
		const struct setting *x = &s.t.settings.at[front.at[i]].x;

		of(x->at[0], x->at[1], points[i].f);
	}
	share = area(points, front.n, &worst) / whole;
	*n = front.n;
	vec_release(&front);
	tuner_release(&s);
	space_release(&space);
	return share;
}

/* Medians over the seeds, with and without looking for the front. */
static void compare(const char *name, two_figures *of, double noise, double other, double share[2])
{
	double all[2][SEEDS], spread[2] = {noise, other};
	size_t n[2] = {0, 0}, of_front;

	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (int trade = 0; trade < 2; trade++) {
			all[trade][seed - 1] = found(of, spread, seed, trade, &of_front);
			n[trade] += of_front;
		}
	for (int trade = 0; trade < 2; trade++)
		share[trade] = stats_median(all[trade], SEEDS);
	print_message("# %s: %.3f of the area of the front with %.1f settings; %.3f with %.1f if the "
		      "first figure alone is looked for\n",
		      name, share[1], (double)n[1] / SEEDS, share[0], (double)n[0] / SEEDS);
}

static void a_front_that_bends_outwards_is_found(void **state)
{
	double share[2];

	(void)state;
	compare("bowls", bowls, 0.02, 0.02, share);
	assert_true(share[1] > 0.95);
	assert_true(share[1] > share[0] + 0.05);
}

static void a_front_that_bends_inwards_is_found(void **state)
{
	double share[2];

	(void)state;
	/* Between few settings of such a front there is much area: 8 of 32 are found in 100 trials. */
	compare("arc", arc, 0.02, 0, share);
	assert_true(share[1] > 0.8);
	assert_true(share[1] > share[0] + 0.2);
}

/* The twin: where nothing is traded the best is found all the same, and the front is about it. */
static void without_a_trade_the_best_is_found(void **state)
{
	double share[2];

	(void)state;
	compare("no trade", no_trade, 0.02, 0.02, share);
	assert_true(share[1] > 0.9);
}

static void weights_go_over_all_of_the_front(void **state)
{
	unsigned alone = 0, parts[8] = {0};

	(void)state;
	for (uint64_t k = 0; k < 96; k++) {
		double w = trade_weight(k);

		assert_true(w >= 0 && w <= 1);
		alone += w == 1;
		if (w < 1)
			parts[(int)(8 * w)]++;
	}
	assert_int_equal(alone, 32);
	for (int i = 0; i < 8; i++)
		assert_in_range(parts[i], 5, 15);
}

static void a_view_orders_settings_by_the_weighted_figure(void **state)
{
	const double value[3] = {1, 2, 4}, other[3] = {4, 2, 1};
	struct trials t, view;
	struct err err = ERR_INIT;
	struct space space;

	(void)state;
	assert_int_equal(space_parse(&space, text, strlen(text), "test", &err), 0);
	trials_init(&t, &space);
	for (uint32_t k = 0; k < 3; k++) {
		struct setting x = {{k}};
		size_t i = trials_index(&t, &x);

		trials_add(&t, i, 0, TRIAL_OK, value[k]);
		trials_other(&t, i, other[k]);
	}
	trade_view(&view, &t, 1);
	assert_true(view.settings.at[0].mean < view.settings.at[1].mean);
	assert_true(view.settings.at[1].mean < view.settings.at[2].mean);
	trials_release(&view);
	trade_view(&view, &t, 0);
	assert_true(view.settings.at[2].mean < view.settings.at[1].mean);
	assert_true(view.settings.at[1].mean < view.settings.at[0].mean);
	trials_release(&view);
	trade_view(&view, &t, 0.5);
	assert_true(view.settings.at[1].mean < view.settings.at[0].mean);
	assert_true(view.settings.at[1].mean < view.settings.at[2].mean);
	trials_release(&view);
	assert_true(t.settings.at[0].mean == 0); /* ln 1: what was measured is as it was */
	trials_release(&t);
	space_release(&space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_front_that_bends_outwards_is_found),
		cmocka_unit_test(a_front_that_bends_inwards_is_found),
		cmocka_unit_test(without_a_trade_the_best_is_found),
		cmocka_unit_test(weights_go_over_all_of_the_front),
		cmocka_unit_test(a_view_orders_settings_by_the_weighted_figure),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
