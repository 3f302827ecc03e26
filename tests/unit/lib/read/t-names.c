/* SPDX-License-Identifier: MIT */
/* lib/read/names: a name is found if it was entered, and only then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "lib/read/names.h"

#define MANY 5000

static void many_names_are_found(void **state)
{
	static char name[MANY][16];
	struct names t = {0};

	(void)state;
	assert_true(names_find(&t, "x") == NAMES_NONE);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof(name[i]), "n.%zu", i);
		assert_true(names_add(&t, name[i], i));
	}
	for (size_t i = 0; i < MANY; i++)
		assert_true(names_find(&t, name[i]) == i);
	assert_true(names_find(&t, "n.5000") == NAMES_NONE);
	assert_true(names_find(&t, "n.") == NAMES_NONE);
	names_release(&t);
}

static void a_name_keeps_its_first_value(void **state)
{
	struct names t = {0};

	(void)state;
	assert_true(names_add(&t, "", 7));
	assert_true(names_add(&t, "a", 1));
	assert_false(names_add(&t, "a", 2));
	assert_true(names_find(&t, "a") == 1);
	assert_true(names_find(&t, "") == 7);
	assert_true(names_find_part(&t, "a.3", 1) == 1);
	assert_true(names_find_part(&t, "a.3", 2) == NAMES_NONE);
	names_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_names_are_found),
		cmocka_unit_test(a_name_keeps_its_first_value),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
