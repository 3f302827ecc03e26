/* SPDX-License-Identifier: MIT */
/* report/top: what stands in the table of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/mem.h"
#include "report/top/top.h"

static struct live_thread threads[] = {
	{.pid = 7,
	 .index = 0,
	 .tid = 70,
	 .name = "main",
	 .state = 'S',
	 .core = 1,
	 .running = 0.25,
	 .ready = 0,
	 .waiting = 0.5,
	 .calls = 1234,
	 .transfers = LIVE_UNKNOWN,
	 .migrations = 0,
	 .wait_kind = PRS_EV_JOIN,
	 .wait_for = 2,
	 .wait_open = true,
	 .wait_fd = -1},
	{.pid = 7,
	 .index = 1,
	 .tid = 71,
	 .name = "worker",
	 .state = 'R',
	 .core = -1,
	 .running = 1,
	 .ready = LIVE_UNKNOWN,
	 .waiting = 0,
	 .calls = 7,
	 .transfers = 1.2e6,
	 .migrations = 3,
	 .wait_for = PRS_NO_THREAD,
	 .wait_fd = -1},
	{.pid = 7,
	 .index = 2,
	 .tid = 72,
	 .name = "a\033[31mb\xc3\xa4",
	 .state = 'R',
	 .core = 0,
	 .running = LIVE_UNKNOWN,
	 .ready = LIVE_UNKNOWN,
	 .waiting = LIVE_UNKNOWN,
	 .calls = LIVE_UNKNOWN,
	 .transfers = 0,
	 .migrations = LIVE_UNKNOWN,
	 .wait_kind = PRS_EV_READ,
	 .wait_object = 1ull << 56,
	 .wait_fd = 4,
	 .wait_for = PRS_NO_THREAD},
};

static struct live live_of(size_t n)
{
	return (struct live){.threads = {threads, n, n}, .n_processes = 1, .counted = true};
}

static char *lines(const struct live *l, struct top_view v)
{
	struct top_names names = {.open = false};
	struct strbuf sb = STRBUF_INIT;
	struct top_rows rows;

	top_rows_make(&rows, l, &names, &v);
	for (size_t i = 0; i < rows.n; i++) {
		top_line(&sb, l, &v, &rows.at[i]);
		strbuf_puts(&sb, "\n");
	}
	top_rows_release(&rows);
	strbuf_puts(&sb, "");
	return strbuf_detach(&sb);
}

static void check(const struct live *l, struct top_view v, const char *text)
{
	char *is = lines(l, v);

	assert_string_equal(is, text);
	free(is);
}

static void a_table_fits_into_eighty_columns(void **state)
{
	struct live l = live_of(3);

	(void)state;
	check(&l, (struct top_view){.sort = TOP_RUNNING, .columns = 80},
	      "     71 worker          R    - 100.0     -   0.0      7     3\n"
	      "     70 main            S    1  25.0   0.0  50.0   1.2k     0 join, a?[31mb??\n"
	      "     72 a?[31mb??       R    0     -     -     -      -     - read pipe 4\n");
}

static void a_wide_one_has_both_counts(void **state)
{
	struct live l = live_of(2);

	(void)state;
	check(&l, (struct top_view){.sort = TOP_RUNNING, .upwards = true, .columns = 120},
	      "     70 main            S    1  25.0   0.0  50.0   1.2k      -     0 join, thread 2\n"
	      "     71 worker          R    - 100.0     -   0.0      7   1.2M     3\n");
}

static void a_sharing_run_shows_its_lines(void **state)
{
	struct live l = live_of(2);
	struct strbuf sb = STRBUF_INIT;
	struct top_view v = {.sort = TOP_LINES, .columns = 80};

	(void)state;
	l.counted = false;
	l.sharing = true;
	top_head(&sb, &l, &v);
	assert_non_null(strstr(sb.s, "LINE/s"));
	assert_null(strstr(sb.s, "CALL/s"));
	strbuf_release(&sb);
}

static void no_line_is_longer_than_the_terminal(void **state)
{
	struct live l = live_of(3);

	(void)state;
	for (unsigned columns = 1; columns < 140; columns++) {
		char *text = lines(&l, (struct top_view){.sort = TOP_TID, .columns = columns});

		for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1)
			assert_true(columns < 62 || (size_t)(end - at) <= columns);
		free(text);
	}
}

static void a_filter_keeps_what_has_it(void **state)
{
	struct live l = live_of(3);

	(void)state;
	check(&l, (struct top_view){.sort = TOP_TID, .filter = "ORK", .columns = 80},
	      "     71 worker          R    - 100.0     -   0.0      7     3\n");
	check(&l, (struct top_view){.sort = TOP_TID, .filter = "nobody", .columns = 80}, "");
}

static void each_column_sorts(void **state)
{
	struct live l = live_of(3);

	(void)state;
	for (enum top_column c = 0; top_column_word(c); c++) {
		char *down = lines(&l, (struct top_view){.sort = c, .columns = 120});
		char *up = lines(&l, (struct top_view){.sort = c, .upwards = true, .columns = 120});

		assert_int_equal(strlen(down), strlen(up));
		free(down);
		free(up);
	}
	check(&l, (struct top_view){.sort = TOP_THREAD, .filter = "m", .upwards = true, .columns = 80},
	      "     72 a?[31mb??       R    0     -     -     -      -     - read pipe 4\n"
	      "     70 main            S    1  25.0   0.0  50.0   1.2k     0 join, a?[31mb??\n");
}

static void sums_leave_out_what_is_not_known(void **state)
{
	struct live l = live_of(3);
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	top_sums(&sb, &l, 120);
	assert_string_equal(
		sb.s, "3 threads of 1 process, 1 in a wait, 0 ended; 1.25 cores busy, 0.00 more wanted; "
		      "1.2k calls/s; 3 migrations/s");
	strbuf_release(&sb);
	top_sums(&sb, &l, 80);
	assert_string_equal(sb.s, "3 threads, 1 wait; 1.25 cores busy, 0.00 wanted; 1.2k calls/s; 3 mig/s");
	strbuf_release(&sb);
	l = live_of(0);
	top_sums(&sb, &l, 120);
	assert_non_null(strstr(sb.s, "0 threads"));
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_fits_into_eighty_columns),
		cmocka_unit_test(a_wide_one_has_both_counts),
		cmocka_unit_test(a_sharing_run_shows_its_lines),
		cmocka_unit_test(no_line_is_longer_than_the_terminal),
		cmocka_unit_test(a_filter_keeps_what_has_it),
		cmocka_unit_test(each_column_sorts),
		cmocka_unit_test(sums_leave_out_what_is_not_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
