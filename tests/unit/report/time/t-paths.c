/* SPDX-License-Identifier: MIT */
/* The tree of calls, on records whose every tick is known.  1 tick is 0.5 ns. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/summary.h"
#include "report/text.h"
#include "report/time/paths.h"
#include "tests/unit/record/build.h"

#define T0      1000ull
#define SECOND  2000000000ull /* ticks */
#define MS      2000000ull
#define N_SITES 6

enum { MAIN_RUN, RUN_STEP, STEP_GET, MAIN_STEP, STEP_STEP, MAIN_JOIN };

static const char sites_text[] = "U\t1\t00000000000000aa\t6\t0\tGNU C17 12\tprog.c\t-\n"
				 "F\t0\tsrc/prog.c\n"
				 "N\t0\tmain\tmain\t0\t50\n"
				 "N\t1\trun\trun\t0\t40\n"
				 "N\t2\tstep\tstep\t0\t30\n"
				 "C\t0\t000000000000000a\t00000000\t0\trun\t0\t51\t1\t0\t-\t-\n"
				 "C\t1\t000000000000000b\t00000000\t1\tstep\t0\t41\t1\t0\t-\t-\n"
				 "C\t2\t000000000000000c\t00000000\t2\tget\t0\t31\t1\t0\t-\t-\n"
				 "C\t3\t000000000000000d\t00000000\t0\tstep\t0\t52\t1\t0\t-\t-\n"
				 "C\t4\t000000000000000e\t00000000\t2\tstep\t0\t32\t1\t0\t-\t-\n"
				 "C\t5\t000000000000000f\t00000000\t0\tpthread_join\t0\t53\t1\t0\twait\t-\n"
				 "Z\t00000000000000aa\n";

struct scene {
	char *dir;
	struct prec r;
	struct run run;
	struct report_summary s;
	struct report_paths p, turned;
	struct prs_call calls[8];
	uint64_t n_calls;
	bool open;
};

/* A thread of one second that starts in main. */
static void begin(struct scene *x)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = N_SITES, .base = 256};
	struct prs_thread t = {.creator = PRS_NO_THREAD,
			       .create_site = PRS_NO_SITE,
			       .start_tsc = T0,
			       .end_tsc = T0 + SECOND};

	prec_start(&x->r, 100);
	prec_chunk(&x->r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &t, sizeof(t), 1, 1);
	prec_header(&x->r)->n_calls = N_SITES;
	build_manifest(x->dir, "exited", 0, sites_text);
}

/* Another call record below @up (NULL: the thread's start); calls go into the file in this order. */
static struct prs_call *call(struct scene *x, uint32_t site, const struct prs_call *up, uint64_t calls,
			     uint64_t timed, uint64_t each, uint64_t child)
{
	struct prs_call *c = &x->calls[x->n_calls++];

	*c = (struct prs_call){.site = site,
			       .parent = up ? up->site : PRS_NO_SITE,
			       .count = calls,
			       .timed = timed,
			       .sum = timed * each,
			       .min = each,
			       .max = each,
			       .child = child,
			       .period = calls > timed ? 64 : 1};
	if (up)
		c->parent_record =
			x->r.file.len + sizeof(struct prs_chunk) + (uint64_t)(up - x->calls) * sizeof(*c);
	c->hist[prs_hist_index(each)] = (uint32_t)timed;
	return c;
}

static void make(struct scene *x)
{
	struct err err = ERR_INIT;

	prec_chunk(&x->r, PRS_CHUNK_CALL, 0, x->calls, sizeof(x->calls[0]), x->n_calls, 2);
	prec_save(&x->r, x->dir);
	if (run_open(&x->run, x->dir, &err))
		fail_msg("%s", err.msg);
	report_summarise(&x->s, &x->run);
	x->open = true;
	if (report_paths_make(&x->p, &x->s, &err))
		fail_msg("%s", err.msg);
	report_paths_turn(&x->turned, &x->p);
}

