/* SPDX-License-Identifier: MIT */
/* Where the time went, on records whose every tick is known.  1 tick is 0.5 ns. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/summary.h"
#include "report/waits/waits.h"
#include "tests/unit/record/build.h"

#define T0      1000ull
#define SECOND  2000000000ull /* ticks */
#define N_SITES 7

enum { MAIN_RUN, RUN_WORK, WORK_SIN, RUN_LOCK, MAIN_JOIN, WORKER_BARRIER, MAIN_POLL };

static const char sites_text[] =
	"U\t1\t00000000000000aa\t7\t0\tGNU C17 12\tprog.c\t-\n"
	"F\t0\tsrc/prog.c\n"
	"F\t1\t/usr/include/c++/12/mutex\n"
	"N\t0\tmain\tmain\t0\t50\n"
	"N\t1\trun\trun\t0\t40\n"
	"N\t2\t_Z4workv\twork()\t0\t30\n"
	"N\t3\tworker\tworker\t0\t20\n"
	"N\t4\t_ZNSt5mutex4lockEv\tstd::mutex::lock\t1\t99\n"
	"C\t0\t000000000000000a\t00000000\t0\trun\t0\t51\t1\t0\t-\t-\n"
	"C\t1\t000000000000000b\t00000000\t1\t_Z4workv\t0\t41\t1\t0\t-\t-\n"
	"C\t2\t000000000000000c\t00000000\t2\tsin\t0\t31\t1\t0\t-\t-\n"
	"C\t3\t000000000000000d\t0000beef\t4\tpthread_mutex_lock\t1\t100\t1\t0\twait\t"
	"run:44>_ZNSt10lock_guardISt5mutexEC2ERS0_:229\n"
	"C\t4\t000000000000000e\t00000000\t0\tpthread_join\t0\t52\t1\t0\twait\t-\n"
	"C\t5\t000000000000000f\t00000000\t3\tpthread_barrier_wait\t0\t21\t1\t0\twait\t-\n"
	"C\t6\t0000000000000010\t00000000\t0\tpoll\t0\t60\t1\t0\twait\t-\n"
	"G\tpool\tstruct pool\t128\t0\t3\n"
	"T\tstruct pool\t64\tsize:0:8\tlock.__data.__lock:8:4\n"
	"S\tcall\tnaked\t0\tf\t0\t5\n"
	"Z\t00000000000000aa\n";
static const char symbols_text[] = "400100 40 T worker\n400800 80 B pool\n";

static struct prs_call call(uint32_t site, uint32_t parent, uint64_t calls, uint64_t timed, uint64_t each,
			    uint64_t child)
{
	struct prs_call c = {.site = site,
			     .parent = parent,
			     .count = calls,
			     .timed = timed,
			     .sum = timed * each,
			     .min = each,
			     .max = each,
			     .child = child,
			     .period = 1};

	c.hist[prs_hist_index(each)] = (uint32_t)timed;
	return c;
}

static struct prs_event wait_event(uint32_t kind, uint64_t begin, uint64_t ticks, uint64_t object,
				   uint32_t site)
{
	return (struct prs_event){.begin = T0 + begin,
				  .end = T0 + begin + ticks,
				  .kind = kind,
				  .object = object,
				  .other = PRS_NO_THREAD,
				  .site = site,
				  .visit = 1};
}

struct scene {
	char *dir;
	struct prec r;
	struct run run;
	struct report_summary s;
	bool open;
};

static void begin_scene(struct scene *x, uint32_t n_threads)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = N_SITES, .base = 256};
	struct prs_thread t[3] = {
		{.index = 0,
		 .creator = PRS_NO_THREAD,
		 .create_site = PRS_NO_SITE,
		 .start_tsc = T0,
		 .end_tsc = T0 + SECOND},
		{.index = 1,
		 .create_site = PRS_NO_SITE,
		 .start_tsc = T0,
		 .end_tsc = T0 + SECOND,
		 .start_routine = 0x400100},
		{.index = 2,
		 .create_site = PRS_NO_SITE,
		 .start_tsc = T0,
		 .end_tsc = T0 + SECOND,
		 .start_routine = 0x700000},
	};

	prec_start(&x->r, 100);
	prec_chunk(&x->r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_THREAD, PRS_NO_THREAD, t, sizeof(t[0]), n_threads, 1);
	prec_header(&x->r)->n_calls = N_SITES;
	prec_header(&x->r)->clock_ticks = 20;
	build_manifest(x->dir, "exited", 0, sites_text);
	build_write(x->dir, "modules/" BUILD_BUILD_ID ".symbols", symbols_text, strlen(symbols_text));
}

