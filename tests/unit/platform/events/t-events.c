/* SPDX-License-Identifier: MIT */
/* Names of events and what becomes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "platform/events/events.h"

static struct event encoded(const char *name)
{
	struct err err = ERR_INIT;
	struct event e;

	if (event_encode(&e, name, &err))
		fail_msg("%s: %s", name, err.msg);
	assert_string_equal(e.name, name);
	return e;
}

static void refused(const char *name, int code, const char *word)
{
	struct err err = ERR_INIT;
	struct event e;

	assert_int_equal(event_encode(&e, name, &err), code);
	if (!strstr(err.msg, word))
		fail_msg("'%s' does not say '%s'", err.msg, word);
}

static void generic_names_are_those_of_perf(void **state)
{
	(void)state;
	assert_int_equal(encoded("cycles").type, PERF_TYPE_HARDWARE);
	assert_int_equal(encoded("instructions").config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(encoded("LLC-load-misses").type, PERF_TYPE_HW_CACHE);
	assert_int_equal(encoded("LLC-load-misses").config, PERF_COUNT_HW_CACHE_LL | 1 << 16);
	assert_int_equal(encoded("task-clock").type, PERF_TYPE_SOFTWARE);
	assert_int_equal(encoded("cs").config, PERF_COUNT_SW_CONTEXT_SWITCHES);
}

static void spelling_of_case_does_not_matter(void **state)
{
	(void)state;
	assert_int_equal(encoded("Page-Faults").config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(encoded("CPU-MIGRATIONS").config, PERF_COUNT_SW_CPU_MIGRATIONS);
}

static void levels_are_kept_and_others_may_fall_back(void **state)
{
	(void)state;
	assert_true(encoded("cycles").flags & PRS_EVENT_ANY_LEVEL);
	assert_false(encoded("cycles").flags & (PRS_EVENT_NO_USER | PRS_EVENT_NO_KERNEL));
	assert_false(encoded("cycles:u").flags & PRS_EVENT_ANY_LEVEL);
	assert_true(encoded("cycles:u").flags & PRS_EVENT_NO_KERNEL);
	assert_true(encoded("cycles:k").flags & PRS_EVENT_NO_USER);
}

static void raw_numbers_are_taken_as_they_are(void **state)
{
	(void)state;
	assert_int_equal(encoded("r1a8").type, PERF_TYPE_RAW);
	assert_int_equal(encoded("r1a8").config, 0x1a8);
	assert_int_equal(encoded("rC0").config, 0xc0);
	refused("r", -EINVAL, "'r'");
	refused("rxyz", -EINVAL, "'rxyz'");
	refused("r11112222333344445", -EINVAL, "no event");
}

static void unknown_names_are_refused_with_the_way_to_a_list(void **state)
{
	(void)state;
	refused("bogus", -EINVAL, "perseus doctor --events");
	refused("", -EINVAL, "no event");
	refused("two words", -EINVAL, "no name holds ' '");
	refused("a;b", -EINVAL, "no name holds ';'");
	refused("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		-ENAMETOOLONG, "at most 63");
}

static void lists_are_cut_at_commas(void **state)
{
	struct err err = ERR_INIT;
	struct event e[3];
	size_t n;

	(void)state;
	assert_int_equal(events_encode(e, 3, &n, "task-clock,r1f,cs", &err), 0);
	assert_int_equal(n, 3);
	assert_int_equal(e[1].config, 0x1f);
	assert_int_equal(events_encode(e, 3, &n, "cs,cs,cs,cs", &err), -E2BIG);
	assert_int_equal(events_encode(e, 3, &n, "cs,,cs", &err), -EINVAL);
	assert_int_equal(events_encode(e, 3, &n, "cs,", &err), -EINVAL);
	assert_int_equal(events_encode(e, 3, &n, "", &err), -EINVAL);
}

static void the_runtime_is_told_in_hexadecimal(void **state)
{
	struct event e[2] = {{.name = "one", .type = 4, .config = 0x20d1, .config1 = 0xab, .flags = 0x22},
			     {.name = "two"}};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	events_text(e, 2, true, &sb);
	assert_string_equal(sb.s, "rdpmc;4.20d1.ab.0.22 one;0.0.0.0.0 two");
	strbuf_release(&sb);
	events_text(e, 0, false, &sb);
	assert_string_equal(sb.s, "read");
	strbuf_release(&sb);
}

static void each_refusal_has_its_words(void **state)
{
	struct event hw = {.type = PERF_TYPE_HARDWARE}, sw = {.type = PERF_TYPE_SOFTWARE};
	const char *remedy;

	(void)state;
	assert_non_null(strstr(event_refusal(&hw, ENOSYS, &remedy), "perf_event_open"));
	assert_non_null(remedy);
	assert_non_null(strstr(event_refusal(&hw, EMFILE, &remedy), "files"));
	assert_non_null(strstr(event_refusal(&sw, ENOENT, &remedy), "does not count"));
	assert_null(remedy);
	assert_non_null(event_refusal(&hw, EACCES, &remedy));
	assert_non_null(remedy);
	assert_string_equal(event_refusal(&hw, EINVAL, &remedy), strerror(EINVAL));
}

/* As the kernel's own kinds say, whatever the machine has. */
static void trying_harms_nobody(void **state)
{
	struct event e = {.type = 0x7fffff00, .config = ~0ull, .flags = PRS_EVENT_ANY_LEVEL};
	bool user_only;

	(void)state;
	assert_true(event_try(&e, &user_only) < 0);
	assert_false(user_only);
	assert_true(event_rdpmc_ns(&e) == 0);
	e = encoded("task-clock");
	assert_true(event_rdpmc_ns(&e) == 0);
	assert_true(event_is_known_anyway(&e));
	e = encoded("cpu-migrations");
	assert_false(event_is_known_anyway(&e));
}

/* With LIBPFM_FORCE_PMU=skl in the environment (tests/cli/events.sh). */
static void unit_masks_are_those_of_the_processor(void **state)
{
	struct event e;

	(void)state;
	e = encoded("MEM_LOAD_RETIRED:L3_MISS");
	assert_int_equal(e.type, PERF_TYPE_RAW);
	assert_int_equal(e.config, 0x20d1);
	assert_true(encoded("MEM_LOAD_RETIRED:L3_MISS:u").flags & PRS_EVENT_NO_KERNEL);
	refused("MEM_LOAD_RETIRED:NO_SUCH_MASK", -EINVAL, "MEM_LOAD_RETIRED:NO_SUCH_MASK");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_are_those_of_perf),
		cmocka_unit_test(spelling_of_case_does_not_matter),
		cmocka_unit_test(levels_are_kept_and_others_may_fall_back),
		cmocka_unit_test(raw_numbers_are_taken_as_they_are),
		cmocka_unit_test(unknown_names_are_refused_with_the_way_to_a_list),
		cmocka_unit_test(lists_are_cut_at_commas),
		cmocka_unit_test(the_runtime_is_told_in_hexadecimal),
		cmocka_unit_test(each_refusal_has_its_words),
		cmocka_unit_test(trying_harms_nobody),
	};
	const struct CMUnitTest masks[] = {cmocka_unit_test(unit_masks_are_those_of_the_processor)};
	bool forced = argc > 1 && !strcmp(argv[1], "masks");

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return forced ? cmocka_run_group_tests(masks, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
