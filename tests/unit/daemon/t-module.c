/* SPDX-License-Identifier: MIT */
/* The way to the module: its ioctls are answered here instead of by the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/machine/frequency.h"

static struct prs_ctl_hold held;
static prs_u32 version = PRS_CTL_VERSION;
static int answer; /* errno of HOLD and RELEASE */
static unsigned int releases;

static void fill_query(struct prs_ctl_query *q)
{
	assert_int_equal(q->flags | q->reserved, 0);
	q->limit_min_khz = 900;
	q->limit_max_khz = 2100;
	q->policy_min_khz = held.min_khz ? held.min_khz : 900;
	q->policy_max_khz = held.max_khz ? held.max_khz : 2100;
	q->current_khz = 1500;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *p;

	va_start(ap, request);
	p = va_arg(ap, void *);
	va_end(ap);
	(void)fd;
	assert_int_equal(*(prs_u32 *)p, PRS_CTL_VERSION);
	errno = answer;
	switch (request) {
	case PRS_CTL_IOC_CAPS:
		((struct prs_ctl_caps *)p)->version = version;
		return 0;
	case PRS_CTL_IOC_QUERY:
		fill_query(p);
		return 0;
	case PRS_CTL_IOC_HOLD:
		assert_int_equal(((struct prs_ctl_hold *)p)->flags, 0);
		if (!answer)
			held = *(struct prs_ctl_hold *)p;
		return answer ? -1 : 0;
	case PRS_CTL_IOC_RELEASE:
		releases++;
		if (!answer)
			memset(&held, 0, sizeof(held));
		return answer ? -1 : 0;
	}
	fail();
	return -1;
}

static char root[] = "/tmp/perseus-unit.XXXXXX";

static int make_root(void **state)
{
	char path[256];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/dev", root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/dev/perseus", root);
	close(open(path, O_CREAT | O_RDWR, 0600));
	return 0;
}

static int remove_root(void **state)
{
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/dev/perseus", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/dev", root);
	rmdir(path);
	return rmdir(root);
}

static struct frequency all;

static void begin(void)
{
	memset(&all, 0, sizeof(all));
	memset(&held, 0, sizeof(held));
	version = PRS_CTL_VERSION;
	answer = 0;
	releases = 0;
	all.device = -1;
	all.n = 1;
	all.policy[0] = (struct policy){.cpu = 4, .limit = {800, 2400}};
	cpus_add(&all.policy[0].cpus, 4);
}

static void the_limits_are_the_modules(void **state)
{
	(void)state;
	begin();
	assert_int_equal(module_open(&all, root), 0);
	assert_int_equal(all.policy[0].limit.min, 900);
	assert_int_equal(all.policy[0].limit.max, 2100);
	close(all.device);
}

static void another_version_is_not_used(void **state)
{
	(void)state;
	begin();
	version = PRS_CTL_VERSION + 1;
	assert_int_equal(module_open(&all, root), -EPROTO);
	close(all.device);
}

static void without_a_device_there_is_no_module(void **state)
{
	(void)state;
	begin();
	assert_int_equal(module_open(&all, "/nonexistent"), -ENOENT);
}

static void a_hold_is_read_back_and_released(void **state)
{
	struct in_force now;
	int patience = 8;

	(void)state;
	begin();
	assert_int_equal(frequency_by_module.hold(&all, &all.policy[0], (struct range){1000, 1200}), 0);
	assert_int_equal(held.cpu, 4);
	assert_int_equal(frequency_by_module.settle(&all, &all.policy[0], &patience, &now), 0);
	assert_int_equal(now.range.min, 1000);
	assert_int_equal(now.range.max, 1200);
	assert_int_equal(now.current, 1500);
	assert_int_equal(frequency_by_module.release(&all, &all.policy[0]), 0);
	assert_int_equal(held.max_khz, 0);
}

static void a_refused_hold_says_why(void **state)
{
	(void)state;
	begin();
	answer = EBUSY;
	assert_int_equal(frequency_by_module.hold(&all, &all.policy[0], (struct range){1000, 1200}), -EBUSY);
	assert_int_equal(all.policy[0].set.max, 0);
}

static void a_driver_that_has_gone_took_the_hold_with_it(void **state)
{
	(void)state;
	begin();
	answer = ENODEV;
	assert_int_equal(frequency_by_module.release(&all, &all.policy[0]), 0);
	answer = ENOENT;
	assert_int_equal(frequency_by_module.release(&all, &all.policy[0]), 0);
	answer = EIO;
	assert_int_equal(frequency_by_module.release(&all, &all.policy[0]), -EIO);
	assert_int_equal(releases, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limits_are_the_modules),
		cmocka_unit_test(another_version_is_not_used),
		cmocka_unit_test(without_a_device_there_is_no_module),
		cmocka_unit_test(a_hold_is_read_back_and_released),
		cmocka_unit_test(a_refused_hold_says_why),
		cmocka_unit_test(a_driver_that_has_gone_took_the_hold_with_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