static void add_calls(struct scene *x, uint32_t thread, const struct prs_call *c, uint64_t n)
{
	prec_chunk(&x->r, PRS_CHUNK_CALL, thread, c, sizeof(*c), n, 1);
}

static void add_events(struct scene *x, uint32_t thread, const struct prs_event *e, uint64_t n)
{
	prec_chunk(&x->r, PRS_CHUNK_EVENT, thread, e, sizeof(*e), n, 1);
}

static void summarise(struct scene *x)
{
	struct err err = ERR_INIT;

	prec_save(&x->r, x->dir);
	if (run_open(&x->run, x->dir, &err))
		fail_msg("%s", err.msg);
	report_summarise(&x->s, &x->run);
	x->open = true;
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

	if (x->open) {
		report_summary_release(&x->s);
		run_close(&x->run);
	}
	build_remove(x->dir);
	free(x);
	return 0;
}

static const struct report_function *function(const struct report_summary *s, const char *asm_name)
{
	for (size_t i = 0; i < s->n_functions; i++)
		if (!strcmp(s->functions[i].asm_name, asm_name))
			return &s->functions[i];
	fail_msg("no function %s", asm_name);
	return NULL;
}

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-6 * fabs(want) + 1)
		fail_msg("got %.3f ns, expected %.3f ns", got, want);
}

static void self_time_is_total_less_calls_inside(void **state)
{
	struct scene *x = *state;
	struct prs_call c[3] = {
		call(MAIN_RUN, PRS_NO_SITE, 1, 1, SECOND / 2, SECOND / 4),
		call(RUN_WORK, MAIN_RUN, 10, 10, SECOND / 40, SECOND / 10),
		call(WORK_SIN, RUN_WORK, 100, 100, SECOND / 1000, 0),
	};

	begin_scene(x, 1);
	add_calls(x, 0, c, 3);
	summarise(x);
	near(x->s.thread_ns, 1e9);
	near(function(&x->s, "run")->self_ns, 0.25e9);
	near(function(&x->s, "run")->total_ns, 0.5e9);
	near(function(&x->s, "_Z4workv")->self_ns, 0.15e9);
	near(function(&x->s, "sin")->self_ns, 0.1e9);
	near(function(&x->s, "main")->self_ns, 0.5e9); /* what no call accounts for */
	assert_true(function(&x->s, "main")->starts);
	assert_string_equal(function(&x->s, "_Z4workv")->name, "work()");
	assert_true(function(&x->s, "sin")->at_call);
	assert_int_equal(function(&x->s, "sin")->line, 31); /* of the call: it is defined elsewhere */
	assert_int_equal(function(&x->s, "run")->line, 40); /* of the definition */
}

static void parts_add_up_to_the_whole(void **state)
{
	struct scene *x = *state;
	struct prs_call c[2] = {
		call(MAIN_RUN, PRS_NO_SITE, 3, 3, SECOND / 10, 0),
		call(MAIN_JOIN, PRS_NO_SITE, 1, 1, SECOND / 2, 0),
	};
	struct prs_event e = wait_event(PRS_EV_JOIN, SECOND / 4, SECOND / 2, 77, MAIN_JOIN);

	begin_scene(x, 3);
	add_calls(x, 0, c, 2);
	add_events(x, 0, &e, 1);
	summarise(x);
	near(x->s.thread_ns, 3e9);
	near(x->s.function_ns + x->s.wait_ns + x->s.outside_ns, 3e9);
	near(x->s.wait_ns, 0.5e9);
	near(function(&x->s, "pthread_join")->self_ns, 0);
	near(function(&x->s, "worker")->self_ns, 1e9);
	near(x->s.outside_ns, 1e9); /* thread 2 starts in code without probes and calls nothing */
}

