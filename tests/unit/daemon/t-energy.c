/* SPDX-License-Identifier: MIT */
/* Windows of joules over made-up counters: who has what of them, and what no window is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/machine/energy.h"

static char root[64];
static struct energy energy;

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define ZONE "sys/class/powercap/intel-rapl:0/"

/* The machine has used @joules, and its processors @ticks. */
static void shows(unsigned int joules, unsigned int ticks)
{
	char text[64];

	snprintf(text, sizeof(text), "%u000000\n", joules);
	put(ZONE "energy_uj", text);
	snprintf(text, sizeof(text), "cpu  %u 0 0 1 0 0 0\n", ticks);
	put("proc/stat", text);
}

static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/t-energy.XXXXXX");
	if (!mkdtemp(root))
		return 1;
	put(ZONE "name", "package-0\n");
	put(ZONE "max_energy_range_uj", "100000000\n");
	shows(10, 0);
	memset(&energy, 0, sizeof(energy));
	energy_find(&energy, root, 100);
	return !energy.is_there;
}

static int end(void **state)
{
	char command[96];

	(void)state;
	for (prs_u32 i = 0; i < energy.n; i++)
		close(energy.zone[i].fd);
	close(energy.stat);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) != 0;
}

static void work(void)
{
	struct timespec from, now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_sec == from.tv_sec && now.tv_nsec - from.tv_nsec < 1000000);
}

static void a_window_is_whole_and_rounded(void **state)
{
	int me = energy_join(&energy, getpid());

	(void)state;
	energy_look(&energy, 1000);
	work();
	shows(17, 0);
	energy_look(&energy, 1099);
	assert_int_equal(energy.share[me].windows, 0);
	energy_look(&energy, 1100);
	assert_int_equal(energy.share[me].windows, 1);
	assert_int_equal(energy.share[me].mj, 7000);
}

static void asking_more_often_tells_nothing_more(void **state)
{
	int me = energy_join(&energy, getpid()), other;

	(void)state;
	energy_look(&energy, 1000);
	work();
	shows(11, 0);
	other = energy_join(&energy, getpid());
	energy_look(&energy, 1050); /* a second one cannot begin in the middle */
	shows(12, 0);
	energy_look(&energy, 1100);
	assert_int_equal(energy.share[me].mj, 2000);
	assert_int_equal(energy.share[other].windows, 0);
	work();
	shows(15, 0);
	energy_look(&energy, 1150);
	assert_int_equal(energy.share[other].windows, 0);
	energy_look(&energy, 1200);
	assert_int_equal(energy.share[me].mj, 5000);
	assert_int_equal(energy.share[other].mj, 3000);
	assert_int_equal(energy.share[other].windows, 1);
}

static void what_others_did_is_theirs(void **state)
{
	int me = energy_join(&energy, getpid());

	(void)state;
	energy_look(&energy, 1000);
	work();
	shows(60, 1000000);
	energy_look(&energy, 1100);
	assert_int_equal(energy.share[me].windows, 1);
	assert_int_equal(energy.share[me].mj, 0);
}

static void a_counter_that_begins_again_is_followed(void **state)
{
	int me = energy_join(&energy, getpid());

	(void)state;
	shows(99, 0);
	energy_look(&energy, 1000);
	work();
	shows(2, 0);
	energy_look(&energy, 1100);
	assert_int_equal(energy.share[me].mj, 3000);
}

static void a_counter_that_was_set_anew_makes_no_window(void **state)
{
	int me = energy_join(&energy, getpid());

	(void)state;
	energy_look(&energy, 1000);
	work();
	shows(100000, 0); /* more than its range, and than a package can draw */
	energy_look(&energy, 1100);
	assert_int_equal(energy.share[me].windows, 0);
	work();
	shows(3, 0);
	energy_look(&energy, 1200);
	assert_int_equal(energy.share[me].windows, 0);
	work();
	shows(4, 0);
	energy_look(&energy, 1300);
	assert_int_equal(energy.share[me].mj, 1000);
	/* In so long a time it may have begun again more than once. */
	work();
	shows(5, 0);
	energy_look(&energy, 1300 + ENERGY_MOST_MS + 101);
	assert_int_equal(energy.share[me].windows, 1);
}

static void places_are_given_again(void **state)
{
	(void)state;
	for (int i = 0; i < ENERGY_SHARES; i++)
		assert_int_equal(energy_join(&energy, getpid()), i);
	assert_int_equal(energy_join(&energy, getpid()), -1);
	energy_leave(&energy, 5);
	assert_int_equal(energy_join(&energy, getpid()), 5);
	assert_int_equal(energy.share[5].mj, 0);
}

#define AT(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT(a_window_is_whole_and_rounded),
		AT(asking_more_often_tells_nothing_more),
		AT(what_others_did_is_theirs),
		AT(a_counter_that_begins_again_is_followed),
		AT(a_counter_that_was_set_anew_makes_no_window),
		AT(places_are_given_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
