/* SPDX-License-Identifier: MIT */
/* The pace of cores: what the looks say, and that a look works here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/base/pace.h"

#define LOOKS 3

/* Three cores, three looks each; the first two are declared equal. */
static struct pace made_up(uint32_t *core, uint64_t *class, double *ns)
{
	return (struct pace){.n = 3, .looks = LOOKS, .room = LOOKS, .core = core, .class = class, .ns = ns};
}

static void the_slowest_and_the_fastest_equal_are_named(void **state)
{
	uint32_t core[] = {4, 5, 9};
	uint64_t class[] = {1, 1, 1};
	double ns[] = {100, 101, 500, /* */ 126, 125, 124, /* */ 110, 110, 110};
	struct pace p = made_up(core, class, ns);
	struct pace_spread s = pace_spread(&p);

	(void)state;
	assert_float_equal(s.ratio, 125.0 / 101.0, 1e-9); /* one look out of the line says nothing */
	assert_int_equal(s.slow, 5);
	assert_int_equal(s.fast, 4);
}

static void cores_declared_different_are_not_compared(void **state)
{
	uint32_t core[] = {0, 1, 2};
	uint64_t class[] = {1024, 1024, 512};
	double ns[] = {100, 100, 100, /* */ 102, 102, 102, /* */ 200, 200, 200};
	struct pace p = made_up(core, class, ns);

	(void)state;
	assert_float_equal(pace_spread(&p).ratio, 1.02, 1e-9);
}

static void without_a_look_nothing_is_uneven(void **state)
{
	uint32_t core[] = {0, 1, 2};
	uint64_t class[] = {0, 0, 0};
	double ns[9] = {0};
	struct pace p = made_up(core, class, ns);

	(void)state;
	p.looks = 0;
	assert_float_equal(pace_spread(&p).ratio, 1.0, 0);
	p.n = 0;
	assert_float_equal(pace_spread(&p).ratio, 1.0, 0);
}

static void looks_are_taken_until_the_room_is_used_up(void **state)
{
	struct err err = ERR_INIT;
	struct pace p;

	(void)state;
	pace_init(&p, 2, "");
	for (int i = 0; i < 4; i++)
		assert_int_equal(pace_look(&p, &err), 0);
	assert_int_equal(p.looks, p.n ? 2 : 0);
	for (uint32_t i = 0; i < 2 * p.n; i++)
		assert_true(p.ns[i] > 10000); /* a millisecond, or a very fast core */
	pace_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_and_the_fastest_equal_are_named),
		cmocka_unit_test(cores_declared_different_are_not_compared),
		cmocka_unit_test(without_a_look_nothing_is_uneven),
		cmocka_unit_test(looks_are_taken_until_the_room_is_used_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