static void untimed_calls_are_charged_at_the_mean_and_taken_off_the_caller(void **state)
{
	struct scene *x = *state;
	struct prs_call c[2] = {
		call(MAIN_RUN, PRS_NO_SITE, 1, 1, 1000000, 100 * 120),
		call(RUN_WORK, MAIN_RUN, 1000, 100, 120, 0),
	};

	begin_scene(x, 1);
	add_calls(x, 0, c, 2);
	summarise(x);
	/* 100 timed ones at 120 ticks, 900 at 120 less the 20 of a clock read */
	near(function(&x->s, "_Z4workv")->self_ns, 0.5 * (100 * 120 + 900 * 100));
	near(function(&x->s, "run")->self_ns, 0.5 * (1000000 - 100 * 120 - 900 * 100));
	assert_int_equal(function(&x->s, "_Z4workv")->calls, 1000);
	assert_int_equal(function(&x->s, "_Z4workv")->timed, 100);
}

static void one_interrupted_call_is_not_multiplied(void **state)
{
	struct scene *x = *state;
	struct prs_call c = call(MAIN_RUN, PRS_NO_SITE, 6400, 99, 150, 0);

	c.timed++;
	c.sum += SECOND / 100;
	c.max = SECOND / 100;
	c.hist[prs_hist_index(c.max)]++;
	begin_scene(x, 1);
	add_calls(x, 0, &c, 1);
	summarise(x);
	/* 10 ms interrupted once, and 6400 calls of about 75 ns: not 64 times 10 ms */
	assert_true(function(&x->s, "run")->self_ns < 11.0e6);
	assert_true(function(&x->s, "run")->self_ns > 10.0e6);
}

static void estimates_never_exceed_the_life_of_the_thread(void **state)
{
	struct scene *x = *state;
	struct prs_call c[2] = {
		call(MAIN_RUN, PRS_NO_SITE, 100, 100, SECOND / 50, 0),
		call(RUN_WORK, PRS_NO_SITE, 100, 100, SECOND / 50, 0),
	};

	begin_scene(x, 1);
	add_calls(x, 0, c, 2);
	summarise(x);
	near(x->s.function_ns, 1e9);
	near(function(&x->s, "run")->self_ns, 0.5e9);
}

static void quantiles_are_right_within_an_eighth(void **state)
{
	uint64_t hist[PRS_HIST_BUCKETS] = {0};

	(void)state;
	assert_true(report_quantile(hist, 0.5, 0, 0) == 0);
	hist[prs_hist_index(1024)] = 100; /* 1024 to 1280 */
	assert_true(report_quantile(hist, 0.5, 0, 1e9) == 1024 + 128);
	assert_true(report_quantile(hist, 0.5, 1200, 1250) == 1200);  /* the minimum is exact */
	assert_true(report_quantile(hist, 0.99, 1024, 1100) == 1100); /* so is the maximum */
	for (uint64_t t = 40; t < 100000000; t += 1 + t / 77) {
		uint64_t one[PRS_HIST_BUCKETS] = {0};

		one[prs_hist_index(t)] = 3;
		assert_true(fabs(report_quantile(one, 0.9, 0, 1e18) - (double)t) <= 0.125 * (double)t);
	}
}

static void lock_in_a_header_is_placed_in_the_program(void **state)
{
	struct scene *x = *state;
	struct prs_call c = call(RUN_LOCK, PRS_NO_SITE, 1, 1, SECOND / 4, 0);
	struct prs_event e = wait_event(PRS_EV_MUTEX, 0, SECOND / 4, 0x400800 + 64 + 8, RUN_LOCK);

	begin_scene(x, 1);
	add_calls(x, 0, &c, 1);
	add_events(x, 0, &e, 1);
	summarise(x);
	assert_int_equal(x->s.n_waits, 1);
	assert_string_equal(x->s.waits[0].object, "pool[1].lock");
	assert_string_equal(x->s.waits[0].file, "src/prog.c");
	assert_int_equal(x->s.waits[0].line, 44);
	assert_string_equal(x->s.waits[0].who, "main");
	near(x->s.waits[0].ns, 0.25e9);
}

