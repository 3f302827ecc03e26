/* SPDX-License-Identifier: MIT */
/* tuner/search/front: which settings nobody beats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"
#include "tuner/search/front.h"

static const char *const text = "perseus: tunables\nversion: 1\ntunables:\n"
				"  - {name: a, kind: integer, low: 0, high: 999}\n";

struct setup {
	struct space space;
	struct trials t;
	struct front front;
};

static void begin(struct setup *s)
{
	struct err err = ERR_INIT;

	memset(s, 0, sizeof(*s));
	assert_int_equal(space_parse(&s->space, text, strlen(text), "test", &err), 0);
	trials_init(&s->t, &s->space);
}

static void done(struct setup *s)
{
	vec_release(&s->front);
	trials_release(&s->t);
	space_release(&s->space);
}

static void add(struct setup *s, uint32_t a, double value, double other, enum trial_end end)
{
	struct setting x = {{a}};
	size_t i = trials_index(&s->t, &x);

	trials_add(&s->t, i, 0, end, value);
	if (other > 0)
		trials_other(&s->t, i, other);
}

static void only_what_nobody_beats_in_both_is_on_the_front(void **state)
{
	struct setup s;

	(void)state;
	begin(&s);
	add(&s, 0, 5, 1, TRIAL_OK);
	add(&s, 1, 1, 5, TRIAL_OK);
	add(&s, 2, 3, 3, TRIAL_OK);
	add(&s, 3, 4, 4, TRIAL_OK); /* beaten by 2 */
	add(&s, 4, 3, 4, TRIAL_OK); /* ... also where one is equal */
	front_find(&s.t, &s.front);
	assert_int_equal(s.front.n, 3);
	assert_int_equal(s.front.at[0], 1);
	assert_int_equal(s.front.at[1], 2);
	assert_int_equal(s.front.at[2], 0);
	done(&s);
}

static void what_failed_or_has_no_second_figure_is_not_on_it(void **state)
{
	struct setup s;

	(void)state;
	begin(&s);
	add(&s, 0, 5, 5, TRIAL_OK);
	add(&s, 1, 1, 1, TRIAL_UNMET);
	add(&s, 2, 1, 0, TRIAL_OK);
	add(&s, 3, 1, 1, TRIAL_SLOW);
	front_find(&s.t, &s.front);
	assert_int_equal(s.front.n, 1);
	assert_int_equal(s.front.at[0], 0);
	done(&s);
}

static void equal_settings_are_on_it_once(void **state)
{
	struct setup s;

	(void)state;
	begin(&s);
	add(&s, 0, 2, 2, TRIAL_OK);
	add(&s, 1, 2, 2, TRIAL_OK);
	front_find(&s.t, &s.front);
	assert_int_equal(s.front.n, 1);
	assert_int_equal(s.front.at[0], 0);
	done(&s);
}

static void nothing_tried_is_an_empty_front(void **state)
{
	struct setup s;

	(void)state;
	begin(&s);
	front_find(&s.t, &s.front);
	assert_int_equal(s.front.n, 0);
	done(&s);
}

static void random_fronts_beat_all_others_and_not_each_other(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct rng rng = rng_keyed(seed, 1, 2, 3);
		struct setup s;

		begin(&s);
		for (uint32_t a = 0; a < 100; a++)
			add(&s, a, 1 + (double)rng_below(&rng, 20), 1 + (double)rng_below(&rng, 20),
			    TRIAL_OK);
		front_find(&s.t, &s.front);
		for (size_t i = 0; i < s.t.settings.n; i++) {
			const struct tried *x = &s.t.settings.at[i];
			bool on = false, beaten = false;

			for (size_t k = 0; k < s.front.n; k++) {
				const struct tried *y = &s.t.settings.at[s.front.at[k]];

				on |= s.front.at[k] == i;
				beaten |= s.front.at[k] != i && y->mean <= x->mean && y->other <= x->other;
			}
			assert_true(on != beaten);
		}
		done(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_nobody_beats_in_both_is_on_the_front),
		cmocka_unit_test(what_failed_or_has_no_second_figure_is_not_on_it),
		cmocka_unit_test(equal_settings_are_on_it_once),
		cmocka_unit_test(nothing_tried_is_an_empty_front),
		cmocka_unit_test(random_fronts_beat_all_others_and_not_each_other),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
