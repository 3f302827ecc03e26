/* SPDX-License-Identifier: MIT */
/* lib/compare/sequential: error rates kept on noise as machines have it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "lib/compare/sequential.h"
#include "lib/rng.h"

#define SEQUENCES 10000
#define BLOCKS    30
#define LIMIT     0.05

/* What disturbs run times, as parts of them. */
struct noise {
	double white, drift, outliers, steps;
};

static const struct noise calm = {0.01, 0.0, 0.0, 0.0};
static const struct noise real = {0.02, 0.004, 0.05, 0.02};
static const struct noise wild = {0.10, 0.05, 0.25, 0.2};

struct machine {
	struct rng rng;
	const struct noise *noise;
	double level; /* AR(1) */
	double step;  /* another program begins or ends */
};

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

/* ln of the time of one run. */
static double run(struct machine *m, double effect)
{
	const struct noise *n = m->noise;
	double t;

	m->level = 0.97 * m->level + n->drift * normal(&m->rng);
	if (rng_unit(&m->rng) < 0.02)
		m->step = n->steps * rng_unit(&m->rng);
	t = effect + m->level + m->step + n->white * normal(&m->rng);
	if (rng_unit(&m->rng) < n->outliers)
		t += -0.2 * log(1 - rng_unit(&m->rng));
	return t;
}

/* One block: A B B A or B A A B. */
static double block(struct machine *m, double effect)
{
	int head = (int)rng_below(&m->rng, 2);
	double sum = 0;

	for (int i = 0; i < 4; i++) {
		int b = (i == 1 || i == 2) ^ head;

		sum += (b ? 1 : -1) * run(m, b ? effect : 0);
	}
	return sum / 2;
}

/* How a sequence ends, as gate does it; *blocks gets how many it took. */
static enum sequential_verdict sequence(const struct sequential_plan *p, uint64_t seed, double ratio,
					const struct noise *noise, unsigned *blocks)
{
	struct machine m = {rng_keyed(seed, 1, 2, 3), noise, 0, 0};
	double d[BLOCKS];

	for (unsigned n = 1; n <= BLOCKS; n++) {
		struct sequential_result r;

		d[n - 1] = block(&m, log(ratio));
		*blocks = n;
		if (!sequential_due(p, n))
			continue;
		r = sequential_judge(p, d, n);
		if (r.verdict != SEQUENTIAL_OPEN)
			return r.verdict;
	}
	return SEQUENTIAL_OPEN;
}

struct tally {
	unsigned of[3];
	double blocks; /* mean */
};

static struct tally simulate(double ratio, const struct noise *noise)
{
	struct sequential_plan p;
	struct tally t = {{0}, 0};

	sequential_plan(&p, LIMIT, BLOCKS);
	for (uint64_t i = 0; i < SEQUENCES; i++) {
		unsigned blocks;

		t.of[sequence(&p, i, ratio, noise, &blocks)]++;
		t.blocks += (double)blocks / SEQUENCES;
	}
	print_message("# ratio %.3f, noise %.2f: %u ok, %u slower, %u open of %u, %.0f pairs\n", ratio,
		      noise->white, t.of[SEQUENTIAL_OK], t.of[SEQUENTIAL_SLOWER], t.of[SEQUENTIAL_OPEN],
		      SEQUENCES, 2 * t.blocks);
	return t;
}

static void equal_programs_pass(void **state)
{
	struct tally t = simulate(1.0, &calm);

	(void)state;
	assert_int_equal(t.of[SEQUENTIAL_OK], SEQUENCES);
	assert_true(t.blocks < 13);
	t = simulate(1.0, &real);
	assert_true(t.of[SEQUENTIAL_SLOWER] <= SEQUENCES / 1000);
	assert_true(t.of[SEQUENTIAL_OK] >= SEQUENCES * 9 / 10);
}

