/* SPDX-License-Identifier: MIT */
/* Training programs depend on seed and number alone, and have all kinds of work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "recorder/train/generate.h"
#include "recorder/train/segments.h"

static void text_of(uint64_t seed, uint32_t number, struct strbuf *out)
{
	struct train_program p;

	out->len = 0;
	train_program_make(&p, seed, number);
	train_program_text(&p, out);
}

static void the_same_seed_and_number_give_the_same_program(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	uint32_t mix = train_n_basis() + 5;

	(void)state;
	text_of(3, mix, &a);
	text_of(3, mix, &b);
	assert_string_equal(a.s, b.s);
	text_of(4, mix, &b);
	assert_string_not_equal(a.s, b.s);
	strbuf_release(&a);
	strbuf_release(&b);
}

static void names_tell_programs_of_different_seeds_from_each_other(void **state)
{
	struct train_program a, b;

	(void)state;
	train_program_make(&a, 3, train_n_basis());
	train_program_make(&b, 4, train_n_basis());
	assert_string_not_equal(a.name, b.name);
	train_program_make(&b, 3, train_n_basis() + 1);
	assert_string_not_equal(a.name, b.name);
}

static void mixes_have_two_to_six_different_kinds_and_all_come_up(void **state)
{
	bool met[64] = {false};

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		struct train_program p;

		train_program_make(&p, 1, train_n_basis() + i);
		assert_in_range(p.n, 2, TRAIN_MOST_PARTS);
		for (size_t k = 0; k < p.n; k++) {
			assert_true(p.part[k].rounds > 0);
			met[p.part[k].segment] = true;
			for (size_t j = 0; j < k; j++)
				assert_int_not_equal(p.part[j].segment, p.part[k].segment);
		}
	}
	for (size_t i = 0; i < train_n_segments; i++)
		assert_true(met[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_and_number_give_the_same_program),
		cmocka_unit_test(names_tell_programs_of_different_seeds_from_each_other),
		cmocka_unit_test(mixes_have_two_to_six_different_kinds_and_all_come_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
