/* SPDX-License-Identifier: MIT */
/* recorder/outcome: each way for a program to end, as the manifest says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "lib/mem.h"
#include "recorder/outcome.h"

static struct manifest ended(int status, bool goes_on)
{
	struct manifest m = {.status = mem_strdup("running"), .exit_code = 99, .signal = 99};
	struct child_result c = {.status = status, .wall_ns = 5, .user_ns = 3, .system_ns = 1};

	outcome_program(&m, &c, goes_on);
	assert_int_equal(m.wall_ns, 5);
	return m;
}

static void an_exit_has_its_code(void **state)
{
	struct manifest m = ended(7 << 8, false);

	(void)state;
	assert_string_equal(m.status, "exited");
	assert_int_equal(m.exit_code, 7);
	assert_int_equal(m.signal, 0);
	assert_int_equal(m.user_ns, 3);
	assert_int_equal(m.system_ns, 1);
	manifest_release(&m);
}

static void a_kill_has_its_signal(void **state)
{
	struct manifest m = ended(SIGSEGV, false);

	(void)state;
	assert_string_equal(m.status, "killed");
	assert_int_equal(m.signal, SIGSEGV);
	assert_int_equal(m.exit_code, 0);
	manifest_release(&m);
}

static void a_program_that_goes_on_has_no_end(void **state)
{
	struct manifest m = ended(0, true);

	(void)state;
	assert_string_equal(m.status, "stopped");
	assert_int_equal(m.user_ns, 0);
	assert_int_equal(m.system_ns, 0);
	manifest_release(&m);
}

static void no_look_has_no_price(void **state)
{
	struct manifest m = {.sample_ns = 4};

	(void)state;
	outcome_samples(&m, &(struct samples_totals){.inside = 2, .loading = 1});
	assert_int_equal(m.sample_ns, 0);
	assert_int_equal(m.samples_runtime, 2);
	assert_int_equal(m.samples_loading, 1);
}

static void the_recorder_counts_on_but_measures_once(void **state)
{
	struct manifest m = {.syscall_ns = 1};
	uint64_t before;

	(void)state;
	outcome_recorder(&m);
	before = m.recorder_ns;
	outcome_recorder(&m);
	assert_true(m.recorder_ns >= before);
	assert_int_equal(m.syscall_ns, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exit_has_its_code),
		cmocka_unit_test(a_kill_has_its_signal),
		cmocka_unit_test(a_program_that_goes_on_has_no_end),
		cmocka_unit_test(no_look_has_no_price),
		cmocka_unit_test(the_recorder_counts_on_but_measures_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
