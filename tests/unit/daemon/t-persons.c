/* SPDX-License-Identifier: MIT */
/* Whom an id belongs to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "daemon/persons.h"

static char root[] = "/tmp/t-persons.XXXXXX";
static struct persons persons;

static void save(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/etc/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int begin(void **state)
{
	char etc[128];

	(void)state;
	strcpy(root, "/tmp/t-persons.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(etc, sizeof(etc), "%s/etc", root);
	memset(&persons, 0, sizeof(persons));
	persons.strangers = STRANGERS_TOGETHER;
	return mkdir(etc, 0755);
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void subordinate_ids_belong_to_their_owner(void **state)
{
	(void)state;
	save("passwd", "root:x:0:0::/:/bin/sh\nbob:x:1002:1002::/:/bin/sh\nalice:x:1001:1001::/:/bin/sh\n");
	save("subuid", "alice:100000:65536\n1002:165536:65536\nroot:300000:10\n");
	persons_load(&persons, root);
	assert_int_equal(persons_of(&persons, 1001), 1001);
	assert_int_equal(persons_of(&persons, 100000), 1001);
	assert_int_equal(persons_of(&persons, 165535), 1001);
	assert_int_equal(persons_of(&persons, 165536), 1002);
	assert_int_equal(persons_of(&persons, 231071), 1002);
	assert_int_equal(persons_of(&persons, 231072), PERSON_STRANGER);
	assert_int_equal(persons_of(&persons, 0), 0);
	assert_int_equal(persons_of(&persons, 300005), 0);
}

/* A range over users of their own does not make them anybody's. */
static void a_user_of_his_own_stays_one(void **state)
{
	(void)state;
	save("passwd", "root:x:0:0::/:/bin/sh\nalice:x:1001:1001::/:/bin/sh\nbob:x:1002:1002::/:/bin/sh\n");
	save("subuid", "alice:0:65536\n");
	persons_load(&persons, root);
	assert_int_equal(persons_of(&persons, 1002), 1002);
	assert_int_equal(persons_of(&persons, 0), 0);
	assert_int_equal(persons_of(&persons, 1003), 1001);
}

static void whom_nobody_knows_is_one_person(void **state)
{
	(void)state;
	save("passwd", "root:x:0:0::/:/bin/sh\n");
	persons_load(&persons, root);
	assert_int_equal(persons_of(&persons, 5000), persons_of(&persons, 6000));
	persons_add(&persons, 6000);
	assert_int_equal(persons_of(&persons, 6000), 6000);
	persons.strangers = STRANGERS_REFUSED;
	assert_int_equal(persons_of(&persons, 5000), PERSON_NOBODY);
	assert_int_equal(persons_of(&persons, 6000), 6000);
	persons.strangers = STRANGERS_EACH;
	assert_int_equal(persons_of(&persons, 5000), 5000);
}

static void what_is_no_range_gives_nobody_anything(void **state)
{
	(void)state;
	save("passwd", "alice:x:1001:1001::/:/bin/sh\n");
	save("subuid", "\n:\n::\nalice\nalice:5\nalice:x:9\nalice:5:-1\nmallory:70000:9\nalice:4294967295:5\n"
		       "alice:4294967290:100\nalice:80000:0\n");
	persons_load(&persons, root);
	assert_int_equal(persons_of(&persons, 5), PERSON_STRANGER);
	assert_int_equal(persons_of(&persons, 70000), PERSON_STRANGER);
	assert_int_equal(persons_of(&persons, 80000), PERSON_STRANGER);
	assert_int_equal(persons_of(&persons, 20), PERSON_STRANGER);
	assert_int_equal(persons_of(&persons, 4294967293u), 1001);
}

static void no_file_says_nothing(void **state)
{
	(void)state;
	persons_load(&persons, root);
	assert_int_equal(persons.n + persons.n_ranges, 0);
	assert_int_equal(persons_of(&persons, 0), 0);
}

#define test(NAME) cmocka_unit_test_setup_teardown(NAME, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(subordinate_ids_belong_to_their_owner),
		test(a_user_of_his_own_stays_one),
		test(whom_nobody_knows_is_one_person),
		test(what_is_no_range_gives_nobody_anything),
		test(no_file_says_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
