/* SPDX-License-Identifier: MIT */
/* monitor/counts: events of this machine, on what the kernel counts itself, and the directory's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "monitor/counts/directory.h"
#include "monitor/counts/perf.h"
#include "platform/events/events.h"

#define PAGES 20000u

static struct {
	sem_t go, done;
	char *memory;
	size_t page;
} work;

/* Touch page @i; a sanitizer would touch its own page for it, too. */
__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) static void touch(size_t i)
{
	*(volatile char *)(work.memory + i * work.page) = 1;
}

/* Each page is touched for the first time, once for each go. */
static void *toucher(void *arg)
{
	pthread_setname_np(pthread_self(), "touch (it) all");
	for (int round = 0; round < 2; round++) {
		sem_post(&work.done);
		sem_wait(&work.go);
		for (size_t i = 0; i < PAGES; i++)
			touch((size_t)round * PAGES + i);
	}
	sem_post(&work.done);
	sem_wait(&work.go);
	return arg;
}

/* The row of the thread of that name, NULL. */
static const struct count *row(const struct counts_look *look, const char *name)
{
	for (size_t i = 0; i < look->threads.n; i++)
		if (!strcmp(look->threads.at[i].name, name))
			return &look->counts.at[i * look->n_events];
	return NULL;
}

static uint64_t faults(struct counts_perf *p, const struct counts_events *events, struct counts_look *look,
		       const char *name)
{
	const struct count *c;

	counts_look_clear(look, 1, events->n);
	counts_perf_watch(p, (uint32_t)getpid());
	counts_perf_look(p, look, 0);
	c = row(look, name);
	assert_non_null(c);
	c += counts_event(events, "kernel.faults");
	assert_int_equal(c->running, c->enabled);
	return c->value;
}

