/* SPDX-License-Identifier: MIT */
/* What a gate lets pass, what fails it, and what it cannot tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/base/cmd.h"
#include "cmd/conflicts/parts.h"

/* One finding, and a gate at 5 %. */
static int status_of(struct sharing_finding f, bool doubt)
{
	struct conflicts_opts o = {.gate = true, .fail_on = 5};
	struct sharing_report rep = {.findings = &f, .n = 1};

	rep.doubts.n = doubt;
	return conflicts_gate(&rep, &o);
}

static struct sharing_finding costs(double low, double cost, double high)
{
	return (struct sharing_finding){.priced = true, .cost_low = low, .cost = cost, .cost_high = high};
}

static void only_what_is_sure_to_cost_more_fails(void **state)
{
	(void)state;
	assert_int_equal(status_of(costs(6, 8, 12), false), CMD_FINDINGS);
	assert_int_equal(status_of(costs(6, 8, 12), true), CMD_FINDINGS);
	assert_int_equal(status_of(costs(1, 8, 12), false), CMD_INCONCLUSIVE);
	assert_int_equal(status_of(costs(1, 2, 12), false), CMD_INCONCLUSIVE);
	assert_int_equal(status_of(costs(1, 2, 3), false), CMD_OK);
	assert_int_equal(status_of(costs(1, 2, 3), true), CMD_INCONCLUSIVE);
}

static void a_candidate_without_a_price_fails(void **state)
{
	(void)state;
	assert_int_equal(status_of((struct sharing_finding){.significant = true}, false), CMD_FINDINGS);
	assert_int_equal(status_of((struct sharing_finding){.significant = false}, false), CMD_OK);
}

/* Threads that were pinned to one core paid nothing there. */
static void nothing_on_one_core_is_sure(void **state)
{
	struct sharing_finding f = costs(6, 8, 12);

	(void)state;
	f.one_core = true;
	assert_int_equal(status_of(f, true), CMD_INCONCLUSIVE);
	f = (struct sharing_finding){.significant = true, .one_core = true};
	assert_int_equal(status_of(f, true), CMD_INCONCLUSIVE);
	f = (struct sharing_finding){.significant = true, .perhaps_turns = true};
	assert_int_equal(status_of(f, true), CMD_INCONCLUSIVE);
	f = costs(1, 2, 3);
	f.one_core = true;
	assert_int_equal(status_of(f, false), CMD_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_sure_to_cost_more_fails),
		cmocka_unit_test(a_candidate_without_a_price_fails),
		cmocka_unit_test(nothing_on_one_core_is_sure),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