static int setup(void **state)
{
	struct scene *x = calloc(1, sizeof(*x));

	x->dir = build_dir();
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct scene *x = *state;

	report_paths_release(&x->p);
	report_paths_release(&x->turned);
	if (x->open) {
		report_summary_release(&x->s);
		run_close(&x->run);
	}
	build_remove(x->dir);
	free(x);
	return 0;
}

/* The node that is reached from the root by @path, "main run step". */
static const struct path_node *node(const struct report_paths *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++) {
		char text[200] = "";
		size_t at = sizeof(text) - 1;

		for (uint32_t k = (uint32_t)i; k != PATH_NONE; k = p->nodes[k].parent) {
			size_t len = strlen(p->nodes[k].name);

			at -= len + 1;
			memcpy(text + at, p->nodes[k].name, len);
			text[at + len] = ' ';
		}
		text[sizeof(text) - 2] = '\0';
		if (!strcmp(text + at, path))
			return &p->nodes[i];
	}
	fail_msg("no path '%s'", path);
	return NULL;
}

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-6 * fabs(want) + 1)
		fail_msg("got %.3f ns, expected %.3f ns", got, want);
}

static void check_whole(const struct scene *x)
{
	double sum = 0;

	for (size_t i = 0; i < x->p.n; i++)
		sum += x->p.nodes[i].self_ns + x->p.nodes[i].wait_ns;
	near(sum, x->s.thread_ns);
	near(node(&x->p, "main")->total_ns, x->s.thread_ns);
}

static void calls_hang_below_their_callers(void **state)
{
	struct scene *x = *state;
	struct prs_call *run;

	begin(x);
	run = call(x, MAIN_RUN, NULL, 1, 1, 800 * MS, 600 * MS);
	call(x, RUN_STEP, run, 3, 3, 200 * MS, 0);
	call(x, MAIN_STEP, NULL, 1, 1, 100 * MS, 0);
	make(x);
	near(node(&x->p, "main")->self_ns, 0.1e9);
	near(node(&x->p, "main run")->self_ns, 0.2e9);
	near(node(&x->p, "main run")->total_ns, 0.8e9);
	near(node(&x->p, "main run step")->total_ns, 0.6e9);
	assert_int_equal(node(&x->p, "main run step")->calls, 3);
	near(node(&x->p, "main step")->self_ns, 0.1e9);
	check_whole(x);
}

static void probes_come_off_calls_and_their_callers(void **state)
{
	struct scene *x = *state;
	struct prs_call *run;
	uint64_t n = 1000000;

	begin(x);
	prec_header(&x->r)->pair_ticks = 60;
	prec_header(&x->r)->own_ticks = 20;
	run = call(x, MAIN_RUN, NULL, 1, 1, SECOND / 2, n * 120);
	call(x, RUN_STEP, run, n, n, 120, 0);
	make(x);
	/* Of 120 ticks a call has 100; the other 40 of each pair lie in run, beside its own 20. */
	near(node(&x->p, "main run step")->self_ns, 0.5 * 100 * (double)n);
	near(node(&x->p, "main run")->self_ns, 0.5 * ((double)SECOND / 2 - 160.0 * (double)n - 20));
	near(node(&x->p, "main [recording]")->self_ns, 0.5 * (60.0 * (double)n + 60));
	near(x->s.probe_ns, node(&x->p, "main [recording]")->self_ns);
	check_whole(x);
}

static void without_a_known_cost_nothing_comes_off(void **state)
{
	struct scene *x = *state;
	struct prs_call *run;

	begin(x);
	run = call(x, MAIN_RUN, NULL, 1, 1, SECOND / 2, 120000);
	call(x, RUN_STEP, run, 1000, 1000, 120, 0);
	make(x);
	near(node(&x->p, "main run step")->self_ns, 60000);
	near(x->s.probe_ns, 0);
	check_whole(x);
}