static void faults_of_a_known_loop_are_counted_in_the_thread_that_makes_them(void **state)
{
	struct counts_events events = VEC_INIT;
	struct strbuf left_out = STRBUF_INIT;
	struct counts_look look = {.ns = 0};
	struct err err = ERR_INIT;
	struct families f;
	struct counts_perf *p;
	pthread_t t;
	uint64_t before;

	(void)state;
	assert_int_equal(families_builtin(&f, &err), 0);
	if (counts_perf_open(&p, families_find(&f, "generic"), "kernel", &events, &left_out, &err)) {
		print_message("# %s\n", err.msg);
		skip();
	}
	assert_int_equal(counts_perf_sets(p), 0); /* none needs a counter */
	work.page = (size_t)sysconf(_SC_PAGESIZE);
	work.memory = mmap(NULL, 2 * PAGES * work.page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(work.memory != MAP_FAILED);
	madvise(work.memory, 2 * PAGES * work.page, MADV_NOHUGEPAGE);
	sem_init(&work.go, 0, 0);
	sem_init(&work.done, 0, 0);
	assert_int_equal(pthread_create(&t, NULL, toucher, NULL), 0);
	sem_wait(&work.done);
	before = faults(p, &events, &look, "touch (it) all");
	for (unsigned round = 1; round <= 2; round++) {
		sem_post(&work.go);
		sem_wait(&work.done);
		assert_int_equal(faults(p, &events, &look, "touch (it) all") - before, round * PAGES);
	}
	sem_post(&work.go);
	pthread_join(t, NULL);
	counts_look_clear(&look, 2, events.n);
	counts_perf_look(p, &look, 0);
	assert_null(row(&look, "touch (it) all")); /* it has ended */
	counts_perf_close(p);
	counts_look_release(&look);
	counts_events_release(&events);
	strbuf_release(&left_out);
	families_release(&f);
}

static void what_cannot_be_counted_is_left_out_with_its_reason(void **state)
{
	static const char text[] = "perseus-families 1\nmachine none V 6 1\nevent a b thread NO_SUCH s\n"
				   "event k f kernel perf::PAGE-FAULTS s\n";
	struct counts_events events = VEC_INIT;
	struct strbuf left_out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct counts_perf *p;
	struct families f;

	(void)state;
	assert_int_equal(families_read(&f, "test", text, sizeof(text) - 1, &err), 0);
	if (!counts_perf_open(&p, &f.at[0], NULL, &events, &left_out, &err)) {
		assert_int_equal(events.n, 1);
		assert_string_equal(events.at[0], "k.f");
		assert_string_equal(left_out.s, "a.b: libpfm4 does not know it here\n");
		counts_perf_close(p);
	}
	counts_events_release(&events);
	strbuf_release(&left_out);
	assert_int_equal(counts_perf_open(&p, &f.at[0], "a", &events, &left_out, &err), -19);
	assert_string_equal(err.msg, "a.b: libpfm4 does not know it here");
	assert_int_equal(counts_perf_open(&p, &f.at[0], "b", &events, &left_out, &err), -19);
	strbuf_release(&left_out);
	families_release(&f);
}

static void events_of_all_processors_can_be_encoded_however_long_their_names(void **state)
{
	struct err err = ERR_INIT;
	struct families f;
	size_t n = 0;

	(void)state;
	assert_int_equal(families_builtin(&f, &err), 0);
	for (size_t i = 0; i < f.n; i++)
		for (size_t k = 0; k < f.at[i].events.n; k++) {
			const struct family_event *e = &f.at[i].events.at[k];
			struct strbuf text = STRBUF_INIT;
			struct event out;

			if (!strstr(e->event, "::"))
				strbuf_printf(&text, "%s::", f.at[i].name);
			strbuf_puts(&text, e->event);
			/* Those of packages are encoded by a file of the kernel, if it has them. */
			if (e->scope != FAMILY_PACKAGE && event_encode_named(&out, e->name, text.s, &err))
				fail_msg("%s: %s", text.s, err.msg);
			n += e->scope != FAMILY_PACKAGE;
			strbuf_release(&text);
		}
	assert_in_range(n, 80, 1000);
	families_release(&f);
}

static void lines_of_the_directory_are_told_apart_by_the_state_in_which_they_were(void **state)
{
	struct live_thread threads[2] = {
		{.pid = 9,
		 .index = 0,
		 .tid = 9,
		 .core = 1,
		 .name = "a",
		 .lines = {.transfers = 10, .from_modified = 6, .invalidated = 7, .at_ns = 5},
		 .loser = 1},
		{.pid = 9, .index = 1, .tid = 12, .core = 0, .name = "b", .loser = PRS_NO_THREAD},
	};
	struct live l = {.threads = {threads, 2, 2}};
	struct counts_events events = VEC_INIT;
	struct counts_look look = {.ns = 0};

	(void)state;
	counts_directory_events(&events);
	counts_look_clear(&look, 5, events.n);
	counts_directory_look(&l, &look, 0);
	assert_int_equal(look.threads.at[0].partner, 12);
	assert_int_equal(look.threads.at[1].partner, 0);
	assert_int_equal(look.counts.at[counts_event(&events, "directory.transfers")].value, 10);
	assert_int_equal(look.counts.at[counts_event(&events, "directory.hitm")].value, 6);
	assert_int_equal(look.counts.at[counts_event(&events, "directory.hit")].value, 4);
	assert_int_equal(look.counts.at[counts_event(&events, "directory.invalidations")].value, 7);
	assert_int_equal(look.counts.at[4].enabled, 0); /* no sharing run */
	counts_events_release(&events);
	counts_look_release(&look);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_of_a_known_loop_are_counted_in_the_thread_that_makes_them),
		cmocka_unit_test(what_cannot_be_counted_is_left_out_with_its_reason),
		cmocka_unit_test(events_of_all_processors_can_be_encoded_however_long_their_names),
		cmocka_unit_test(lines_of_the_directory_are_told_apart_by_the_state_in_which_they_were),
	};

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1); /* before libpfm4 begins */
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
