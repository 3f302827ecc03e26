/* SPDX-License-Identifier: MIT */
/* predictor/probe/log: what was measured is there again; what is damaged or foreign is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "predictor/probe/log.h"

#define KEY   "1111111111111111111111111111111111111111111111111111111111111111"
#define OTHER "2222222222222222222222222222222222222222222222222222222222222222"

static char path[64];

static int begin(void **state)
{
	(void)state;
	strcpy(path, "/tmp/perseus-log.XXXXXX");
	close(mkstemp(path));
	return unlink(path);
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static struct task task(const char *key)
{
	struct task t = {.params = 2, .watches = 1};

	t.name[0] = mem_strdup("n");
	t.name[1] = mem_strdup("it's \"so\"");
	t.count = mem_strdup("count");
	t.watch[0] = (struct judge_watch){JUDGE_LEVEL, mem_strdup("depth"), 126, NULL};
	strcpy(t.key, key);
	return t;
}

/* Append @n probes to the log of a task with @key; its probes then, or a negative errno. */
static int add(const char *key, int n)
{
	struct task t = task(key);
	struct probe_log l;
	int ret = probe_log_open(&l, path, &t, NULL);

	for (int i = 0; !ret && i < n; i++) {
		struct probe p = {PROBE_OK, 0, {8 << i, 3}, 0.5, 0.25, 1e9 / 3, {i}};

		ret = probe_log_add(&l, &p, NULL);
	}
	if (!ret) {
		ret = (int)l.probes.n;
		probe_log_close(&l);
	}
	task_release(&t);
	return ret;
}

static void what_was_added_is_read(void **state)
{
	struct probes probes = VEC_INIT;
	struct task t;

	(void)state;
	assert_int_equal(add(KEY, 3), 3);
	assert_int_equal(add(KEY, 1), 4);
	assert_int_equal(probe_log_read(path, &t, &probes, NULL), 0);
	assert_int_equal(probes.n, 4);
	assert_int_equal(t.params, 2);
	assert_string_equal(t.name[1], "it's \"so\"");
	assert_string_equal(t.count, "count");
	assert_null(t.figure);
	assert_true(t.watch[0].kind == JUDGE_LEVEL && t.watch[0].limit == 126);
	assert_true(probes.at[2].x[0] == 32 && probes.at[2].count == 1e9 / 3 && probes.at[2].watch[0] == 2);
	task_release(&t);
	vec_release(&probes);
}

static void a_torn_line_is_taken_away(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_int_equal(add(KEY, 3), 3);
	assert_int_equal(fs_read(path, 0, &text, NULL), 0);
	assert_int_equal(truncate(path, (off_t)text.len - 5), 0);
	assert_int_equal(add(KEY, 0), 2);
	assert_int_equal(add(KEY, 1), 3);
	strbuf_release(&text);
}

static void a_log_of_another_task_is_refused(void **state)
{
	(void)state;
	assert_int_equal(add(KEY, 1), 1);
	assert_int_equal(add(OTHER, 1), -EINVAL);
	assert_int_equal(add(KEY, 0), 1);
}

static void damage_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"{}\n",
		"nothing\n",
		"{\"perseus\": \"tune-log\", \"version\": 1, \"key\": \"" KEY
		"\", \"parameters\": [\"n\"], \"watch\": []}\n",
		"{\"perseus\": \"probe-log\", \"version\": 1, \"key\": \"1\", \"parameters\": [\"n\"], "
		"\"watch\": []}\n",
		"{\"perseus\": \"probe-log\", \"version\": 1, \"key\": \"" KEY
		"\", \"parameters\": [], \"watch\": []}\n",
		"{\"perseus\": \"probe-log\", \"version\": 1, \"key\": \"" KEY
		"\", \"parameters\": [7], \"watch\": []}\n",
		"{\"perseus\": \"probe-log\", \"version\": 1, \"key\": \"" KEY
		"\", \"parameters\": [\"n\"]}\n",
	};
	static const char head[] =
		"{\"perseus\": \"probe-log\", \"version\": 1, \"key\": \"" KEY
		"\", \"parameters\": [\"n\"], \"figure\": null, \"count\": null, \"watch\": []}\n";
	static const char *const lines[] = {
		"{\"end\": \"ok\", \"at\": [8, 9], \"seconds\": 1, \"figure\": 1, \"count\": 0, \"watch\": "
		"[]}\n",
		"{\"end\": \"ok\", \"at\": [0], \"seconds\": 1, \"figure\": 1, \"count\": 0, \"watch\": "
		"[]}\n",
		"{\"end\": \"ok\", \"at\": [8], \"seconds\": 1, \"figure\": 0, \"count\": 0, \"watch\": "
		"[]}\n",
		"{\"end\": \"ok\", \"at\": [8], \"seconds\": -1, \"figure\": 1, \"count\": 0, \"watch\": "
		"[]}\n",
		"{\"end\": \"odd\", \"at\": [8], \"seconds\": 1, \"figure\": 1, \"count\": 0, \"watch\": "
		"[]}\n",
		"{\"end\": \"ok\", \"at\": [8], \"seconds\": 1, \"figure\": 1, \"count\": 0, \"watch\": "
		"[1]}\n",
		"[]\n",
	};
	struct strbuf text = STRBUF_INIT;
	struct task t;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]) + sizeof(lines) / sizeof(lines[0]); i++) {
		size_t line = i - sizeof(bad) / sizeof(bad[0]);
		struct probes probes = VEC_INIT;
		struct err err = ERR_INIT;

		text.len = 0;
		strbuf_puts(&text, i < sizeof(bad) / sizeof(bad[0]) ? bad[i] : head);
		if (i >= sizeof(bad) / sizeof(bad[0]))
			strbuf_puts(&text, lines[line]);
		assert_int_equal(fs_write(path, text.s, text.len, NULL), 0);
		assert_int_equal(probe_log_read(path, &t, &probes, &err), -EINVAL);
		assert_true(err.msg[0]);
		task_release(&t);
		vec_release(&probes);
	}
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_added_is_read, begin, end),
		cmocka_unit_test_setup_teardown(a_torn_line_is_taken_away, begin, end),
		cmocka_unit_test_setup_teardown(a_log_of_another_task_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(damage_is_refused, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
