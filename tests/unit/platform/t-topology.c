/* SPDX-License-Identifier: MIT */
/* Fake machines, built by tests/sysroot/make, are read as what they are. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/topology.h"

static char root[256];

static void load(struct platform *p, const char *machine)
{
	struct err err = ERR_INIT;
	char command[600], sysroot[300];

	snprintf(sysroot, sizeof(sysroot), "%s/%s", root, machine);
	snprintf(command, sizeof(command), "tests/sysroot/make %s %s", machine, sysroot);
	assert_int_equal(system(command), 0);
	if (platform_read(p, sysroot, &err))
		fail_msg("%s", err.msg);
}

/* What was read must be a valid document, too. */
static void release_checked(struct platform *p)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct platform again;

	platform_text(p, &text);
	if (platform_parse(&again, text.s, text.len, "read.yaml", &err))
		fail_msg("%s", err.msg);
	platform_release(&again);
	strbuf_release(&text);
	platform_release(p);
}

static void two_cores_without_cpufreq(void **state)
{
	struct platform p;

	(void)state;
	load(&p, "vm-2");
	assert_int_equal(p.n_cores, 2);
	assert_int_equal(p.n_packages, 1);
	assert_int_equal(p.n_domains, 1);
	assert_int_equal(p.n_steps, 1);
	assert_int_equal(p.steps[0].khz, 2600000);
	assert_int_equal(platform_distance(&p, 0, 1), DIST_CACHE);
	assert_string_equal(p.cpu, "AMD EPYC");
	assert_string_equal(p.name, "amd-epyc-2");
	assert_false(p.energy_known);
	release_checked(&p);
}

static void two_packages_with_paired_caches_and_own_clocks(void **state)
{
	struct platform p;

	(void)state;
	load(&p, "xeon-8");
	assert_int_equal(p.n_cores, 8);
	assert_int_equal(p.n_packages, 2);
	assert_int_equal(p.n_domains, 8);
	assert_int_equal(p.n_steps, 2);
	assert_int_equal(p.steps[1].khz, 1587000);
	assert_int_equal(p.frequency_ns, 10000);
	assert_int_equal(platform_distance(&p, 2, 3), DIST_CACHE);
	assert_int_equal(platform_distance(&p, 1, 2), DIST_PACKAGE);
	assert_int_equal(platform_distance(&p, 0, 7), DIST_REMOTE);
	assert_string_equal(p.name, "intel-xeon-cpu-e5320-8");
	assert_int_equal(p.core_cache_bytes, 32 << 10);
	assert_int_equal(p.group_cache_bytes, 4 << 20);
	release_checked(&p);
}

static void many_cores_with_hardware_threads_and_a_mask(void **state)
{
	struct platform p;
	uint32_t usable = 0;

	(void)state;
	load(&p, "smt-64");
	assert_int_equal(p.n_cores, 128);
	assert_int_equal(p.n_packages, 2);
	assert_int_equal(p.n_domains, 2);
	assert_int_equal(p.n_steps, 3);
	for (uint32_t i = 0; i < p.n_cores; i++) {
		assert_int_equal(p.cores[i].id, i);
		usable += p.cores[i].usable;
	}
	assert_int_equal(usable, 8);
	assert_true(p.cores[67].usable);
	assert_false(p.cores[4].usable);
	assert_int_equal(platform_distance(&p, 3, 67), DIST_SMT);
	assert_int_equal(platform_distance(&p, 0, 31), DIST_CACHE);
	assert_int_equal(platform_distance(&p, 0, 32), DIST_REMOTE);
	assert_int_equal(p.cores[96].package, 1);
	assert_int_equal(p.core_cache_bytes, 1 << 20); /* hardware threads of one core share it */
	assert_int_equal(p.group_cache_bytes, 32 << 20);
	release_checked(&p);
}

static void one_allowed_core(void **state)
{
	struct platform p;

	(void)state;
	load(&p, "locked-4");
	assert_int_equal(p.n_cores, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(p.cores[i].usable, i == 2);
	release_checked(&p);
}

static void this_machine_respects_the_affinity_mask(void **state)
{
	struct err err = ERR_INIT;
	uint32_t usable = 0;
	struct platform p;
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	if (platform_read(&p, "", &err))
		fail_msg("%s", err.msg);
	for (uint32_t i = 0; i < p.n_cores; i++) {
		assert_int_equal(p.cores[i].usable, !!CPU_ISSET(p.cores[i].id, &set));
		usable += p.cores[i].usable;
	}
	assert_int_equal(usable, CPU_COUNT(&set));
	assert_null(getenv("HWLOC_FSROOT"));
	release_checked(&p);
}

static void an_empty_sysroot_is_no_machine(void **state)
{
	struct err err = ERR_INIT;
	struct platform p;

	(void)state;
	assert_int_equal(platform_read(&p, "/nonexistent", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/sys"));
}

static void core_lists_are_parsed_whole_or_refused(void **state)
{
	bool in[16] = {false};

	(void)state;
	assert_int_equal(platform_parse_list("0-2,5 7,99", in, 16), 0);
	assert_true(in[0] && in[1] && in[2] && in[5] && in[7]);
	assert_false(in[3] || in[4] || in[6] || in[8]);
	assert_int_equal(platform_parse_list("2-", in, 16), -EINVAL);
	assert_int_equal(platform_parse_list("x", in, 16), -EINVAL);
	assert_int_equal(platform_parse_list("1;2", in, 16), -EINVAL);
}

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "%s/perseus-sysroot.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_cores_without_cpufreq),
		cmocka_unit_test(two_packages_with_paired_caches_and_own_clocks),
		cmocka_unit_test(many_cores_with_hardware_threads_and_a_mask),
		cmocka_unit_test(one_allowed_core),
		cmocka_unit_test(this_machine_respects_the_affinity_mask),
		cmocka_unit_test(an_empty_sysroot_is_no_machine),
		cmocka_unit_test(core_lists_are_parsed_whole_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