static void barrier_names_the_one_that_came_last(void **state)
{
	struct scene *x = *state;
	struct prs_event early = wait_event(PRS_EV_BARRIER, 100, 900, 0x900000, WORKER_BARRIER);
	struct prs_event late = wait_event(PRS_EV_BARRIER, 999, 1, 0x900000, WORKER_BARRIER);

	begin_scene(x, 2);
	add_events(x, 0, &late, 1);
	add_events(x, 1, &early, 1);
	summarise(x);
	assert_string_equal(x->s.waits[0].who, "worker");
	assert_string_equal(x->s.waits[0].whom, "main");
	assert_null(x->s.waits[0].object);
	assert_string_equal(report_wait_kind(x->s.waits[0].kind), "barrier");
}

static void call_that_blocks_in_the_kernel_is_waiting(void **state)
{
	struct scene *x = *state;
	struct prs_call c = call(MAIN_POLL, PRS_NO_SITE, 3, 3, SECOND / 8, 0);

	begin_scene(x, 1);
	add_calls(x, 0, &c, 1);
	summarise(x);
	near(x->s.wait_ns, 0.375e9);
	near(function(&x->s, "poll")->self_ns, 0);
	assert_int_equal(x->s.n_waits, 1);
	assert_string_equal(x->s.waits[0].object, "poll");
	assert_int_equal(x->s.waits[0].count, 3);
	near(x->s.function_ns + x->s.wait_ns + x->s.outside_ns, 1e9);
}

static void lock_that_did_not_wait_is_work(void **state)
{
	struct scene *x = *state;
	struct prs_call c = call(RUN_LOCK, PRS_NO_SITE, 3, 3, SECOND / 8, 0);

	begin_scene(x, 1);
	add_calls(x, 0, &c, 1);
	summarise(x);
	near(x->s.wait_ns, 0);
	near(function(&x->s, "pthread_mutex_lock")->self_ns, 0.375e9);
}

static void events_that_are_no_waits_are_not_listed(void **state)
{
	struct scene *x = *state;
	struct prs_event e[3] = {
		wait_event(PRS_EV_CREATE, 0, 500, 0, MAIN_RUN),
		wait_event(PRS_EV_SIGNAL_COND, 0, 500, 0, MAIN_RUN),
		wait_event(PRS_EV_MUTEX, 900, 0, 5, MAIN_RUN),
	};

	begin_scene(x, 1);
	add_events(x, 0, e, 3);
	summarise(x);
	assert_int_equal(x->s.n_waits, 0);
	near(x->s.wait_ns, 0);
}

static void wait_ids_do_not_depend_on_addresses_or_times(void **state)
{
	struct scene *x = *state;
	struct prs_event e = wait_event(PRS_EV_MUTEX, 0, 1000, 0x7f0000001000, MAIN_RUN);
	char id[sizeof(x->s.waits[0].id)];

	begin_scene(x, 1);
	add_events(x, 0, &e, 1);
	summarise(x);
	strcpy(id, x->s.waits[0].id);
	report_summary_release(&x->s);
	run_close(&x->run);
	e = wait_event(PRS_EV_MUTEX, 5000, 700, 0x7f0000005000, MAIN_RUN);
	begin_scene(x, 1);
	add_events(x, 0, &e, 1);
	summarise(x);
	assert_string_equal(x->s.waits[0].id, id);
}

static void summary_of(struct scene *x, struct strbuf *out)
{
	struct err err = ERR_INIT;

	assert_int_equal(report_summary_text(&x->run, out, &err), 0);
}

