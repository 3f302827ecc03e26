/* SPDX-License-Identifier: MIT */
/* Counted events in the report: columns, instructions per cycle, what was not counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/record/build.h"
#include "perseus/counter.h"
#include "report/summary.h"

#define N 4 /* events */

struct entry {
	struct prs_counter head;
	struct prs_counter_value v[N];
};

static const char sites[] = "U\t1\t00000000000000aa\t2\t0\tGNU C17 12\tprog.c\t-\n"
			    "F\t0\tprog.c\n"
			    "N\t0\tmain\tmain\t0\t10\n"
			    "N\t1\tfast\tfast\t0\t3\n"
			    "N\t2\tslow\tslow\t0\t6\n"
			    "C\t0\t1111111111111111\t00000000\t0\tfast\t0\t12\t2\t0\t-\t-\n"
			    "C\t1\t2222222222222222\t00000000\t0\tslow\t0\t13\t2\t0\t-\t-\n"
			    "Z\t00000000000000aa\n";

static const char text[] = "counters.interval_us 1000\ncounters.read_ns 850\ncounters.rdpmc_ns 0\n"
			   "event.0.name cycles\nevent.0.source perf user\nevent.0.error 0\n"
			   "event.1.name instructions\nevent.1.source perf\nevent.1.error 0\n"
			   "event.2.name page-faults\nevent.2.source system\nevent.2.error 1\n"
			   "event.3.name LLC-loads\nevent.3.source none\nevent.3.error 2\n";

/* Half of the second in fast(), with 3 instructions a cycle, half in slow(), with 0.5; instructions had half of
 * the time. */
static void make(const char *dir, uint32_t rung)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = 2, .base = 256};
	struct prs_thread t = {.creator = PRS_NO_THREAD,
			       .create_site = PRS_NO_SITE,
			       .start_tsc = 1000,
			       .end_tsc = 2000001000,
			       .cpu_end_ns = 1000000000};
	struct prs_call calls[2] = {
		{.site = 0, .parent = PRS_NO_SITE, .count = 1, .timed = 1, .sum = 1000000000, .period = 1},
		{.site = 1, .parent = PRS_NO_SITE, .count = 1, .timed = 1, .sum = 1000000000, .period = 1}};
	struct prs_log log[2] = {{.end = 1000001000, .ticks = 1000000000, .site = 0},
				 {.end = 2000001000, .ticks = 1000000000, .site = 1}};
	struct entry e[2] = {
		{.head = {.tsc = 1000001000, .why = PRS_COUNTER_BLOCK, .n = N},
		 .v = {{1000, 10, 10}, {1500, 10, 5}, {7, 10, 10}, {0, 0, 0}}},
		{.head = {.tsc = 2000001000, .why = PRS_COUNTER_END, .n = N},
		 .v = {{3000, 20, 20}, {2000, 20, 10}, {9, 20, 20}, {0, 0, 0}}},
	};
	struct prec r;
	uint64_t at;

	calls[0].min = calls[0].max = calls[1].min = calls[1].max = 1000000000;
	calls[0].hist[prs_hist_index(1000000000)] = calls[1].hist[prs_hist_index(1000000000)] = 1;
	prec_start(&r, 100);
	prec_chunk(&r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &t, sizeof(t), 1, 1);
	prec_chunk(&r, PRS_CHUNK_CALL, 0, calls, sizeof(calls[0]), 2, 1);
	prec_chunk(&r, PRS_CHUNK_LOG, 0, log, sizeof(log[0]), 2, 1);
	at = prec_chunk(&r, PRS_CHUNK_TEXT, PRS_NO_THREAD, NULL, 0, 0, 1);
	memcpy(r.file.s + at + sizeof(struct prs_chunk), text, sizeof(text));
	prec_chunk(&r, PRS_CHUNK_COUNTER, 0, e, sizeof(e[0]), 2, 1);
	prec_header(&r)->n_threads = 1;
	prec_header(&r)->n_units = 1;
	prec_header(&r)->n_calls = 2;
	prec_header(&r)->counter_rung = rung;
	prec_header(&r)->n_counters = N;
	prec_save(&r, dir);
	build_manifest(dir, "exited", 0, sites);
}

