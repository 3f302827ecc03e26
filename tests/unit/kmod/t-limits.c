/* SPDX-License-Identifier: MIT */
/* The module's arithmetic: ranges, grants, and the text of its `limits` parameter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kmod/limits.h"

static const struct prs_range hard = {800000, 2400000};

static struct prs_range range(prs_u32 min_khz, prs_u32 max_khz)
{
	return (struct prs_range){min_khz, max_khz};
}

static void assert_range(struct prs_range r, prs_u32 min_khz, prs_u32 max_khz)
{
	assert_int_equal(r.min_khz, min_khz);
	assert_int_equal(r.max_khz, max_khz);
}

static void bounds_inside_the_limits_are_granted(void **state)
{
	struct prs_range g;

	(void)state;
	assert_int_equal(prs_grant(&hard, 800000, 2400000, &g), 0);
	assert_range(g, 800000, 2400000);
	assert_int_equal(prs_grant(&hard, 1600000, 1600000, &g), 0);
	assert_range(g, 1600000, 1600000);
}

static void no_bound_is_the_limit_and_not_flagged(void **state)
{
	struct prs_range g;

	(void)state;
	assert_int_equal(prs_grant(&hard, 0, 0, &g), 0);
	assert_range(g, 800000, 2400000);
	assert_int_equal(prs_grant(&hard, 1000000, 0, &g), 0);
	assert_range(g, 1000000, 2400000);
}

static void bounds_outside_are_moved_and_flagged(void **state)
{
	struct prs_range g;

	(void)state;
	assert_int_equal(prs_grant(&hard, 799999, 2400000, &g), PRS_CTL_CLAMPED);
	assert_range(g, 800000, 2400000);
	assert_int_equal(prs_grant(&hard, 800000, 2400001, &g), PRS_CTL_CLAMPED);
	assert_range(g, 800000, 2400000);
	assert_int_equal(prs_grant(&hard, 1, 2, &g), PRS_CTL_CLAMPED);
	assert_range(g, 800000, 800000);
	assert_int_equal(prs_grant(&hard, 0xfffffffe, 0xffffffff, &g), PRS_CTL_CLAMPED);
	assert_range(g, 2400000, 2400000);
}

static void whatever_is_asked_the_grant_is_inside(void **state)
{
	static const prs_u32 odd[] = {0,       1,       799999,     800000,     800001,    1600000,
				      2400000, 2400001, 0x7fffffff, 0x80000000, 0xffffffff};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		for (size_t j = 0; j < sizeof(odd) / sizeof(*odd); j++) {
			struct prs_ctl_hold h = {
				.version = PRS_CTL_VERSION, .min_khz = odd[i], .max_khz = odd[j]};
			struct prs_range g;

			if (prs_check_hold(&h))
				continue;
			prs_grant(&hard, odd[i], odd[j], &g);
			assert_true(prs_range_valid(&g) && prs_range_inside(&g, &hard));
		}
}

static void ranges_meet_where_both_are(void **state)
{
	struct prs_range r = range(800000, 1600000), other = range(1600000, 2400000);

	(void)state;
	assert_true(prs_range_meet(&r, &other));
	assert_range(r, 1600000, 1600000);
	r = range(800000, 1599999);
	assert_false(prs_range_meet(&r, &other));
	assert_range(r, 800000, 1599999);
	r = range(1, 0x7fffffff);
	assert_true(prs_range_meet(&r, &other));
	assert_range(r, 1600000, 2400000);
}

static void a_limit_beyond_the_hardware_is_the_hardware(void **state)
{
	static const struct prs_range limits[] = {
		{1, 2}, {3000000, 4000000}, {1, 0x7fffffff}, {1000000, 2000000}};
	static const struct prs_range want[] = {
		{800000, 800000}, {2400000, 2400000}, {800000, 2400000}, {1000000, 2000000}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct prs_range r = hard;

		prs_range_narrow(&r, &limits[i]);
		assert_range(r, want[i].min_khz, want[i].max_khz);
	}
}

static void between_two_bounds_the_minimum_never_crosses(void **state)
{
	(void)state;
	for (prs_u32 a = 1; a <= 6; a++)
		for (prs_u32 b = a; b <= 6; b++)
			for (prs_u32 c = 1; c <= 6; c++)
				for (prs_u32 d = c; d <= 6; d++) {
					struct prs_range from = range(a, b), to = range(c, d);
					bool max_first = prs_maximum_first(&from, &to);

					assert_true(max_first ? a <= d : c <= b);
				}
}

static void odd_requests_are_refused(void **state)
{
	static const struct prs_ctl_hold good = {
		.version = PRS_CTL_VERSION, .cpu = 3, .min_khz = 1, .max_khz = 2};
	struct prs_ctl_hold h = good;
	struct prs_ctl_query q = {.version = PRS_CTL_VERSION};
	struct prs_ctl_release r = {.version = PRS_CTL_VERSION};
	struct prs_ctl_caps c = {.version = PRS_CTL_VERSION};

	(void)state;
	assert_int_equal(prs_check_hold(&h), 0);
	h.min_khz = 3;
	assert_int_equal(prs_check_hold(&h), -EINVAL);
	h.max_khz = 0;
	assert_int_equal(prs_check_hold(&h), 0);
	for (unsigned i = 0; i < 4; i++) {
		h = good;
		*(prs_u32 *[]){&h.version, &h.flags, &h.reserved[0], &h.reserved[1]}[i] = 2;
		assert_int_equal(prs_check_hold(&h), -EINVAL);
	}
	assert_int_equal(prs_check_query(&q), 0);
	q.flags = PRS_CTL_OTHERS;
	assert_int_equal(prs_check_query(&q), -EINVAL);
	assert_int_equal(prs_check_release(&r), 0);
	r.reserved[1] = 1;
	assert_int_equal(prs_check_release(&r), -EINVAL);
	assert_int_equal(prs_check_caps(&c), 0);
	c.version = 0;
	assert_int_equal(prs_check_caps(&c), -EINVAL);
}

static void limits_are_read(void **state)
{
	struct prs_limits l;
	unsigned at;

	(void)state;
	assert_null(prs_limits_parse("", &l, &at));
	assert_int_equal(l.n, 0);
	assert_null(prs_limits_parse("0:800000-2400000,1023:1-2147483647", &l, &at));
	assert_int_equal(l.n, 2);
	assert_int_equal(l.entry[0].cpu, 0);
	assert_range(l.entry[0].range, 800000, 2400000);
	assert_int_equal(l.entry[1].cpu, 1023);
	assert_range(l.entry[1].range, 1, 0x7fffffff);
}

static void bad_limits_are_refused_with_the_place(void **state)
{
	static const struct {
		const char *text, *says;
		unsigned at;
	} bad[] = {
		{"x", "number of a cpu", 0},
		{"1024:1-2", "number of a cpu", 4},
		{"0", "':'", 1},
		{"0:", "lowest", 2},
		{"0:5", "'-'", 3},
		{"0:5-", "highest", 4},
		{"0:5-4", "empty", 5},
		{"0:0-4", "empty", 5},
		{"0:1-2147483648", "highest", 4},
		{"0:1-00000000001", "highest", 4},
		{"0:1-2,", "another entry", 6},
		{"0:1-2 1:1-2", "another entry", 5},
		{"0:1-2,0:3-4", "an entry already", 11},
		{" 0:1-2", "number of a cpu", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct prs_limits l;
		unsigned at;
		const char *wrong = prs_limits_parse(bad[i].text, &l, &at);

		assert_non_null(wrong);
		assert_non_null(strstr(wrong, bad[i].says));
		assert_int_equal(at, bad[i].at);
	}
}

static void sixty_four_limits_are_all(void **state)
{
	char text[2000] = "";
	struct prs_limits l;
	unsigned at;

	(void)state;
	for (unsigned i = 0; i < 65; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u:1-2", i ? "," : "", i);
		if (i < 64)
			assert_null(prs_limits_parse(text, &l, &at));
		else
			assert_string_equal(prs_limits_parse(text, &l, &at), "more than 64 entries");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_inside_the_limits_are_granted),
		cmocka_unit_test(no_bound_is_the_limit_and_not_flagged),
		cmocka_unit_test(bounds_outside_are_moved_and_flagged),
		cmocka_unit_test(whatever_is_asked_the_grant_is_inside),
		cmocka_unit_test(ranges_meet_where_both_are),
		cmocka_unit_test(a_limit_beyond_the_hardware_is_the_hardware),
		cmocka_unit_test(between_two_bounds_the_minimum_never_crosses),
		cmocka_unit_test(odd_requests_are_refused),
		cmocka_unit_test(limits_are_read),
		cmocka_unit_test(bad_limits_are_refused_with_the_place),
		cmocka_unit_test(sixty_four_limits_are_all),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
