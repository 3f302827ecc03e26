/* SPDX-License-Identifier: MIT */
/* tuner/search against functions whose answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tuner/search/race.h"
#include "tuner/search/search.h"

#define HEAD "perseus: tunables\nversion: 1\ntunables:\n"

static const char *const four = HEAD "  - {name: a, kind: integer, low: 1, high: 32, default: 32}\n"
				     "  - {name: b, kind: power, low: 1, high: 1024, default: 1}\n"
				     "  - {name: w, kind: list, values: [x, y, z]}\n"
				     "  - {name: idle, kind: integer, low: 0, high: 9}\n";

struct oracle {
	const struct space *s;
	struct rng rng;
	double noise, drift, level;
	double (*value)(const struct space *s, const struct setting *x);
	enum trial_end (*end)(const struct space *s, const struct setting *x);
	unsigned runs, stop;
	uint64_t asked; /* hash of all questions */
};

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

static int answer(void *arg, const struct tuner_ask *ask, struct tuner_answer *a, struct err *err)
{
	struct oracle *o = arg;

	for (size_t j = 0; j < o->s->n_tunables; j++)
		o->asked = (o->asked ^ ask->x->at[j]) * 0x100000001b3;
	if (o->stop && o->runs == o->stop)
		return err_set(err, -EINTR, "stopped");
	o->runs++;
	o->level = 0.97 * o->level + o->drift * normal(&o->rng);
	a->end = o->end ? o->end(o->s, ask->x) : TRIAL_OK;
	a->value = o->value(o->s, ask->x) * exp(o->level + o->noise * normal(&o->rng));
	return 0;
}

static double bowl(const struct space *s, const struct setting *x)
{
	double a = log2(space_number(s, x, 0) / 6), b = log2(space_number(s, x, 1) / 64);

	return 1 + 0.2 * a * a + 0.02 * b * b + (x->at[2] == 1 ? 0 : 0.3);
}

static double nothing(const struct space *s, const struct setting *x)
{
	(void)s;
	(void)x;
	return 1;
}

/* What is good crashes: b above 128, and words z. */
static enum trial_end fragile(const struct space *s, const struct setting *x)
{
	return space_number(s, x, 1) > 128 ? TRIAL_CRASH : x->at[2] == 2 ? TRIAL_WRONG : TRIAL_OK;
}

static double downhill(const struct space *s, const struct setting *x)
{
	return 3 - 0.2 * log2(space_number(s, x, 1)) + 0.01 * space_number(s, x, 0) -
	       (x->at[2] == 2 ? 0.5 : 0);
}

static enum trial_end broken(const struct space *s, const struct setting *x)
{
	(void)s;
	(void)x;
	return TRIAL_CRASH;
}

static void open_search(struct tuner *s, struct space *space, struct oracle *o, uint64_t seed,
			uint64_t trials)
{
	struct tuner_options options = {
		.seed = seed, .trials = trials, .drop = 0.05, .worth = 0, .measure = answer, .arg = o};
	struct err err = ERR_INIT;

	if (space_parse(space, four, strlen(four), "test", &err))
		fail_msg("%s", err.msg);
	o->s = space;
	tuner_init(s, space, &options);
}

static void close_search(struct tuner *s, struct space *space)
{
	tuner_release(s);
	space_release(space);
}

static double found(uint64_t seed, double noise, double drift)
{
	struct oracle o = {.rng = rng_keyed(seed, 1, 1, 1), .noise = noise, .drift = drift, .value = bowl};
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;
	double y;

	open_search(&s, &space, &o, seed, 90);
	assert_int_equal(tuner_run(&s, &err), 0);
	assert_true(s.done <= 90 && o.runs == s.done);
	y = bowl(&space, &s.t.settings.at[s.winner].x);
	close_search(&s, &space);
	return y;
}

static void a_bowl_has_its_lowest_point_found(void **state)
{
	double worst = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		worst = fmax(worst, found(seed, 0.03, 0));
		worst = fmax(worst, found(seed, 0.02, 0.02)); /* drifts by 8 % */
	}
	print_message("# worst of 10: %.3f of the best\n", worst);
	assert_true(worst < 1.08);
}

static void equal_seeds_ask_equal_questions(void **state)
{
	uint64_t asked[3];

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct oracle o = {.rng = rng_keyed(1, 1, 1, 1), .noise = 0.05, .value = bowl};
		struct err err = ERR_INIT;
		struct space space;
		struct tuner s;

		open_search(&s, &space, &o, k < 2 ? 7 : 8, 60);
		assert_int_equal(tuner_run(&s, &err), 0);
		asked[k] = o.asked;
		close_search(&s, &space);
	}
	assert_true(asked[0] == asked[1]);
	assert_true(asked[0] != asked[2]);
}

static void what_fails_is_asked_once_and_not_chosen(void **state)
{
	struct oracle o = {.rng = rng_keyed(3, 1, 1, 1), .noise = 0.02, .value = downhill, .end = fragile};
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;

	(void)state;
	open_search(&s, &space, &o, 1, 100);
	assert_int_equal(tuner_run(&s, &err), 0);
	print_message("# %zu crashes, %zu wrong\n", tuner_count(&s, TRIAL_CRASH),
		      tuner_count(&s, TRIAL_WRONG));
	assert_true(tuner_count(&s, TRIAL_CRASH) > 0 && tuner_count(&s, TRIAL_WRONG) > 0);
	assert_true(tuner_count(&s, TRIAL_CRASH) + tuner_count(&s, TRIAL_WRONG) < 50);
	assert_true(fragile(&space, &s.t.settings.at[s.winner].x) == TRIAL_OK);
	assert_true(downhill(&space, &s.t.settings.at[s.winner].x) < 1.75); /* 1.61 is the best that runs */
	close_search(&s, &space);
}

