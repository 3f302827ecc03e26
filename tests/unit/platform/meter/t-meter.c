/* SPDX-License-Identifier: MIT */
/* Meters of made-up machines: what is found, what is summed, what wraps around, what is refused. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "platform/meter/meter.h"

#define NOBODY 65534

static char root[128];

static void put(const char *path, const char *text)
{
	struct err err = ERR_INIT;
	char full[400], folder[400];

	snprintf(full, sizeof(full), "%s%s", root, path);
	snprintf(folder, sizeof(folder), "%s", full);
	*strrchr(folder, '/') = '\0';
	assert_int_equal(fs_mkdirs(folder, &err), 0);
	assert_int_equal(fs_write(full, text, strlen(text), &err), 0);
}

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/t-meter.XXXXXX");
	return !mkdtemp(root);
}

static int remove_root(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) != 0;
}

#define RAPL "/sys/class/powercap/intel-rapl:"

static void zone(const char *number, const char *name, const char *energy)
{
	char path[200];

	snprintf(path, sizeof(path), RAPL "%s/name", number);
	put(path, name);
	snprintf(path, sizeof(path), RAPL "%s/max_energy_range_uj", number);
	put(path, "262143328850\n");
	snprintf(path, sizeof(path), RAPL "%s/energy_uj", number);
	put(path, energy);
}

static void two_packages(void)
{
	zone("0", "package-0\n", "1000000\n");
	zone("0:0", "core\n", "900000\n");
	zone("0:1", "dram\n", "500000\n");
	zone("1", "package-1\n", "262143000000\n");
	zone("2", "psys\n", "7\n");
}

static double joules_of(struct meter *m, double now)
{
	struct err err = ERR_INIT;
	double joules;

	if (meter_read(m, now, &joules, &err))
		fail_msg("%s", err.msg);
	return joules;
}

static void packages_and_memory_are_summed_over_a_wrap_around(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;

	(void)state;
	two_packages();
	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), 0);
	assert_string_equal(meter_name(m), "powercap package-0, dram, package-1");
	assert_true(fabs(meter_step(m) - 3e-6) < 1e-12);
	assert_true(joules_of(m, 0) == 0);
	zone("0", "package-0\n", "3000000\n");
	zone("0:1", "dram\n", "600000\n");
	zone("0:0", "core\n", "99900000\n");
	zone("1", "package-1\n", "671150\n"); /* 0.32885 J to the end, and 0.67115 J */
	assert_true(fabs(joules_of(m, 1) - (2 + 0.1 + 1)) < 1e-9);
	assert_int_equal(meter_wraps(m), 1);
	meter_close(m);
}

static void a_counter_that_was_set_anew_is_no_wrap_around(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;
	double joules;

	(void)state;
	two_packages();
	zone("0", "package-0\n", "90000000000\n");
	assert_int_equal(meter_open(&m, METER_POWERCAP, root, &err), 0);
	joules_of(m, 0);
	zone("0", "package-0\n", "5\n");
	assert_int_equal(meter_read(m, 0.1, &joules, &err), -EIO);
	assert_non_null(strstr(err.msg, "was set anew"));
	meter_close(m);
}

static void a_source_that_vanishes_is_an_error(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;
	char path[300];
	double joules;

	(void)state;
	two_packages();
	assert_int_equal(meter_open(&m, METER_POWERCAP, root, &err), 0);
	joules_of(m, 0);
	snprintf(path, sizeof(path), "%s" RAPL "1/energy_uj", root);
	unlink(path);
	assert_int_equal(meter_read(m, 0.1, &joules, &err), -EIO);
	assert_non_null(strstr(err.msg, "package-1"));
	meter_close(m);
}

static void what_may_not_be_read_is_named_with_the_remedy(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;
	char path[300];
	uid_t user = geteuid();
	int ret;

	(void)state;
	two_packages();
	snprintf(path, sizeof(path), "%s" RAPL "1/energy_uj", root);
	chmod(path, 0);
	/* Root reads it all the same. */
	assert_int_equal(user ? 0 : chmod(root, 0755) || seteuid(NOBODY), 0);
	ret = meter_open(&m, METER_KINDS, root, &err);
	assert_int_equal(user ? 0 : seteuid(user), 0);
	assert_int_equal(ret, -EACCES);
	assert_non_null(strstr(
		err.msg, "powercap package-1 is there, but this user may not read it\n  as root: chmod"));
}

static void a_counter_of_rubbish_is_an_error(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;

	(void)state;
	two_packages();
	zone("1", "package-1\n", "many\n");
	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), -EIO);
	assert_non_null(strstr(err.msg, "package-1 cannot be read"));
}

/* The first package shows what is no counter: it is said with its file. */
static void is_refused_as(const char *words)
{
	struct err err = ERR_INIT;
	struct meter *m;

	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), -EIO);
	if (!strstr(err.msg, words))
		fail_msg("'%s' says nothing of '%s'", err.msg, words);
}

