/* SPDX-License-Identifier: MIT */
/* Sets of cpus and frequencies as people write them, and back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/ctl/ctl.h"

#define BYTES (PRS_CTL_CPUS / 8)

static void lists_of_cpus_are_those_of_the_kernel(void **state)
{
	static const char *const same[] = {"0", "0-3,8", "1,3,5", "7-9,63-64", "0-1023", "1023"};
	char buf[CTL_LIST_BYTES];
	prs_u8 cpus[BYTES];
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_int_equal(ctl_parse_cpus(same[i], cpus, &err), 0);
		assert_string_equal(ctl_cpus_text(buf, cpus), same[i]);
	}
	assert_int_equal(ctl_parse_cpus("3,0-1,2", cpus, &err), 0);
	assert_string_equal(ctl_cpus_text(buf, cpus), "0-3");
	memset(cpus, 0, sizeof(cpus));
	assert_string_equal(ctl_cpus_text(buf, cpus), "none");
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const bad[] = {
		"", ",", "1,", "a", "1-", "3-1", "1024", "0-1024", "1 ,2", "-1", "99999999999999999999"};
	prs_u8 cpus[BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(ctl_parse_cpus(bad[i], cpus, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "is no list of cpus"));
	}
}

static void the_longest_list_fits(void **state)
{
	char buf[CTL_LIST_BYTES];
	prs_u8 cpus[BYTES], back[BYTES];
	struct err err = ERR_INIT;

	(void)state;
	memset(cpus, 0xaa, sizeof(cpus)); /* every second one */
	assert_int_equal(ctl_parse_cpus(ctl_cpus_text(buf, cpus), back, &err), 0);
	assert_memory_equal(cpus, back, sizeof(cpus));
	memset(cpus, 0, sizeof(cpus));
	for (uint32_t c = 0; c < PRS_CTL_CPUS; c++) /* two of three: the longest */
		if (c % 3 < 2)
			ctl_cpus_add(cpus, c);
	assert_int_equal(strlen(ctl_cpus_text(buf, cpus)), 2673);
	assert_int_equal(ctl_parse_cpus(buf, back, &err), 0);
	assert_memory_equal(cpus, back, sizeof(cpus));
}

static void sets_are_counted_and_compared(void **state)
{
	prs_u8 a[BYTES], b[BYTES];
	struct err err = ERR_INIT;

	(void)state;
	ctl_parse_cpus("5", a, &err);
	ctl_parse_cpus("5-7", b, &err);
	assert_int_equal(ctl_first(a), 5);
	assert_string_equal(ctl_cpus_noun(a), "cpu");
	assert_string_equal(ctl_cpus_noun(b), "cpus");
	assert_int_equal(ctl_first_outside(b, a), 6);
	assert_int_equal(ctl_first_outside(a, b), PRS_CTL_CPUS);
	memset(a, 0, sizeof(a));
	assert_int_equal(ctl_first(a), PRS_CTL_CPUS);
}

static void frequencies_have_units_and_ranges(void **state)
{
	static const struct {
		const char *text;
		uint32_t min, max;
	} list[] = {{"1200000", 1200000, 1200000},
		    {"2.4GHz", 2400000, 2400000},
		    {"800MHz-2.4ghz", 800000, 2400000},
		    {"1200000-2400000", 1200000, 2400000},
		    {"1kHz", 1, 1}};
	static const char *const bad[] = {"",   "GHz",  "0",   "-1",  "2.4 GHz", "2.4GHz-1.2GHz",
					  "1-", "1e99", "nan", "inf", "2.4Hz",   "1-2-3"};
	uint32_t min, max;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		assert_int_equal(ctl_parse_khz(list[i].text, &min, &max, &err), 0);
		assert_true(min == list[i].min && max == list[i].max);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ctl_parse_khz(bad[i], &min, &max, &err), -EINVAL);
}

static void what_is_shown_can_be_asked_for(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t a, b, min, max;
		char buf[64], text[64];
		struct err err = ERR_INIT;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		a = (uint32_t)(seed >> 33) % 5000000 + 1;
		b = a + (i & 1 ? (uint32_t)(seed >> 20) % 1000000 : 0);
		ctl_khz_text(buf, sizeof(buf), a, b);
		/* "1.594 to 2.40 GHz" */
		if (a == b) {
			sscanf(buf, "%63s", text);
			strcat(text, "GHz");
		} else {
			char from[24], to[24];

			assert_int_equal(sscanf(buf, "%23s to %23s", from, to), 2);
			snprintf(text, sizeof(text), "%sGHz-%sGHz", from, to);
		}
		assert_int_equal(ctl_parse_khz(text, &min, &max, &err), 0);
		assert_true(min == a && max == b);
	}
}

static void any_text_is_a_set_or_refused(void **state)
{
	static const char letters[] = "0123456789,-,-. GkMHz";
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		char text[24], buf[CTL_LIST_BYTES];
		size_t n = (seed >> 40) % (sizeof(text) - 1);
		prs_u8 cpus[BYTES], back[BYTES];
		struct err err = ERR_INIT;
		uint32_t min, max;

		for (size_t k = 0; k < n; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			text[k] = letters[(seed >> 33) % (sizeof(letters) - 1)];
		}
		text[n] = '\0';
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		if (!ctl_parse_cpus(text, cpus, &err)) {
			assert_int_equal(ctl_parse_cpus(ctl_cpus_text(buf, cpus), back, &err), 0);
			assert_memory_equal(cpus, back, sizeof(cpus));
		}
		if (!ctl_parse_khz(text, &min, &max, &err))
			assert_true(min && min <= max);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_cpus_are_those_of_the_kernel),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(the_longest_list_fits),
		cmocka_unit_test(sets_are_counted_and_compared),
		cmocka_unit_test(frequencies_have_units_and_ranges),
		cmocka_unit_test(what_is_shown_can_be_asked_for),
		cmocka_unit_test(any_text_is_a_set_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