static void what_is_slower_by_the_limit_is_found(void **state)
{
	struct tally t = simulate(1.05, &calm);

	(void)state;
	assert_true(t.of[SEQUENTIAL_SLOWER] >= SEQUENCES * 999 / 1000);
	t = simulate(1.05, &real);
	assert_true(t.of[SEQUENTIAL_SLOWER] >= SEQUENCES * 95 / 100);
	assert_true(t.of[SEQUENTIAL_OK] <= SEQUENCES / 1000);
}

static void noise_beyond_measure_gives_no_verdict(void **state)
{
	struct tally t = simulate(1.0, &wild);

	(void)state;
	assert_true(t.of[SEQUENTIAL_SLOWER] <= SEQUENCES / 100);
	t = simulate(1.05, &wild);
	assert_true(t.of[SEQUENTIAL_OK] <= SEQUENCES / 1000);
	assert_true(t.of[SEQUENTIAL_OPEN] >= SEQUENCES * 9 / 10);
}

/* At the edge of what may be called slower each look tempts; all together they keep the promise. */
static void looking_often_costs_no_error(void **state)
{
	const double edge = 1.0 + LIMIT * SEQUENTIAL_PART;

	(void)state;
	assert_true(simulate(edge, &calm).of[SEQUENTIAL_SLOWER] <= SEQUENCES * SEQUENTIAL_ALARM);
	assert_true(simulate(edge, &real).of[SEQUENTIAL_SLOWER] <= SEQUENCES * SEQUENTIAL_ALARM);
}

static void what_is_much_slower_is_found_at_the_first_look(void **state)
{
	struct tally t = simulate(1.2, &real);

	(void)state;
	assert_true(t.of[SEQUENTIAL_SLOWER] >= SEQUENCES * 999 / 1000);
	assert_true(t.blocks < 13);
}

static void the_plan_looks_five_times_at_most_and_at_the_end(void **state)
{
	struct sequential_plan p;
	unsigned due = 0;

	(void)state;
	sequential_plan(&p, LIMIT, BLOCKS);
	for (unsigned n = 0; n <= BLOCKS; n++)
		due += (unsigned)sequential_due(&p, n);
	assert_int_equal(due, SEQUENTIAL_LOOKS);
	assert_true(sequential_due(&p, BLOCKS));
	/* P(W <= 2) = 3/4096 for 12 blocks, and P(W <= 3) = 5/4096: the third smallest average, at 0.1 %. */
	assert_int_equal(p.look[0].low, 3);
	assert_int_equal(p.look[0].high, 1);
}

static void too_few_blocks_say_nothing(void **state)
{
	struct sequential_plan p;
	double d[5] = {0.3, 0.3, 0.3, 0.3, 0.3};
	struct sequential_result r;

	(void)state;
	sequential_plan(&p, LIMIT, BLOCKS);
	r = sequential_judge(&p, d, 5);
	assert_int_equal(r.verdict, SEQUENTIAL_OPEN);
	assert_true(r.low == 0 && isinf(r.high));
	assert_true(fabs(r.estimate - exp(0.3)) < 1e-9);
}

static void one_outlier_changes_nothing(void **state)
{
	struct sequential_plan p;
	double d[BLOCKS];

	(void)state;
	sequential_plan(&p, LIMIT, BLOCKS);
	for (int i = 0; i < BLOCKS; i++)
		d[i] = 0.001 * (i % 3);
	d[7] = 5;
	assert_int_equal(sequential_judge(&p, d, BLOCKS).verdict, SEQUENTIAL_OK);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_programs_pass),
		cmocka_unit_test(what_is_slower_by_the_limit_is_found),
		cmocka_unit_test(noise_beyond_measure_gives_no_verdict),
		cmocka_unit_test(looking_often_costs_no_error),
		cmocka_unit_test(what_is_much_slower_is_found_at_the_first_look),
		cmocka_unit_test(the_plan_looks_five_times_at_most_and_at_the_end),
		cmocka_unit_test(too_few_blocks_say_nothing),
		cmocka_unit_test(one_outlier_changes_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
