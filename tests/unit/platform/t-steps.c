/* SPDX-License-Identifier: MIT */
/*
 * Frequency steps: what has an effect and what has none, and that the old
 * settings come back however a measurement ends.  On made-up machines, whose
 * loop runs as fast as their files say, or does not care.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/fs.h"
#include "platform/hold.h"
#include "platform/steps.h"
#include "platform/topology.h"

static char root[256];
static struct platform machine;
static struct hold *hold;

static uint32_t file_khz(uint32_t core, const char *file)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/%s", core, file);
	if (fs_read_small(root, path, text, sizeof(text)))
		fail_msg("no %s", path);
	return (uint32_t)strtoul(text, NULL, 10);
}

static void put_khz(uint32_t core, const char *file, uint32_t khz)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/%s", root, core, file);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "%" PRIu32 "\n", khz);
	fclose(out);
}

static int make_machine(void **state)
{
	char command[600];
	struct err err = ERR_INIT;

	(void)state;
	snprintf(root, sizeof(root), "%s/perseus-steps.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(root))
		return -1;
	snprintf(command, sizeof(command), "tests/sysroot/make xeon-8 %s", root);
	return system(command) || platform_read(&machine, root, &err);
}

static int remove_machine(void **state)
{
	char command[600];

	(void)state;
	platform_release(&machine);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void is_as_before(uint32_t core)
{
	assert_int_equal(file_khz(core, "scaling_min_freq"), 1587000);
	assert_int_equal(file_khz(core, "scaling_max_freq"), 1853000);
}

/* ---- measuring ---- */

static int by_files(void *context, uint32_t core, uint32_t khz, struct err *err)
{
	(void)context;
	return hold_set(hold, core, khz, err);
}

static struct step_control control = {.how = "files", .set = by_files};

struct loop {
	int lag; /* so many pieces run at the old speed after a change */
	double factor;
	uint32_t last;
	int left;
};

/* Runs as fast as the files say, a little later. */
static double obedient(void *context, uint32_t passes)
{
	struct loop *l = context;
	uint32_t khz = file_khz(2, "scaling_max_freq");

	(void)passes;
	if (khz != l->last && l->left-- <= 0) {
		l->last = khz;
		l->left = l->lag;
	}
	return (l->last ? l->last : khz) * l->factor;
}

static double deaf(void *context, uint32_t passes)
{
	(void)context;
	(void)passes;
	return 1853000;
}

static void measure(struct steps_domain *d, steps_speed speed, void *context)
{
	struct err err = ERR_INIT;

	if (hold_open(&hold, root, 2, &err) ||
	    steps_measure(d, &machine, 2, &control, true, speed, context, &err))
		fail_msg("%s", err.msg);
	if (hold_close(hold, &err))
		fail_msg("%s", err.msg);
	is_as_before(2);
}

static void steps_that_change_the_speed_are_honoured(void **state)
{
	struct loop loop = {.lag = 2, .factor = 1};
	struct steps_domain d;

	(void)state;
	measure(&d, obedient, &loop);
	assert_int_equal(d.results.n, 2);
	assert_int_equal(d.results.at[0].verdict, STEP_HONOURED);
	assert_int_equal(d.results.at[1].verdict, STEP_HONOURED);
	assert_int_equal(d.results.at[1].measured_khz, 1587000);
	assert_true(d.down_ns > 0);
	assert_true(d.up_ns > 0);
	assert_true(d.call_ns > 0);
	assert_true(d.call_ns <= d.up_ns || d.call_ns <= d.down_ns);
	steps_release(&d);
}

static void a_step_without_an_effect_is_not_honoured(void **state)
{
	struct steps_domain d;

	(void)state;
	measure(&d, deaf, NULL);
	assert_int_equal(d.results.at[0].verdict, STEP_HONOURED);
	assert_int_equal(d.results.at[1].verdict, STEP_NO_EFFECT);
	assert_int_equal(d.down_ns, 0);
	assert_int_equal(d.up_ns, 0);
	steps_release(&d);
}

static void a_step_that_runs_at_another_frequency_is_not_honoured(void **state)
{
	struct loop loop = {.factor = 0.8};
	struct steps_domain d;

	(void)state;
	measure(&d, obedient, &loop);
	assert_int_equal(d.results.at[0].verdict, STEP_HONOURED);
	assert_int_equal(d.results.at[1].verdict, STEP_OFF);
	steps_release(&d);
}

/* Takes what it is given and goes on saying what it said. */
static int taken_only(void *context, uint32_t core, uint32_t khz, struct err *err)
{
	(void)context;
	(void)core;
	(void)err;
	return khz != 1853000;
}

static void a_step_that_is_not_read_back_is_not_honoured(void **state)
{
	struct step_control other = {.how = "nobody", .set = taken_only};
	struct steps_domain d;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(steps_measure(&d, &machine, 2, &other, true, deaf, NULL, &err), 0);
	assert_int_equal(d.results.at[1].verdict, STEP_NOT_HELD);
	steps_release(&d);
}

/* Lends the lower of two steps only. */
static int lends_low(void *context, uint32_t core, uint32_t khz, struct err *err)
{
	return khz > 1600000 ? 1 : by_files(context, core, khz, err);
}