static int setup(void **state)
{
	*state = build_dir();
	return 0;
}

static int teardown(void **state)
{
	build_remove(*state);
	return 0;
}

static void print(const char *dir, struct strbuf *out, bool json)
{
	static const struct report_view view = {.rows = 10, .threads = true};
	struct err err = ERR_INIT;
	struct report_summary s;
	struct run run;

	if (run_open(&run, dir, &err))
		fail_msg("%s", err.msg);
	report_summarise(&s, &run);
	if (json)
		report_json(&s, &view, out);
	else
		report_text(&s, &view, out);
	report_summary_release(&s);
	run_close(&run);
}

/* @out has a line with all of @words in this order. */
static void has_line(const struct strbuf *out, const char *const *words)
{
	for (const char *line = out->s; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line, *end = strchr(line, '\n');
		int i = 0;

		for (; words[i] && at; i++) {
			at = strstr(at, words[i]);
			at = at && (!end || at <= end) ? at + strlen(words[i]) : NULL;
		}
		if (at && !words[i])
			return;
	}
	fail_msg("no line with '%s' .. '%s' in:\n%s", words[0], words[1], out->s);
}
#define HAS(out, ...) has_line(out, (const char *const[]){__VA_ARGS__, NULL})

static void functions_have_their_counts_and_ipc(void **state)
{
	struct strbuf out = STRBUF_INIT;

	make(*state, PRS_RUNG_READ);
	print(*state, &out, false);
	HAS(&out, "cycles", "instructions", "page-faults", "IPC", "of each function itself");
	HAS(&out, "1.00 k", "3.00 k", "7.00", "3.00", "fast");
	HAS(&out, "2.00 k", "1.00 k", "2.00", "0.50", "slow");
	strbuf_release(&out);
}

static void totals_say_what_they_are(void **state)
{
	struct strbuf out = STRBUF_INIT;

	make(*state, PRS_RUNG_READ);
	print(*state, &out, false);
	HAS(&out, "counters  read(2) once per 1.00 ms and thread (850 ns each)", "by the clock");
	HAS(&out, "not counted: LLC-loads: ENOENT", "(No such file");
	HAS(&out, "3,000", "100.0 %", "cycles, user mode only");
	HAS(&out, "4,000", "50.0 %", "instructions, scaled: it took turns with others");
	HAS(&out, "9", "-", "page-faults, from getrusage");
	HAS(&out, "3.00 k", "4.00 k", "9.00", "1.33", "0 main");
	strbuf_release(&out);
}

static void the_rung_is_labelled(void **state)
{
	struct strbuf out = STRBUF_INIT;

	make(*state, PRS_RUNG_RDPMC);
	print(*state, &out, false);
	HAS(&out, "counters  rdpmc at every logged call", "a counter");
	strbuf_release(&out);
	make(*state, PRS_RUNG_CLOCK);
	print(*state, &out, false);
	HAS(&out, "counters  clock only:", "system itself knows");
	strbuf_release(&out);
}

static void json_has_null_for_what_was_not_counted(void **state)
{
	struct strbuf out = STRBUF_INIT;

	make(*state, PRS_RUNG_READ);
	print(*state, &out, true);
	HAS(&out, "\"rung\": \"read\"", "");
	HAS(&out, "\"LLC-loads\": null", "");
	HAS(&out, "\"error\": \"ENOENT\"", "");
	HAS(&out, "\"share_counted\": 0.5", "");
	HAS(&out, "\"instructions\": 3000", "");
	strbuf_release(&out);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(functions_have_their_counts_and_ipc),
		T(totals_say_what_they_are),
		T(the_rung_is_labelled),
		T(json_has_null_for_what_was_not_counted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
