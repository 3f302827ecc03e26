/* SPDX-License-Identifier: MIT */
/* Critical paths that are known by construction.  1 tick is 0.5 ns; times are in ms. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/critical/critical.h"
#include "report/summary.h"
#include "tests/unit/record/build.h"

#define T0      1000ull
#define MS      2000000ull /* ticks */
#define LOCK    0x400800
#define N_SITES 4
#define THREADS 4

enum { MAIN_JOIN, WORKER_WORK, WORKER_LOCK, WORKER_MORE };

static const char sites_text[] =
	"U\t1\t00000000000000aa\t4\t0\tGNU C17 12\tprog.c\t-\n"
	"F\t0\tsrc/prog.c\n"
	"N\t0\tmain\tmain\t0\t50\n"
	"N\t1\tworker\tworker\t0\t20\n"
	"C\t0\t000000000000000a\t00000000\t0\tpthread_join\t0\t52\t1\t0\twait\t-\n"
	"C\t1\t000000000000000b\t00000000\t1\twork\t0\t21\t1\t0\t-\t-\n"
	"C\t2\t000000000000000c\t00000000\t1\tpthread_mutex_lock\t0\t22\t1\t0\twait\t-\n"
	"C\t3\t000000000000000d\t00000000\t1\twork\t0\t23\t1\t0\t-\t-\n"
	"Z\t00000000000000aa\n";
static const char symbols_text[] = "400100 40 T worker\n400800 80 B gate\n";

struct scene {
	char *dir;
	struct prec r;
	struct prs_thread threads[THREADS];
	struct prs_event events[THREADS][200];
	struct prs_log log[THREADS][8];
	size_t n_events[THREADS], n_log[THREADS];
	struct prs_wait taken[THREADS];
	struct run run;
	struct report_summary s;
	struct report_critical c;
	bool open, found;
};

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

	if (x->found)
		report_critical_release(&x->c);
	if (x->open) {
		report_summary_release(&x->s);
		run_close(&x->run);
	}
	build_remove(x->dir);
	free(x);
	return 0;
}

/* Thread @i lives from @begin to @end; all but 0 are made by 0. */
static void lives(struct scene *x, uint32_t i, uint64_t begin, uint64_t end)
{
	x->threads[i] = (struct prs_thread){.index = i,
					    .creator = i ? 0 : PRS_NO_THREAD,
					    .create_site = PRS_NO_SITE,
					    .create_tsc = T0 + begin * MS,
					    .start_tsc = T0 + begin * MS,
					    .end_tsc = T0 + end * MS,
					    .start_routine = i ? 0x400100 : 0,
					    .state = PRS_THREAD_EXITED};
}

static void event(struct scene *x, uint32_t i, uint32_t kind, uint64_t object, double begin, double end,
		  uint32_t other, int64_t value)
{
	x->events[i][x->n_events[i]++] =
		(struct prs_event){.begin = T0 + (uint64_t)(begin * (double)MS),
				   .end = T0 + (uint64_t)(end * (double)MS),
				   .kind = kind,
				   .object = object,
				   .other = other,
				   .site = kind == PRS_EV_JOIN ? MAIN_JOIN : WORKER_LOCK,
				   .visit = 1,
				   .value = value};
}

static void works(struct scene *x, uint32_t i, uint64_t begin, uint64_t end)
{
	x->log[i][x->n_log[i]++] = (struct prs_log){
		.end = T0 + end * MS, .ticks = (end - begin) * MS, .site = WORKER_WORK, .depth = 0};
}

/* It got the lock @n times and held it for @ms each time. */
static void holds(struct scene *x, uint32_t i, uint64_t n, uint64_t ms)
{
	x->taken[i] = (struct prs_wait){.object = LOCK,
					.count = n,
					.timed = n,
					.ticks = n * ms * MS,
					.max = ms * MS,
					.kind = PRS_EV_MUTEX,
					.flags = PRS_WAIT_TAKEN,
					.site = WORKER_LOCK,
					.other = PRS_NO_THREAD,
					.fd = -1};
}

