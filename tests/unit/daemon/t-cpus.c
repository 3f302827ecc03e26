/* SPDX-License-Identifier: MIT */
/* Lists of cpus as the kernel writes them, and sets of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/machine/cpus.h"

static const char *again(const char *list)
{
	static char out[CPUS_TEXT];
	struct cpus set;

	assert_int_equal(cpus_parse(&set, list), 0);
	cpus_print(&set, out, sizeof(out));
	return out;
}

static void lists_are_read_and_written(void **state)
{
	(void)state;
	assert_string_equal(again("0-3,8\n"), "0-3,8");
	assert_string_equal(again("0 1 2 3 8"), "0-3,8");
	assert_string_equal(again(" 5 "), "5");
	assert_string_equal(again("1023,0,1,3"), "0-1,3,1023");
	assert_string_equal(again("0-1023"), "0-1023");
	assert_string_equal(again(""), "");
	assert_string_equal(again("\n"), "");
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const bad[] = {",",  "1,",   "3-1",  "1024",        "0-1024", "x",     "1x",  "-1",
					  "1-", "1--2", "1,,2", "99999999999", "0x1",    "1-2-3", "1, 2"};
	struct cpus set;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cpus_parse(&set, bad[i]), -EINVAL);
}

static void the_longest_list_fits(void **state)
{
	char out[CPUS_TEXT];
	struct cpus set = {{0}};

	(void)state;
	for (prs_u32 cpu = 0; cpu < PRS_CTL_CPUS; cpu += 2)
		cpus_add(&set, cpu);
	assert_true(cpus_print(&set, out, sizeof(out)) < sizeof(out) - 1);
	assert_string_equal(out + strlen(out) - 5, ",1022");
}

static void sets_say_what_is_outside(void **state)
{
	struct cpus a, b;

	(void)state;
	cpus_parse(&a, "2-5,1000");
	cpus_parse(&b, "0-4");
	assert_int_equal(cpus_first_outside(&a, &b), 5);
	cpus_add(&b, 5);
	assert_int_equal(cpus_first_outside(&a, &b), 1000);
	cpus_meet(&a, &b);
	assert_int_equal(cpus_first_outside(&a, &b), PRS_CTL_CPUS);
	cpus_remove(&a, &b);
	assert_true(cpus_is_empty(&a));
	cpus_add(&a, PRS_CTL_CPUS);
	assert_true(cpus_is_empty(&a));
	assert_false(cpus_has(&b, PRS_CTL_CPUS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_and_written),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(the_longest_list_fits),
		cmocka_unit_test(sets_say_what_is_outside),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
