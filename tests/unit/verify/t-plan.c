/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "verify/figures/recompute.h"
#include "edited.h"

#define PLAN     "tests/codegen/golden/plan.yaml"
#define PLATFORM "tests/verify/platform.yaml"

static void refused(const char *from, const char *to, const char *why)
{
	char name[32];
	struct vplan p;
	struct fault f;

	edited(PLAN, from, to, name);
	if (!vplan_read(&p, name, &f))
		fail_msg("accepted '%s'", to);
	if (!strstr(f.text, why))
		fail_msg("'%s' does not say '%s'", f.text, why);
	vplan_release(&p);
	unlink(name);
}

/* The contradictions of an edited plan; NULL @from: of the plan as it is. */
static void contradicts(const char *path, const char *from, const char *to, const char *why)
{
	char plan[32] = PLAN, platform[32] = PLATFORM;
	struct findings list = {0};
	struct vplatform m;
	struct vplan p;
	struct fault f;
	bool found = !why;

	edited(PLAN, !strcmp(path, PLAN) ? from : "perseus", !strcmp(path, PLAN) ? to : "perseus", plan);
	edited(PLATFORM, !strcmp(path, PLATFORM) ? from : "perseus", !strcmp(path, PLATFORM) ? to : "perseus",
	       platform);
	if (vplan_read(&p, plan, &f) || vplatform_read(&m, platform, &f))
		fail_msg("%s", f.text);
	feasible_check(&p, &m, &list);
	for (size_t i = 0; i < list.n; i++)
		found |= why && strstr(list.line[i], why) != NULL;
	if (!found || (!why && list.n))
		fail_msg("expected '%s', first of %zu is '%s'", why ? why : "nothing", list.n,
			 list.n ? list.line[0] : "");
	findings_release(&list);
	vplatform_release(&m);
	vplan_release(&p);
	unlink(plan);
	unlink(platform);
}

static void a_plan_is_read_whole(void **state)
{
	struct vplan p;
	struct fault f;

	(void)state;
	if (vplan_read(&p, PLAN, &f))
		fail_msg("%s", f.text);
	assert_int_equal(p.n_threads, 4);
	assert_int_equal(p.n_triggers, 6);
	assert_int_equal(p.n_actions, 8);
	assert_int_equal(p.n_creates, 2);
	assert_int_equal(p.thread[3].create, 2);
	assert_int_equal(p.thread[3].core, VPLAN_NONE);
	assert_int_equal(p.trigger[3].number, 119);
	assert_int_equal(p.trigger[3].point, 118);
	assert_int_equal(p.trigger[5].point, 120);
	vplan_release(&p);
}

static void a_plan_that_is_not_exact_is_refused(void **state)
{
	(void)state;
	refused("version: 1", "version: 2", "version 2");
	refused("perseus: plan", "perseus: model", "line 1");
	refused("seed: 1", "seed: 1\nsurprise: 1", "unknown key `surprise`");
	refused("    core: 7", "    cores: 7", "unknown key `cores`");
	refused("  - index: 1", "  - index: 2", "`index` must count from 0");
	refused("creator: 0", "creator: 3", "stand behind its creator");
	refused("creator: 0", "creator: 4", "creator");
	refused("create_site: 0", "create_site: 4", "create_site");
	refused("number: 119", "number: 118", "ascend");
	refused("number: 1\n", "number: 0\n", "ascend");
	refused("thread: 2", "thread: 4", "thread");
	refused("at: program-start\n    thread: 0", "at: program-start\n    thread: 1", "only main");
	refused("first: 1", "first: 0", "counts from 1");
	refused("kind: pin", "kind: move", "one of pin step");
	refused("\"00c1a5e4b7d29f36\"", "\"00c1a5e4b7d29f3\"", "16 hexadecimal");
	refused("instance: \"*\"", "instance: \"**\"", "8 hexadecimal");
	refused("proven: true", "proven: maybe", "one of false true");
}

static void a_platform_must_have_what_the_plan_names(void **state)
{
	(void)state;
	contradicts(PLAN, "perseus", "perseus", NULL);
	contradicts(PLAN, "core: 2\n", "core: 8\n", "unknown core 8");
	contradicts(PLAN, "core: 0\n    evidence", "core: 9\n    evidence", "trigger 118: unknown core 9");
	contradicts(PLAN, "domain: 6", "domain: 8", "trigger 1: unknown frequency domain 8");
	contradicts(PLAN, "khz: 1587000", "khz: 1588000",
		    "trigger 1: the platform has no step of 1588000 kHz");
	contradicts(PLAN, "n_cores: 8", "n_cores: 7", "for 7 cores");
	contradicts(PLAN, "max_core_id: 7", "max_core_id: 9", "up to 9");
	contradicts(PLAN, "ordinal: 1", "ordinal: 0", "threads 1 and 2 are the same creation");
	contradicts(PLAN, "energy_nj: 22100000000", "energy_nj: 29100000000", "worse than the baseline");
	contradicts(PLAN, "bound_energy_nj: 22000000000", "bound_energy_nj: 22100000001", "below the bound");
	contradicts(PLATFORM, "domain: 2, usable: true", "domain: 2, usable: false",
		    "core 2 is outside the affinity mask");
	contradicts(PLATFORM, "E5320", "E5310", "the plan is for");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_read_whole),
		cmocka_unit_test(a_plan_that_is_not_exact_is_refused),
		cmocka_unit_test(a_platform_must_have_what_the_plan_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