static void what_a_sampled_call_does_hangs_below_it(void **state)
{
	struct scene *x = *state;
	struct prs_call *run;

	begin(x);
	prec_header(&x->r)->clock_ticks = 0;
	run = call(x, MAIN_RUN, NULL, 1, 1, SECOND / 2, 1000 * 400 + 1000 * 100);
	call(x, RUN_STEP, run, 64000, 1000, 400, 0);
	call(x, STEP_GET, run, 64000, 1000, 100, 0);
	make(x);
	near(node(&x->p, "main run step get")->self_ns, 0.5 * 64000 * 100);
	near(node(&x->p, "main run step")->self_ns, 0.5 * 64000 * 300);
	near(node(&x->p, "main run step")->total_ns, 0.5 * 64000 * 400);
	/* The timed ticks of get are in those of run's callees as well: they must not count twice. */
	near(node(&x->p, "main run")->total_ns, 0.5e9);
	check_whole(x);
}

static void estimates_of_a_recursion_fit_into_its_time(void **state)
{
	struct scene *x = *state;
	struct prs_call *step;

	begin(x);
	prec_header(&x->r)->clock_ticks = 0;
	step = call(x, MAIN_STEP, NULL, 1, 1, MS, 1000 * 50);
	call(x, STEP_STEP, step, 640000, 1000, 50, 0); /* 32 million ticks inside of 2 million */
	make(x);
	near(node(&x->p, "main step")->total_ns, 1e6);
	check_whole(x);
}

static void paths_that_were_not_kept_are_counted(void **state)
{
	struct scene *x = *state;
	struct prs_call *run, *step;

	begin(x);
	run = call(x, MAIN_RUN, NULL, 1, 1, SECOND / 2, 100 * MS);
	step = call(x, RUN_STEP, run, 7, 7, 10 * MS, 0);
	step->flags = PRS_CALL_OVERFLOW;
	step->parent_record = PRS_PARENT_MANY;
	make(x);
	assert_int_equal(x->p.lost, 7);
	assert_int_equal(node(&x->p, "main [path not kept] step")->calls, 7);
	check_whole(x);
}

static void open_calls_have_the_time_up_to_the_end(void **state)
{
	struct scene *x = *state;
	unsigned char block[1024] = {0};
	struct prs_block head = {.depth = 1, .open_max = 1, .open = sizeof(block)};
	struct prs_open open = {.start = T0 + SECOND / 4, .child = SECOND / 8, .site = MAIN_RUN};
	struct prs_call *run;
	uint64_t at;

	begin(x);
	memcpy(block, &head, sizeof(head));
	at = x->r.file.len + PRS_PAGE_BYTES + sizeof(struct prs_chunk);
	open.record = (uint32_t)(at / 64);
	memcpy(block + sizeof(block) - sizeof(open), &open, sizeof(open));
	prec_chunk(&x->r, PRS_CHUNK_BLOCK, 0, block, sizeof(block), 1, 1);
	run = call(x, MAIN_RUN, NULL, 1, 0, 0, 0);
	run->min = UINT64_MAX;
	call(x, RUN_STEP, run, 1, 1, SECOND / 8, 0);
	/* The thread's block is the chunk behind its entry. */
	((struct prs_thread *)(void *)(x->r.file.s + 3 * PRS_PAGE_BYTES + sizeof(struct prs_chunk)))->block =
		x->r.file.len - PRS_PAGE_BYTES;
	((struct prs_chunk *)(void *)(x->r.file.s + x->r.file.len - PRS_PAGE_BYTES))->entry_bytes = 0;
	make(x);
	assert_int_equal(node(&x->p, "main run")->open, 1);
	near(node(&x->p, "main run")->total_ns, 0.75e9);
	near(node(&x->p, "main run")->self_ns, 0.625e9);
	check_whole(x);
}

/* A thread that ran for @cpu_ms: run calls step 100 times, and takes 8 ms a call where it was interrupted. */
static void call_under_load(struct scene *x, uint64_t cpu_ms, uint64_t own_ms)
{
	struct prs_thread *t;
	struct prs_call *run, *step;
	uint64_t step_sum = 98 * MS + 2 * 5 * MS, one = (1 + own_ms) * MS;

	begin(x);
	prec_header(&x->r)->switch_kind = PRS_SWITCH_RSEQ;
	prec_header(&x->r)->purpose = PRS_PURPOSE_TIMING;
	t = (void *)(x->r.file.s + 3 * PRS_PAGE_BYTES + sizeof(struct prs_chunk));
	t->switches = 50;
	t->cpu_start_ns = 1;
	t->cpu_end_ns = 1 + cpu_ms * 1000000;
	run = call(x, MAIN_RUN, NULL, 100, 100, one, step_sum);
	run->switched = 40;
	run->switched_ticks = 40 * 8 * MS;
	run->sum = 60 * one + run->switched_ticks;
	step = call(x, RUN_STEP, run, 100, 100, MS, 0);
	step->switched = 2;
	step->switched_ticks = 10 * MS;
	step->sum = step_sum;
	make(x);
}