static void put_thread(struct scene *x, uint32_t i)
{
	struct prs_wait w[201];
	size_t n = 0;

	for (size_t k = 0; k < x->n_events[i]; k++) {
		const struct prs_event *e = &x->events[i][k];

		if (run_is_wait(e->kind))
			w[n++] = (struct prs_wait){.object = e->object,
						   .count = 1,
						   .ticks = e->end - e->begin,
						   .max = e->end - e->begin,
						   .first = e->begin,
						   .last = e->end,
						   .kind = e->kind,
						   .site = e->site,
						   .other = e->other,
						   .fd = -1};
	}
	if (x->taken[i].count)
		w[n++] = x->taken[i];
	if (n)
		prec_chunk(&x->r, PRS_CHUNK_WAIT, i, w, sizeof(w[0]), n, 8);
	if (x->n_events[i])
		prec_chunk(&x->r, PRS_CHUNK_EVENT, i, x->events[i], sizeof(x->events[i][0]), x->n_events[i],
			   4);
	if (x->n_log[i])
		prec_chunk(&x->r, PRS_CHUNK_LOG, i, x->log[i], sizeof(x->log[i][0]), x->n_log[i], 1);
}

static int find(struct scene *x, uint32_t n_threads)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = N_SITES, .base = 256};
	struct err err = ERR_INIT;
	int ret;

	prec_start(&x->r, 100);
	prec_chunk(&x->r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_THREAD, PRS_NO_THREAD, x->threads, sizeof(x->threads[0]), n_threads, 1);
	for (uint32_t i = 0; i < n_threads; i++)
		put_thread(x, i);
	prec_header(&x->r)->n_calls = N_SITES;
	prec_header(&x->r)->seen = PRS_SEEN_WAITS;
	build_manifest(x->dir, "exited", 0, sites_text);
	build_write(x->dir, "modules/" BUILD_BUILD_ID ".symbols", symbols_text, strlen(symbols_text));
	prec_save(&x->r, x->dir);
	if (run_open(&x->run, x->dir, &err))
		fail_msg("%s", err.msg);
	report_summarise(&x->s, &x->run);
	x->open = true;
	ret = report_critical_make(&x->c, &x->s, &err);
	x->found = !ret;
	return ret;
}

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-3 * fabs(want) + 1e-3)
		fail_msg("got %.4f, expected %.4f", got, want);
}

static const struct crit_part *part(const struct crit_part *parts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(parts[i].name, name))
			return &parts[i];
	fail_msg("no %s", name);
	return NULL;
}

static const struct crit_gain *gain(const struct scene *x, const char *name)
{
	for (size_t i = 0; i < x->c.n_gains; i++)
		if (!strcmp(x->c.gains[i].name, name))
			return &x->c.gains[i];
	fail_msg("no gain of %s", name);
	return NULL;
}

static double of_thread(const struct scene *x, const char *name)
{
	return part(x->c.threads, x->c.n_threads, name)->ns / 1e6;
}

/* main makes two threads; one works for 300 ms, the other for 800. */
static void fork_join(struct scene *x, uint64_t first_end)
{
	lives(x, 0, 0, 1000);
	lives(x, 1, 100, first_end);
	lives(x, 2, 100, 900);
	event(x, 0, PRS_EV_JOIN, 1, 100, (double)first_end, 1, 0);
	event(x, 0, PRS_EV_JOIN, 2, (double)first_end, 900, 2, 0);
	works(x, 2, 200, 800);
}

static void steps_cover_the_run(const struct scene *x)
{
	double sum = 0;

	for (size_t i = 0; i < x->c.n_steps; i++) {
		sum += x->c.steps[i].end - x->c.steps[i].begin;
		if (i)
			near(x->c.steps[i].begin, x->c.steps[i - 1].end);
	}
	near(sum, x->c.ns);
	near(x->c.ns, 1e9);
}

static void a_fork_leads_through_the_longest_thread(void **state)
{
	struct scene *x = *state;

	fork_join(x, 400);
	assert_int_equal(find(x, 3), 0);
	steps_cover_the_run(x);
	near(of_thread(x, "main"), 200);
	near(of_thread(x, "worker 1"), 800);
	assert_int_equal(x->c.n_threads, 2);
	near(part(x->c.functions, x->c.n_functions, "work")->ns, 600e6);
	near(gain(x, "work")->low, 0.3);
	near(gain(x, "work")->high, 0.3);
	assert_int_equal(gain(x, "work")->line, 21);
}