static void what_is_not_lent_is_no_measure_for_the_others(void **state)
{
	struct step_control other = {.how = "nobody", .set = lends_low};
	struct loop loop = {.factor = 1};
	struct steps_domain d;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(hold_open(&hold, root, 2, &err), 0);
	assert_int_equal(steps_measure(&d, &machine, 2, &other, true, obedient, &loop, &err), 0);
	assert_int_equal(hold_close(hold, &err), 0);
	assert_int_equal(d.results.at[0].verdict, STEP_NOT_HELD);
	assert_int_equal(d.results.at[1].verdict, STEP_HONOURED);
	assert_int_equal(d.up_ns, 0);
	steps_release(&d);
}

static int refuses(void *context, uint32_t core, uint32_t khz, struct err *err)
{
	(void)context;
	(void)core;
	return err_set(err, -EACCES, "no %" PRIu32 " for you", khz);
}

static void a_refusal_is_handed_on(void **state)
{
	struct step_control other = {.how = "nobody", .set = refuses};
	struct steps_domain d;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(steps_measure(&d, &machine, 2, &other, true, deaf, NULL, &err), -EACCES);
	assert_string_equal(err.msg, "no 1853000 for you");
}

/* ---- restoring ---- */

static void both_limits_are_set_and_come_back(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(hold_open(&hold, root, 2, &err), 0);
	assert_int_equal(hold_set(hold, 2, 1587000, &err), 0);
	assert_int_equal(file_khz(2, "scaling_max_freq"), 1587000);
	assert_int_equal(hold_set(hold, 3, 1853000, &err), 0);
	assert_int_equal(file_khz(3, "scaling_min_freq"), 1853000);
	is_as_before(4);
	assert_int_equal(hold_close(hold, &err), 0);
	is_as_before(2);
	is_as_before(3);
}

static void what_somebody_else_set_meanwhile_is_left_alone(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(hold_open(&hold, root, 2, &err), 0);
	assert_int_equal(hold_set(hold, 2, 1587000, &err), 0);
	put_khz(2, "scaling_max_freq", 1700000);
	assert_int_equal(hold_set(hold, 2, 1853000, &err), -EBUSY);
	assert_int_equal(file_khz(2, "scaling_max_freq"), 1700000);
	assert_int_equal(hold_close(hold, &err), -EBUSY);
	assert_int_equal(file_khz(2, "scaling_max_freq"), 1700000);
	put_khz(2, "scaling_max_freq", 1853000);
	is_as_before(2);
}

/* The kernel may show the old value for a while: it is written all the same, or the new one would stay. */
static void a_request_that_is_not_in_force_yet_is_taken_back_too(void **state)
{
	struct err err = ERR_INIT;
	char path[512], text[32];

	(void)state;
	assert_int_equal(hold_open(&hold, root, 2, &err), 0);
	assert_int_equal(hold_set(hold, 2, 1587000, &err), 0);
	/* The same number in another writing shows who wrote the file last. */
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq", root);
	snprintf(text, sizeof(text), "01853000\n");
	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
	assert_int_equal(hold_close(hold, &err), 0);
	assert_int_equal(fs_read_small("", path, text, sizeof(text)), 0);
	assert_string_equal(text, "1853000");
}

static void files_that_cannot_be_written_are_a_refusal(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(hold_open(&hold, "/nonexistent", 2, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "scaling_min_freq"));
}

/* In a process of its own: holds steps, one after the other, until it is ended. */
static void hold_for_ever(int ready)
{
	struct err err = ERR_INIT;

	if (hold_open(&hold, root, 2, &err))
		_exit(9);
	for (uint32_t i = 0;; i++) {
		hold_set(hold, 2 + i % 3, i % 2 ? 1853000 : 1587000, &err);
		if (i == 3 && write(ready, "x", 1) != 1)
			_exit(8);
	}
}

static bool is_restored(void)
{
	for (uint32_t core = 2; core < 5; core++)
		if (file_khz(core, "scaling_min_freq") != 1587000 ||
		    file_khz(core, "scaling_max_freq") != 1853000)
			return false;
	return true;
}

/* After SIGKILL the guard acts by itself: it needs a moment, and has ten seconds. */
static bool comes_back(void)
{
	static const struct timespec pause = {0, 1000000};

	for (int i = 0; i < 10000; i++) {
		if (is_restored())
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void end_by(int sig, uint32_t us)
{
	int ready[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid)
		hold_for_ever(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	usleep(us);
	kill(pid, sig);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), sig);
	/* A signal that can be caught ends the process only after all is as before. */
	assert_true(sig == SIGKILL ? comes_back() : is_restored());
}

static void signals_end_it_after_all_is_as_before(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		end_by(signals[i % 4], i * 97 % 2000);
}

static void after_a_kill_the_guard_restores(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		end_by(SIGKILL, i * 97 % 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_that_change_the_speed_are_honoured),
		cmocka_unit_test(a_step_without_an_effect_is_not_honoured),
		cmocka_unit_test(a_step_that_runs_at_another_frequency_is_not_honoured),
		cmocka_unit_test(a_step_that_is_not_read_back_is_not_honoured),
		cmocka_unit_test(what_is_not_lent_is_no_measure_for_the_others),
		cmocka_unit_test(a_refusal_is_handed_on),
		cmocka_unit_test(both_limits_are_set_and_come_back),
		cmocka_unit_test(what_somebody_else_set_meanwhile_is_left_alone),
		cmocka_unit_test(a_request_that_is_not_in_force_yet_is_taken_back_too),
		cmocka_unit_test(files_that_cannot_be_written_are_a_refusal),
		cmocka_unit_test(signals_end_it_after_all_is_as_before),
		cmocka_unit_test(after_a_kill_the_guard_restores),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
