/* SPDX-License-Identifier: MIT */
/* tuner/log: a log that was cut off goes on, one of something else does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "tuner/log/log.h"

#define KEY   "1111111111111111111111111111111111111111111111111111111111111111"
#define OTHER "2222222222222222222222222222222222222222222222222222222222222222"

static const char *const text = "perseus: tunables\nversion: 1\ntunables:\n"
				"  - {name: a, kind: integer, low: 1, high: 64, default: 64}\n"
				"  - {name: way, kind: list, values: [\"it's\", \"say \\\"so\\\"\"]}\n";

struct oracle {
	const struct space *s;
	unsigned runs, stop;
};

/* The value depends on the setting and on how often this one was asked. */
static int oracle_answer(void *arg, const struct tuner_ask *ask, struct tuner_answer *a, struct err *err)
{
	struct oracle *o = arg;
	struct rng rng = rng_keyed(ask->round, ask->x->at[0], ask->x->at[1], 0);

	if (o->stop && o->runs == o->stop)
		return err_set(err, -EINTR, "stopped");
	o->runs++;
	a->end = ask->x->at[0] == 3 ? TRIAL_CRASH : TRIAL_OK;
	a->value = (1 + fabs(log2(space_number(o->s, ask->x, 0) / 9))) * (1 + 0.05 * rng_unit(&rng));
	return 0;
}

/* Search with the log at @path; the trials that were run, -errno.  @winner: of the search. */
static int go(const char *path, bool resume, const char *key, unsigned stop, size_t *winner, char *msg)
{
	struct oracle o = {.stop = stop};
	struct tuner_options options = {.seed = 1, .trials = 50, .drop = 0.05, .measure = log_measure};
	struct err err = ERR_INIT;
	struct space space;
	struct tuner s;
	struct log l;
	int ret;

	assert_int_equal(space_parse(&space, text, strlen(text), "test", &err), 0);
	o.s = &space;
	ret = log_open(&l, path, resume, key, &space, &err);
	if (!ret) {
		l.measure = oracle_answer;
		l.arg = &o;
		options.arg = &l;
		tuner_init(&s, &space, &options);
		ret = tuner_run(&s, &err);
		*winner = s.winner;
		tuner_release(&s);
		log_close(&l);
	}
	space_release(&space);
	strcpy(msg, err.msg);
	return ret ? ret : (int)o.runs;
}

struct files {
	char dir[64], a[96], b[96];
};

static int begin(void **state)
{
	struct files *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/perseus-log.XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->a, sizeof(f->a), "%s/a", f->dir);
	snprintf(f->b, sizeof(f->b), "%s/b", f->dir);
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct files *f = *state;

	unlink(f->a);
	unlink(f->b);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void same_files(const struct files *f)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_read(f->a, 0, &a, &err), 0);
	assert_int_equal(fs_read(f->b, 0, &b, &err), 0);
	assert_string_equal(a.s, b.s);
	strbuf_release(&a);
	strbuf_release(&b);
}

static void a_search_that_was_stopped_goes_on(void **state)
{
	struct files *f = *state;
	char msg[500];
	size_t whole, parts;
	int runs;
	struct strbuf cut = STRBUF_INIT;
	struct err err = ERR_INIT;

	runs = go(f->a, false, KEY, 0, &whole, msg);
	assert_in_range(runs, 40, 50);
	assert_int_equal(go(f->b, false, KEY, 20, &parts, msg), -EINTR);
	assert_int_equal(fs_read(f->b, 0, &cut, &err), 0);
	strbuf_puts(&cut, "{\"round\": 4, \"end\": \"o"); /* as a kill leaves it */
	assert_int_equal(fs_write(f->b, cut.s, cut.len, &err), 0);
	strbuf_release(&cut);
	assert_int_equal(go(f->b, true, KEY, 0, &parts, msg), runs - 20);
	assert_true(whole == parts);
	same_files(f);
	/* All is there now: nothing is run. */
	assert_int_equal(go(f->b, true, KEY, 0, &parts, msg), 0);
	assert_true(whole == parts);
	same_files(f);
}

static void a_log_is_not_written_over(void **state)
{
	struct files *f = *state;
	char msg[500];
	size_t w;

	assert_in_range(go(f->a, false, KEY, 0, &w, msg), 40, 50);
	assert_int_equal(go(f->a, false, KEY, 0, &w, msg), -EEXIST);
	assert_non_null(strstr(msg, "--resume"));
	assert_int_equal(go(f->b, true, KEY, 0, &w, msg), -ENOENT);
}

/* A log with @line as its last line, or @line alone. */
static void refused(const struct files *f, bool headed, const char *line, const char *expected)
{
	struct strbuf all = STRBUF_INIT;
	struct err err = ERR_INIT;
	char msg[500];
	size_t w;

	if (headed)
		strbuf_puts(&all, "{\"perseus\": \"tune-log\", \"version\": 1, \"key\": \"" KEY "\"}\n");
	strbuf_puts(&all, line);
	assert_int_equal(fs_write(f->a, all.s, all.len, &err), 0);
	assert_int_equal(go(f->a, true, KEY, 0, &w, msg), -EINVAL);
	if (!strstr(msg, expected))
		fail_msg("'%s' does not say '%s'", msg, expected);
	strbuf_release(&all);
}

static void a_log_of_something_else_is_refused(void **state)
{
	struct files *f = *state;

	refused(f, false, "", "it is empty");
	refused(f, false, "hello\n", "line 1");
	refused(f, false, "{\"perseus\": \"model\", \"version\": 1}\n", "no log of perseus tune");
	refused(f, false, "{\"perseus\": \"tune-log\", \"version\": 1, \"key\": \"" OTHER "\"}\n",
		"other options");
	refused(f, true, "{\"round\": 0, \"end\": \"fine\", \"value\": 1, \"setting\": \"a=64\"}\n",
		"line 2 is no trial");
	refused(f, true, "{\"round\": 0, \"end\": \"ok\", \"value\": -1, \"setting\": \"a=64\"}\n",
		"line 2 is no trial");
	refused(f, true, "{\"round\": 0, \"end\": \"ok\"}\n", "line 2 is no trial");
	refused(f, true, "{\"round\": 0, \"end\": \"ok\", \"value\": 1, \"setting\": \"a=63 way=it's\"}\n",
		"but the search asks for");
	refused(f, true, "{\"round\": 0, \"end\": \"ok\"\n", "line 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_search_that_was_stopped_goes_on, begin, end),
		cmocka_unit_test_setup_teardown(a_log_is_not_written_over, begin, end),
		cmocka_unit_test_setup_teardown(a_log_of_something_else_is_refused, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
