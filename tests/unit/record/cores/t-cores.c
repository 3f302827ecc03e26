/* SPDX-License-Identifier: MIT */
/* The file of the cores that threads were seen on: written, read again, damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/fs.h"
#include "lib/rng.h"
#include "record/cores/cores.h"

static char dir[] = "/tmp/perseus-cores.XXXXXX";

static int make(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int clean(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/" CORES_FILE, dir);
	unlink(path);
	return rmdir(dir);
}

static int read_text(const char *text, size_t n, struct core_looks *looks, struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/" CORES_FILE, dir);
	assert_int_equal(fs_write(path, text, n, err), 0);
	return cores_read(dir, looks, err);
}

static void no_file_is_no_looks(void **state)
{
	struct err err = ERR_INIT;
	struct core_looks looks, none = VEC_INIT;

	(void)state;
	assert_int_equal(cores_write(dir, &none, &err), 0);
	assert_int_equal(cores_read(dir, &looks, &err), 0);
	assert_int_equal(looks.n, 0);
	vec_release(&looks);
}

static void what_was_written_is_read_by_thread_and_time(void **state)
{
	struct core_looks in = VEC_INIT, out;
	struct err err = ERR_INIT;

	(void)state;
	vec_push(&in, ((struct core_look){UINT64_MAX, 7, UINT32_MAX, 1}));
	vec_push(&in, ((struct core_look){20, 7, 9, UINT32_MAX}));
	vec_push(&in, ((struct core_look){10, 7, 9, 0}));
	vec_push(&in, ((struct core_look){30, 2, 9, 5}));
	assert_int_equal(cores_write(dir, &in, &err), 0);
	assert_int_equal(cores_read(dir, &out, &err), 0);
	assert_int_equal(out.n, 4);
	assert_int_equal(out.at[0].pid, 2);
	assert_int_equal(out.at[1].ns, 10);
	assert_int_equal(out.at[2].core, UINT32_MAX);
	assert_true(out.at[3].ns == UINT64_MAX && out.at[3].tid == UINT32_MAX);
	vec_release(&in);
	vec_release(&out);
}

static void lines_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = {"x\n",         "1 2 3\n",        "1 2 3 4",
					  "1 2 3 4 5\n", "-1 2 3 4\n",     "1 2 3 4294967296\n",
					  "1 2  3 4\n",  "1 2 3 4\n1 2\n", "1 2 99999999999999999999 4\n"};
	struct core_looks looks;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = ERR_INIT;

		assert_true(read_text(bad[i], strlen(bad[i]), &looks, &err) < 0);
		assert_non_null(strstr(err.msg, "expected `pid tid ns core`"));
		vec_release(&looks);
	}
}

/* Bytes altered anywhere: read or refused, and never more rows than lines. */
static void any_bytes_are_read_or_refused(void **state)
{
	static const char good[] = "1 1 100 0\n1 2 200 1\n2 2 300 1\n";
	struct rng rng = rng_keyed(3, 0, 0, 0);
	char text[sizeof(good)];

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct err err = ERR_INIT;
		struct core_looks looks;
		size_t n = rng_u64(&rng) % sizeof(good);

		memcpy(text, good, sizeof(good));
		text[rng_u64(&rng) % (sizeof(good) - 1)] = (char)rng_u64(&rng);
		if (!read_text(text, n, &looks, &err))
			assert_true(looks.n <= n / 8);
		vec_release(&looks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_file_is_no_looks),
		cmocka_unit_test(what_was_written_is_read_by_thread_and_time),
		cmocka_unit_test(lines_that_are_none_are_refused),
		cmocka_unit_test(any_bytes_are_read_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make, clean);
}