static void a_default_that_fails_ends_the_search(void **state)
{
	struct oracle o = {.rng = rng_keyed(3, 1, 1, 1), .value = bowl, .end = broken};
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;

	(void)state;
	open_search(&s, &space, &o, 1, 100);
	assert_int_equal(tuner_run(&s, &err), -EINVAL);
	assert_int_equal(s.end, TUNER_BROKEN);
	assert_non_null(strstr(err.msg, "default setting fails (crash)"));
	close_search(&s, &space);
}

static void what_is_not_worth_its_cost_ends_it(void **state)
{
	struct oracle o = {.rng = rng_keyed(3, 1, 1, 1), .noise = 0.005, .value = bowl};
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;

	(void)state;
	open_search(&s, &space, &o, 1, 1000);
	s.o.worth = 20;
	assert_int_equal(tuner_run(&s, &err), 0);
	print_message("# %u trials\n", o.runs);
	assert_int_equal(s.end, TUNER_GAIN);
	assert_true(o.runs < 200);
	assert_true(bowl(&space, &s.t.settings.at[s.winner].x) < 1.1);
	close_search(&s, &space);
}

static void a_stop_is_handed_on(void **state)
{
	struct oracle o = {.rng = rng_keyed(3, 1, 1, 1), .noise = 0.01, .value = bowl, .stop = 31};
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;

	(void)state;
	open_search(&s, &space, &o, 1, 100);
	assert_int_equal(tuner_run(&s, &err), -EINTR);
	assert_int_equal(s.done, 31);
	close_search(&s, &space);
}

/* A tunable that does nothing has no effect, one that does has. */
static void effects_are_told_apart(void **state)
{
	struct oracle o = {.rng = rng_keyed(3, 1, 1, 1), .noise = 0.02, .value = bowl};
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;

	(void)state;
	open_search(&s, &space, &o, 1, 90);
	assert_int_equal(tuner_run(&s, &err), 0);
	print_message("# %.3f %.3f %.3f %.3f\n", s.effects[0], s.effects[1], s.effects[2], s.effects[3]);
	assert_true(s.effects[3] < 0.02);
	assert_true(s.effects[0] > 0.05 && s.effects[1] > 0.05 && s.effects[2] > 0.05);
	close_search(&s, &space);
}

/* What does nothing keeps its default, and costs nothing to keep. */
static void what_is_idle_keeps_its_default(void **state)
{
	unsigned kept = 0;
	double worst = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct oracle o = {.rng = rng_keyed(seed, 1, 1, 1), .noise = 0.02, .value = bowl};
		struct err err = ERR_INIT;
		struct space space;
		struct tuner s;

		open_search(&s, &space, &o, seed, 120);
		assert_int_equal(tuner_run(&s, &err), 0);
		assert_true(s.done <= 120);
		kept += s.t.settings.at[s.winner].x.at[3] == s.t.settings.at[0].x.at[3];
		worst = fmax(worst, bowl(&space, &s.t.settings.at[s.winner].x));
		close_search(&s, &space);
	}
	print_message("# %u of 10 kept; worst %.3f of the best\n", kept, worst);
	assert_true(kept >= 8);
	assert_true(worst < 1.08);
}

/* Winners over settings that do nothing: 40 verdicts, of which 0.4 may claim something by chance. */
static void noise_is_not_crowned(void **state)
{
	unsigned claims = 0, gains = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct oracle o = {
			.rng = rng_keyed(seed, 1, 1, 1), .noise = 0.05, .drift = 0.01, .value = nothing};
		struct err err = ERR_INIT;
		struct verdict v = {.gain = false};
		struct space space;
		struct tuner s;

		open_search(&s, &space, &o, seed, 45);
		assert_int_equal(tuner_run(&s, &err), 0);
		if (s.winner)
			assert_int_equal(tuner_verdict(&s, 20, &v, &err), 0);
		claims += v.gain;
		o.value = bowl; /* the twin: there is something to find */
		tuner_release(&s);
		tuner_init(&s, &space,
			   &(struct tuner_options){
				   .seed = seed, .trials = 45, .drop = 0.05, .measure = answer, .arg = &o});
		assert_int_equal(tuner_run(&s, &err), 0);
		assert_int_equal(tuner_verdict(&s, 20, &v, &err), 0);
		gains += v.gain;
		assert_true(v.ratio.low <= v.ratio.estimate && v.ratio.estimate <= v.ratio.high);
		close_search(&s, &space);
	}
	print_message("# %u claims of 20, %u gains of 20\n", claims, gains);
	assert_in_range(claims, 0, 2);
	assert_int_equal(gains, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bowl_has_its_lowest_point_found),
		cmocka_unit_test(equal_seeds_ask_equal_questions),
		cmocka_unit_test(what_fails_is_asked_once_and_not_chosen),
		cmocka_unit_test(a_default_that_fails_ends_the_search),
		cmocka_unit_test(what_is_not_worth_its_cost_ends_it),
		cmocka_unit_test(a_stop_is_handed_on),
		cmocka_unit_test(effects_are_told_apart),
		cmocka_unit_test(what_is_idle_keeps_its_default),
		cmocka_unit_test(noise_is_not_crowned),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