static void a_caller_does_not_get_the_time_in_line_for_a_core(void **state)
{
	struct scene *x = *state;

	call_under_load(x, 100, 0);
	assert_true(node(&x->p, "main run")->self_ns < 0.002e9);
	near(node(&x->p, "main run step")->self_ns, 0.108e9);
	assert_true(x->s.line_ns > 0.269e9);
	check_whole(x);
}

static void a_caller_in_line_keeps_what_it_does_itself(void **state)
{
	struct scene *x = *state;

	call_under_load(x, 300, 2);
	near(node(&x->p, "main run")->self_ns, 0.216e9); /* slowed down as step was, 108 for 100 ms */
	check_whole(x);
}

static void a_thread_that_had_its_core_keeps_the_times_of_the_clock(void **state)
{
	struct scene *x = *state;

	call_under_load(x, 950, 0);
	near(node(&x->p, "main run")->self_ns, 0.272e9);
	near(x->s.line_ns, 0);
	check_whole(x);
}

/*
 * A thread that had a core for 50 ms of its second calls step a million times; of the thousand timed
 * calls one lost its core for 500 ms, the others took @each ticks.
 */
static void short_calls_under_load(struct scene *x, uint64_t each)
{
	struct prs_thread *t;
	struct prs_call *step;

	begin(x);
	prec_header(&x->r)->switch_kind = PRS_SWITCH_RSEQ;
	prec_header(&x->r)->purpose = PRS_PURPOSE_TIMING;
	prec_header(&x->r)->quantum_ticks = 100; /* 50 ns */
	t = (void *)(x->r.file.s + 3 * PRS_PAGE_BYTES + sizeof(struct prs_chunk));
	t->switches = 50;
	t->cpu_start_ns = 1;
	t->cpu_end_ns = 1 + 50 * 1000000;
	step = call(x, MAIN_STEP, NULL, 1000000, 1000, each, 0);
	step->switched = 1;
	step->switched_ticks = 500 * MS;
	step->sum = 999 * each + step->switched_ticks;
	step->max = step->switched_ticks;
	step->hist[prs_hist_index(each)]--;
	step->hist[prs_hist_index(step->max)]++;
	make(x);
}

static bool notes_say(const struct scene *x, const char *what)
{
	struct report_view view = {.rows = 20};
	struct strbuf out = STRBUF_INIT;
	bool says;

	text_notes(&x->s, &view, &out);
	says = strstr(out.s, what) != NULL;
	strbuf_release(&out);
	return says;
}

static void a_lost_core_in_one_of_few_timed_calls_is_in_line(void **state)
{
	struct scene *x = *state;

	short_calls_under_load(x, 40);
	near(node(&x->p, "main step")->self_ns,
	     0.011009e9); /* 11 ns a call, as 40 to 48 ticks less the clock */
	assert_true(x->s.line_ns > 0.48e9);
	assert_true(notes_say(x, "step: 1,000,000 calls too short for the clock"));
	check_whole(x);
}

static void estimates_fit_into_the_cpu_time(void **state)
{
	struct scene *x = *state;

	short_calls_under_load(x, 400); /* a million of 200 ns would be 200 ms */
	assert_true(node(&x->p, "main step")->self_ns < 0.052e9);
	assert_false(notes_say(x, "too short for the clock"));
	assert_true(notes_say(x, "calls of less than 500 ns may take 50.0 ns more than told"));
	check_whole(x);
}