/* With the other thread nearly as long there is less to gain, and the low end knows. */
static void what_if_knows_the_second_longest(void **state)
{
	struct scene *x = *state;

	fork_join(x, 850);
	assert_int_equal(find(x, 3), 0);
	near(gain(x, "work")->low, 0.05);
	near(gain(x, "work")->high, 0.3);
}

/* Called at two places, it is one function: it gets shorter in both. */
static void what_if_counts_a_function_once(void **state)
{
	struct scene *x = *state;

	fork_join(x, 400);
	x->n_log[2] = 0;
	works(x, 2, 200, 500);
	works(x, 2, 500, 800);
	x->log[2][1].site = WORKER_MORE;
	assert_int_equal(find(x, 4), 0);
	assert_int_equal(x->c.n_gains, 1);
	near(gain(x, "work")->low, 0.3);
	near(gain(x, "work")->high, 0.3);
	assert_null(gain(x, "work")->file);
}

static void a_barrier_leads_to_who_came_last(void **state)
{
	struct scene *x = *state;

	lives(x, 0, 0, 1000);
	lives(x, 1, 0, 1000);
	lives(x, 2, 0, 800);
	event(x, 0, PRS_EV_JOIN, 1, 0, 1000, 1, 0);
	event(x, 1, PRS_EV_BARRIER, 0x500000, 300, 700, PRS_NO_THREAD, 0);
	event(x, 2, PRS_EV_BARRIER, 0x500000, 699.9, 700, 2, 0);
	assert_int_equal(find(x, 3), 0);
	steps_cover_the_run(x);
	near(of_thread(x, "worker 1"), 699.9);
	near(of_thread(x, "worker 0"), 300.1);
	assert_string_equal(x->c.waits[0].name, "barrier");
	near(x->c.waits[0].behind_ns, 399.9e6);
}

/* Three threads get the lock in turns and hold it for 10 ms; they do nothing else. */
static void convoy(struct scene *x)
{
	lives(x, 0, 0, 1000);
	for (uint32_t i = 1; i <= 3; i++) {
		lives(x, i, 0, 1000);
		holds(x, i, 33, 10);
		event(x, 0, PRS_EV_JOIN, i, i == 1 ? 0 : 1000, 1000, i, 0);
	}
	for (uint32_t k = 1; k < 100; k++) {
		uint32_t holder = k % 3 + 1, since = k < 3 ? 0 : (k - 2) * 10;

		/* The one who held it when the wait began is not the one who gave it. */
		event(x, holder, PRS_EV_MUTEX, LOCK, since, k * 10, k < 3 ? 1 : (k - 2) % 3 + 1, 0);
	}
}

static void a_convoy_is_all_holds_of_its_lock(void **state)
{
	struct scene *x = *state;
	double behind = 0;

	convoy(x);
	assert_int_equal(find(x, 4), 0);
	steps_cover_the_run(x);
	for (size_t i = 0; i < x->c.n_waits; i++)
		if (x->c.waits[i].kind == PRS_EV_MUTEX)
			behind += x->c.waits[i].behind_ns;
	assert_string_equal(part(x->c.waits, x->c.n_waits, "mutex gate")->name, "mutex gate");
	assert_true(behind > 0.97e9 && behind <= 1e9);
	assert_true(gain(x, "mutex gate")->known && gain(x, "mutex gate")->lock);
	assert_true(gain(x, "mutex gate")->low > 0.48 && gain(x, "mutex gate")->high <= 0.5);
}

static void a_lock_whose_holds_nobody_timed_cannot_be_told(void **state)
{
	struct scene *x = *state;

	convoy(x);
	memset(x->taken, 0, sizeof(x->taken));
	assert_int_equal(find(x, 4), 0);
	assert_false(gain(x, "mutex gate")->known);
	assert_non_null(gain(x, "mutex gate")->why);
}