static size_t count_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void summary_fits_on_fifteen_lines_and_trusts_a_good_run(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;
	struct prs_call c[5];
	struct prs_event e[3] = {
		wait_event(PRS_EV_JOIN, 0, SECOND / 4, 1, MAIN_JOIN),
		wait_event(PRS_EV_MUTEX, SECOND / 2, SECOND / 8, 2, RUN_LOCK),
		wait_event(PRS_EV_SLEEP, SECOND / 2, SECOND / 16, 3, MAIN_RUN),
	};

	for (uint32_t i = 0; i < 5; i++)
		c[i] = call(i, PRS_NO_SITE, 5, 5, SECOND / 40, 0);
	begin_scene(x, 3);
	add_calls(x, 0, c, 5);
	add_events(x, 0, e, 3);
	summarise(x);
	summary_of(x, &out);
	assert_true(count_lines(out.s) <= 15);
	assert_non_null(strstr(out.s, "trust     good: 7 of 7 sites registered, nothing lost"));
	assert_non_null(strstr(out.s, "\nwaits     wait-"));
	assert_non_null(strstr(out.s, "perseus record --purpose=sharing prog"));
	assert_null(strstr(out.s, "inflated"));
	strbuf_release(&out);
}

static void losses_and_missing_sites_limit_the_trust(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;

	begin_scene(x, 1);
	prec_header(&x->r)->lost_events = 1234;
	prec_header(&x->r)->lost_threads = 2;
	summarise(x);
	summary_of(x, &out);
	assert_non_null(strstr(out.s, "trust     limited:"));
	assert_non_null(strstr(out.s, "1,234 events lost, 2 threads lost"));
	assert_non_null(strstr(out.s, "perseus record --limit-mb=N"));
	assert_null(strstr(out.s, "--block-us"));
	strbuf_release(&out);
}

/* Each kind of loss has a remedy of its own: room for the one is none for the other. */
static void lost_events_ask_for_a_shorter_run(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;

	begin_scene(x, 1);
	prec_header(&x->r)->lost_events = 3;
	summarise(x);
	summary_of(x, &out);
	assert_non_null(strstr(out.s, "trust     limited:"));
	assert_non_null(strstr(out.s, "record a shorter run"));
	assert_null(strstr(out.s, "--limit-mb"));
	strbuf_release(&out);
}

static void lost_log_entries_ask_for_a_higher_threshold(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;

	begin_scene(x, 1);
	prec_header(&x->r)->lost_blocks = 3;
	prec_header(&x->r)->block_ticks = 40000; /* 20 us */
	summarise(x);
	summary_of(x, &out);
	assert_non_null(strstr(out.s, "trust     limited:"));
	assert_non_null(strstr(out.s, "perseus record --block-us=200 "));
	assert_null(strstr(out.s, "shorter run"));
	strbuf_release(&out);
}

static void sharing_run_is_labelled_inflated_and_points_to_conflicts(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;
	struct prs_line l[3] = {
		{.line = 5, .from_modified = 10, .kind = PRS_KIND_STORE},
		{.line = 5, .from_modified = 7, .kind = PRS_KIND_LOAD},
		{.line = 6, .misses = 1, .kind = PRS_KIND_LOAD}, /* did not move */
	};

	begin_scene(x, 2);
	prec_header(&x->r)->purpose = PRS_PURPOSE_SHARING;
	prec_header(&x->r)->n_mems = 1;
	prec_chunk(&x->r, PRS_CHUNK_LINE, 1, l, sizeof(l[0]), 3, 1);
	summarise(x);
	summary_of(x, &out);
	assert_int_equal(x->s.lines, 1);
	assert_int_equal(x->s.transfers, 17);
	assert_non_null(strstr(out.s, "inflated"));
	assert_non_null(strstr(out.s, "1 cache line moved between threads, 17 times"));
	assert_non_null(strstr(out.s, "perseus conflicts"));
	strbuf_release(&out);
}

static void killed_run_is_summarised_as_incomplete(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;

	begin_scene(x, 1);
	prec_header(&x->r)->state = PRS_REC_RUNNING;
	build_manifest(x->dir, "killed", SIGKILL, sites_text);
	summarise(x);
	summary_of(x, &out);
	assert_non_null(strstr(out.s, "trust     incomplete: the program was killed by SIGKILL"));
	strbuf_release(&out);
}