static void turned_round_functions_show_their_callers(void **state)
{
	struct scene *x = *state;
	struct prs_call *run;

	begin(x);
	run = call(x, MAIN_RUN, NULL, 1, 1, 800 * MS, 600 * MS);
	call(x, RUN_STEP, run, 3, 3, 200 * MS, 0);
	call(x, MAIN_STEP, NULL, 1, 1, 100 * MS, 0);
	make(x);
	near(node(&x->turned, "step")->self_ns, 0.7e9);
	assert_int_equal(node(&x->turned, "step")->calls, 4);
	near(node(&x->turned, "step run")->self_ns, 0.6e9);
	near(node(&x->turned, "step run main")->self_ns, 0.6e9);
	near(node(&x->turned, "step main")->self_ns, 0.1e9);
	assert_int_equal(node(&x->turned, "step run")->line, 41);
}

static void folded_stacks_add_up_to_the_run(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;
	struct prs_call *run;
	struct prs_event e = {.begin = T0,
			      .end = T0 + 100 * MS,
			      .kind = PRS_EV_JOIN,
			      .other = PRS_NO_THREAD,
			      .site = MAIN_JOIN,
			      .visit = 1};

	begin(x);
	prec_chunk(&x->r, PRS_CHUNK_EVENT, 0, &e, sizeof(e), 1, 1);
	run = call(x, MAIN_RUN, NULL, 1, 1, 800 * MS, 600 * MS);
	call(x, RUN_STEP, run, 3, 3, 200 * MS, 0);
	call(x, MAIN_JOIN, NULL, 1, 1, 100 * MS, 0);
	make(x);
	report_paths_folded(&x->p, &out);
	assert_string_equal(out.s, "main 100000000\n"
				   "main;run 200000000\n"
				   "main;run;step 600000000\n"
				   "main;pthread_join;[waiting] 100000000\n");
	strbuf_release(&out);
}

static void times_below_the_clocks_step_are_not_shown(void **state)
{
	struct scene *x = *state;
	struct report_view view = {.rows = 20};
	struct strbuf out = STRBUF_INIT;

	begin(x);
	prec_header(&x->r)->quantum_ticks = 100; /* 50 ns */
	call(x, MAIN_STEP, NULL, 3000000, 3000000, 90, 0);
	call(x, MAIN_RUN, NULL, 1, 1, 400, 0);
	make(x);
	report_paths_text(&x->p, &view, &out);
	assert_non_null(strstr(out.s, "3,000,000  < 50 ns  < 50 ns  < 50 ns    step"));
	out.len = 0;
	report_paths_json(&x->p, &view, &out);
	assert_non_null(strstr(out.s, "\"p50_ns\": null"));
	assert_non_null(strstr(out.s, "\"p50_ns\": 2"));
	strbuf_release(&out);
}

static void old_records_have_no_paths(void **state)
{
	struct scene *x = *state;
	struct err err = ERR_INIT;

	begin(x);
	prec_header(&x->r)->minor = 0;
	prec_save(&x->r, x->dir);
	assert_int_equal(run_open(&x->run, x->dir, &err), 0);
	report_summarise(&x->s, &x->run);
	x->open = true;
	assert_int_equal(report_paths_make(&x->p, &x->s, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "no call paths"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(calls_hang_below_their_callers),
		T(probes_come_off_calls_and_their_callers),
		T(without_a_known_cost_nothing_comes_off),
		T(what_a_sampled_call_does_hangs_below_it),
		T(estimates_of_a_recursion_fit_into_its_time),
		T(paths_that_were_not_kept_are_counted),
		T(open_calls_have_the_time_up_to_the_end),
		T(a_caller_does_not_get_the_time_in_line_for_a_core),
		T(a_caller_in_line_keeps_what_it_does_itself),
		T(a_thread_that_had_its_core_keeps_the_times_of_the_clock),
		T(a_lost_core_in_one_of_few_timed_calls_is_in_line),
		T(estimates_fit_into_the_cpu_time),
		T(turned_round_functions_show_their_callers),
		T(folded_stacks_add_up_to_the_run),
		T(times_below_the_clocks_step_are_not_shown),
		T(old_records_have_no_paths),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