/* One makes a piece each 100 ms, the other needs 20 ms for it. */
static void a_pipeline_is_its_slow_end(void **state)
{
	struct scene *x = *state;

	lives(x, 0, 0, 1000);
	lives(x, 1, 0, 980);
	lives(x, 2, 0, 1000);
	event(x, 0, PRS_EV_JOIN, 2, 0, 1000, 2, 0);
	for (uint32_t k = 1; k < 10; k++) {
		event(x, 1, PRS_EV_POST, 0x600000, k * 100 - 0.01, k * 100, PRS_NO_THREAD, 0);
		event(x, 2, PRS_EV_SEM, 0x600000, k == 1 ? 0 : (k - 1) * 100 + 20, k * 100, 1, 0);
	}
	works(x, 1, 0, 900);
	assert_int_equal(find(x, 3), 0);
	steps_cover_the_run(x);
	near(of_thread(x, "worker 0"), 900);
	near(of_thread(x, "worker 1"), 100);
	near(gain(x, "work")->low, 0.45);
	near(gain(x, "work")->high, 0.45);
}

/* Its end is recorded before the kernel is done with it: main waits for that, and for no work. */
static void a_join_that_comes_late_is_no_wait_for_work(void **state)
{
	struct scene *x = *state;

	lives(x, 0, 0, 1000);
	lives(x, 1, 100, 700);
	event(x, 0, PRS_EV_JOIN, 1, 800, 850, 1, 0);
	assert_int_equal(find(x, 2), 0);
	steps_cover_the_run(x);
	near(of_thread(x, "main"), 1000);
	near(x->c.kind_ns[CRIT_HAND], 50e6);
	near(x->c.kind_ns[CRIT_WAIT], 0);
}

static void sleep_stays_as_long(void **state)
{
	struct scene *x = *state;

	lives(x, 0, 0, 1000);
	event(x, 0, PRS_EV_SLEEP, 0, 200, 700, PRS_NO_THREAD, 0);
	works(x, 0, 700, 900);
	assert_int_equal(find(x, 1), 0);
	steps_cover_the_run(x);
	near(x->c.kind_ns[CRIT_WAIT], 500e6);
	near(gain(x, "work")->low, 0.1);
}

static void a_run_without_waits_is_work_of_one_thread(void **state)
{
	struct scene *x = *state;
	struct strbuf text = STRBUF_INIT;

	lives(x, 0, 0, 1000);
	assert_int_equal(find(x, 1), 0);
	steps_cover_the_run(x);
	assert_int_equal(x->c.n_steps, 1);
	assert_int_equal(x->c.n_waits, 0);
	assert_int_equal(x->c.n_gains, 0);
	near(x->c.kind_ns[CRIT_WORK], 1e9);
	report_critical_put(&x->s, false, &text);
	assert_non_null(strstr(text.s, "waits     none"));
	strbuf_release(&text);
}

/* Two that say to have ended each other's wait at one moment: the walk must end. */
static void a_circle_ends(void **state)
{
	struct scene *x = *state;

	lives(x, 0, 0, 1000);
	lives(x, 1, 0, 1000);
	event(x, 0, PRS_EV_COND, 0x500000, 100, 600, 1, 0);
	event(x, 1, PRS_EV_COND, 0x500100, 100, 600, 0, 0);
	assert_int_equal(find(x, 2), 0);
	steps_cover_the_run(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_fork_leads_through_the_longest_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(what_if_knows_the_second_longest, setup, teardown),
		cmocka_unit_test_setup_teardown(what_if_counts_a_function_once, setup, teardown),
		cmocka_unit_test_setup_teardown(a_barrier_leads_to_who_came_last, setup, teardown),
		cmocka_unit_test_setup_teardown(a_convoy_is_all_holds_of_its_lock, setup, teardown),
		cmocka_unit_test_setup_teardown(a_lock_whose_holds_nobody_timed_cannot_be_told, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_pipeline_is_its_slow_end, setup, teardown),
		cmocka_unit_test_setup_teardown(a_join_that_comes_late_is_no_wait_for_work, setup, teardown),
		cmocka_unit_test_setup_teardown(sleep_stays_as_long, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_without_waits_is_work_of_one_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(a_circle_ends, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