static void json_holds_what_the_text_says(void **state)
{
	struct scene *x = *state;
	struct report_view view = {.rows = 1, .sort = REPORT_BY_CALLS};
	struct strbuf out = STRBUF_INIT;
	struct prs_call c[2] = {
		call(MAIN_RUN, PRS_NO_SITE, 1, 1, SECOND / 2, 0),
		call(WORK_SIN, PRS_NO_SITE, 900, 900, 100, 0),
	};

	begin_scene(x, 1);
	add_calls(x, 0, c, 2);
	summarise(x);
	report_json(&x->s, &view, &out);
	assert_non_null(strstr(out.s, "\"schema\": 1"));
	assert_non_null(strstr(out.s, "\"name\": \"sin\""));
	assert_null(strstr(out.s, "\"name\": \"run\"")); /* one row was asked for */
	assert_non_null(strstr(out.s, "\"calls\": 900"));
	strbuf_release(&out);
}

/* One thread of a second that used @cpu_ns when it was last read, and the text of the summary. */
static void cpu_scene(struct scene *x, bool ended, uint64_t cpu_ns, struct strbuf *out)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = N_SITES, .base = 256};
	struct prs_thread t = {.creator = PRS_NO_THREAD,
			       .create_site = PRS_NO_SITE,
			       .start_tsc = T0,
			       .end_tsc = ended ? T0 + SECOND : 0,
			       .cpu_start_ns = 1000,
			       .cpu_end_ns = 1000 + cpu_ns};
	struct prs_call c = call(MAIN_RUN, PRS_NO_SITE, 1, 1, SECOND / 2, 0);
	struct err err = ERR_INIT;

	prec_start(&x->r, 100);
	prec_chunk(&x->r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &t, sizeof(t), 1, 1);
	prec_header(&x->r)->n_calls = N_SITES;
	prec_header(&x->r)->state = ended ? PRS_REC_CLOSED : PRS_REC_RUNNING;
	build_manifest(x->dir, ended ? "exited" : "killed", ended ? 0 : SIGKILL, sites_text);
	build_write(x->dir, "modules/" BUILD_BUILD_ID ".symbols", symbols_text, strlen(symbols_text));
	add_calls(x, 0, &c, 1);
	summarise(x);
	if (report_summary_text(&x->run, out, &err))
		fail_msg("%s", err.msg);
}

static void standing_in_line_is_said_where_the_cpu_time_is_known(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;

	cpu_scene(x, true, 250000000, &out);
	assert_true(x->s.threads[0].cpu_known);
	assert_non_null(strstr(out.s, "on a core 25 % of the time"));
	strbuf_release(&out);
}

static void killed_thread_has_no_cpu_time_to_speak_of(void **state)
{
	struct scene *x = *state;
	struct strbuf out = STRBUF_INIT;

	cpu_scene(x, false, 1000, &out);
	assert_false(x->s.threads[0].cpu_known);
	assert_null(strstr(out.s, "on a core"));
	strbuf_release(&out);
	report_json(&x->s, &(struct report_view){.rows = 5}, &out);
	assert_non_null(strstr(out.s, "\"cpu_ns\": null"));
	strbuf_release(&out);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(self_time_is_total_less_calls_inside),
		T(parts_add_up_to_the_whole),
		T(standing_in_line_is_said_where_the_cpu_time_is_known),
		T(killed_thread_has_no_cpu_time_to_speak_of),
		T(untimed_calls_are_charged_at_the_mean_and_taken_off_the_caller),
		T(one_interrupted_call_is_not_multiplied),
		T(estimates_never_exceed_the_life_of_the_thread),
		T(quantiles_are_right_within_an_eighth),
		T(lock_in_a_header_is_placed_in_the_program),
		T(barrier_names_the_one_that_came_last),
		T(call_that_blocks_in_the_kernel_is_waiting),
		T(lock_that_did_not_wait_is_work),
		T(events_that_are_no_waits_are_not_listed),
		T(wait_ids_do_not_depend_on_addresses_or_times),
		T(summary_fits_on_fifteen_lines_and_trusts_a_good_run),
		T(losses_and_missing_sites_limit_the_trust),
		T(lost_events_ask_for_a_shorter_run),
		T(lost_log_entries_ask_for_a_higher_threshold),
		T(sharing_run_is_labelled_inflated_and_points_to_conflicts),
		T(killed_run_is_summarised_as_incomplete),
		T(json_holds_what_the_text_says),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