static void what_is_no_counter_is_said_with_its_file(void **state)
{
	char path[300];

	(void)state;
	two_packages();
	zone("0", "package-0\n", "");
	is_refused_as("package-0 cannot be read: " RAPL "0/energy_uj is empty");
	snprintf(path, sizeof(path), "%s" RAPL "0/energy_uj", root);
	unlink(path);
	assert_int_equal(mkfifo(path, 0644), 0);
	is_refused_as("energy_uj is a pipe or a device, no file");
	unlink(path);
	is_refused_as("energy_uj is not there");
	zone("0", "\n", "5\n");
	is_refused_as("intel-rapl:0 cannot be read: " RAPL "0/name is empty");
}

static void a_count_that_no_counter_can_have_is_an_error(void **state)
{
	static const char *const wrong[] = {"-5\n", "99999999999999999999999\n", "262143328851\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = ERR_INIT;
		struct meter *m;

		two_packages();
		zone("1", "package-1\n", wrong[i]);
		assert_int_equal(meter_open(&m, METER_KINDS, root, &err), -EIO);
		assert_non_null(strstr(err.msg, "which is no count of joules"));
	}
}

static void the_range_itself_is_a_count(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;

	(void)state;
	two_packages();
	zone("1", "package-1\n", "262143328850\n");
	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), 0);
	meter_close(m);
}

static void a_machine_without_meters_has_none(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;

	(void)state;
	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), -ENOENT);
	assert_string_equal(err.msg, "this machine shows no meter");
	assert_int_equal(meter_open(&m, METER_PMU, root, &err), -ENOENT);
}

static void sockets_of_hwmon_are_summed_and_cores_are_not(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;

	(void)state;
	put("/sys/class/hwmon/hwmon3/name", "amd_energy\n");
	put("/sys/class/hwmon/hwmon3/energy1_label", "Ecore000\n");
	put("/sys/class/hwmon/hwmon3/energy1_input", "1000\n");
	put("/sys/class/hwmon/hwmon3/energy10_label", "Esocket0\n");
	put("/sys/class/hwmon/hwmon3/energy10_input", "5000000\n");
	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), 0);
	assert_string_equal(meter_name(m), "hwmon-energy amd_energy Esocket0");
	joules_of(m, 0);
	put("/sys/class/hwmon/hwmon3/energy10_input", "6500000\n");
	assert_true(fabs(joules_of(m, 1) - 1.5) < 1e-9);
	meter_close(m);
}

static void power_is_integrated_by_trapezoids(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;

	(void)state;
	put("/sys/class/hwmon/hwmon0/name", "ina226\n");
	put("/sys/class/hwmon/hwmon0/power1_input", "10000000\n");
	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), 0);
	assert_string_equal(meter_name(m), "hwmon-power ina226 power1");
	joules_of(m, 5);
	put("/sys/class/hwmon/hwmon0/power1_input", "30000000\n");
	assert_true(fabs(joules_of(m, 5.5) - 10) < 1e-9);
	meter_close(m);
}

static void of_several_sensors_none_is_taken(void **state)
{
	struct err err = ERR_INIT;
	struct meter *m;

	(void)state;
	put("/sys/class/hwmon/hwmon0/power1_input", "10000000\n");
	put("/sys/class/hwmon/hwmon0/power2_input", "10000000\n");
	assert_int_equal(meter_open(&m, METER_KINDS, root, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "of several sensors"));
}

static void the_pmu_is_described_and_not_tried_in_a_sysroot(void **state)
{
	struct meter_sources s = VEC_INIT;

	(void)state;
	put("/sys/bus/event_source/devices/power/type", "21\n");
	put("/sys/bus/event_source/devices/power/cpumask", "0,16\n");
	put("/sys/bus/event_source/devices/power/events/energy-pkg", "event=0x02\n");
	put("/sys/bus/event_source/devices/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	meter_find(&s, root);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.at[1].name, "energy-pkg of processor 16");
	assert_true(s.at[1].type == 21 && s.at[1].config == 2 && s.at[1].error == ENOTSUP);
	assert_true(fabs(s.at[1].unit - 0x1p-32) < 1e-20);
	meter_release(&s);
}

#define AT(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT(packages_and_memory_are_summed_over_a_wrap_around),
		AT(a_counter_that_was_set_anew_is_no_wrap_around),
		AT(a_source_that_vanishes_is_an_error),
		AT(what_may_not_be_read_is_named_with_the_remedy),
		AT(a_counter_of_rubbish_is_an_error),
		AT(what_is_no_counter_is_said_with_its_file),
		AT(a_count_that_no_counter_can_have_is_an_error),
		AT(the_range_itself_is_a_count),
		AT(a_machine_without_meters_has_none),
		AT(sockets_of_hwmon_are_summed_and_cores_are_not),
		AT(power_is_integrated_by_trapezoids),
		AT(of_several_sensors_none_is_taken),
		AT(the_pmu_is_described_and_not_tried_in_a_sysroot),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
