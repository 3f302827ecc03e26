/* SPDX-License-Identifier: MIT */
/* record/live on records made by hand, of this process and its threads, and on damaged ones. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/live/live.h"
#include "tests/unit/record/build.h"

#define MS    1000000u
#define CALLS 8

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A record of this process that goes on: one thread, the clock in ns; returns where its chunks begin. */
static uint64_t start(struct prec *r, uint32_t pid, uint32_t tid, uint32_t purpose)
{
	struct prs_thread t = {.index = 0, .tid = tid, .creator = PRS_NO_THREAD, .start_tsc = 1};
	struct prs_rec_header *h;

	prec_start(r, pid);
	h = prec_header(r);
	h->state = PRS_REC_RUNNING;
	h->purpose = purpose;
	h->clock_kind = 1;
	h->mono_start_ns = now_ns();
	h->tsc_start = 0;
	h->tsc_end = h->mono_end_ns = 0;
	prec_chunk(r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &t, sizeof(t), 1, 1);
	return r->file.len;
}

/* Change bytes of the record that was saved, in place. */
static void poke(const char *dir, uint64_t at, const void *data, size_t len)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%u.0.prec", dir, (unsigned)getpid());
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, len, (off_t)at), len);
	close(fd);
}

static void nap(unsigned ms)
{
	struct timespec t = {0, (long)ms * MS};

	nanosleep(&t, NULL);
}

static double per_s(double n, uint64_t from, uint64_t to)
{
	return n / ((double)(to - from) / 1e9);
}

static void counts_what_was_added(void **state)
{
	struct prs_call calls[CALLS] = {{.count = 1000}};
	char *dir = build_dir();
	struct err err = ERR_INIT;
	struct live l;
	struct prec r;
	uint64_t at, from, more = 51000;

	(void)state;
	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_TIMING);
	at = prec_chunk(&r, PRS_CHUNK_CALL, 0, calls, sizeof(calls[0]), CALLS, 4);
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.n, 1);
	assert_true(l.counted);
	assert_false(l.sharing);
	assert_true(l.threads.at[0].calls < 0); /* rates need two looks */
	from = l.looked_ns;
	nap(50);
	poke(dir, at + sizeof(struct prs_chunk) + offsetof(struct prs_call, count), &more, sizeof(more));
	assert_int_equal(live_look(&l, &err), 0);
	assert_float_equal(l.threads.at[0].calls, per_s(50000, from, l.looked_ns), 1e-3);
	assert_true(l.threads.at[0].transfers < 0); /* a run that does not look at memory */
	assert_int_equal(l.threads.at[0].tid, getpid());
	assert_true(l.threads.at[0].core >= 0);
	assert_true(l.threads.at[0].running >= 0 && l.threads.at[0].running <= 1);
	live_close(&l);
	build_remove(dir);
}

static void a_wait_that_goes_on_counts(void **state)
{
	struct prs_wait w[2] = {
		{.kind = PRS_EV_MUTEX, .object = 0x1000, .ticks = 5, .other = 3, .fd = -1},
		{.kind = PRS_EV_COND, .object = 0x2000, .flags = PRS_WAIT_OPEN, .other = PRS_NO_THREAD}};
	char *dir = build_dir();
	struct err err = ERR_INIT;
	struct live l;
	struct prec r;
	uint64_t at, base, first, ended;

	(void)state;
	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_TIMING);
	base = prec_header(&r)->mono_start_ns;
	at = prec_chunk(&r, PRS_CHUNK_WAIT, 0, w, sizeof(w[0]), 2, 1) + sizeof(struct prs_chunk);
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.at[0].wait_kind, 0);

	first = l.looked_ns - base;
	poke(dir, at + sizeof(w[0]) + offsetof(struct prs_wait, first), &first, sizeof(first));
	nap(20);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.at[0].wait_kind, PRS_EV_COND);
	assert_true(l.threads.at[0].wait_open);
	assert_true(l.threads.at[0].waiting > 0.99);

	/* It ends, and 3 ms of another one: the mutex is the longest, and the thread waits no more. */
	first = 0;
	ended = w[0].ticks + 3 * MS;
	poke(dir, at + sizeof(w[0]) + offsetof(struct prs_wait, first), &first, sizeof(first));
	poke(dir, at + offsetof(struct prs_wait, ticks), &ended, sizeof(ended));
	nap(20);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.at[0].wait_kind, PRS_EV_MUTEX);
	assert_int_equal(l.threads.at[0].wait_for, 3);
	assert_false(l.threads.at[0].wait_open);

	/* Nothing more: no wait. */
	nap(5);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.at[0].wait_kind, 0);
	assert_float_equal(l.threads.at[0].waiting, 0, 1e-9);
	live_close(&l);
	build_remove(dir);
}

static void lines_that_moved_are_counted(void **state)
{
	struct prs_line lines[16] = {
		[3] = {.line = 7, .misses = 100, .from_modified = 40, .invalidated = 20}};
	char *dir = build_dir();
	struct err err = ERR_INIT;
	struct live l;
	struct prec r;
	uint64_t at, from, more = 90;

	(void)state;
	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_SHARING);
	at = prec_chunk(&r, PRS_CHUNK_LINE, 0, lines, sizeof(lines[0]), 16, 1) + sizeof(struct prs_chunk);
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	from = l.looked_ns;
	nap(20);
	/* 90 + 20 of at most 100 misses: 40 more than before. */
	poke(dir, at + 3 * sizeof(lines[0]) + offsetof(struct prs_line, from_modified), &more, sizeof(more));
	assert_int_equal(live_look(&l, &err), 0);
	assert_true(l.sharing);
	assert_float_equal(l.threads.at[0].transfers, per_s(40, from, l.looked_ns), 1e-6);
	assert_true(l.threads.at[0].calls < 0);
	live_close(&l);
	build_remove(dir);
}

static void a_chunk_that_is_published_later_is_found(void **state)
{
	struct prs_call call = {.count = 10};
	char *dir = build_dir();
	struct err err = ERR_INIT;
	uint32_t none = 0, magic = PRS_CHUNK_MAGIC;
	uint64_t hole, from, more = 20;
	struct live l;
	struct prec r;

	(void)state;
	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_TIMING);
	hole = prec_chunk(&r, PRS_CHUNK_CALL, 0, &call, sizeof(call), 1, 1);
	prec_chunk(&r, PRS_CHUNK_CALL, 0, &call, sizeof(call), 1, 1);
	memcpy(r.file.s + hole, &none, sizeof(none));
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	poke(dir, hole, &magic, sizeof(magic));
	assert_int_equal(live_look(&l, &err), 0);
	from = l.looked_ns;
	nap(5);
	poke(dir, hole + sizeof(struct prs_chunk) + offsetof(struct prs_call, count), &more, sizeof(more));
	assert_int_equal(live_look(&l, &err), 0);
	assert_float_equal(l.threads.at[0].calls, per_s(10, from, l.looked_ns), 1e-6);
	live_close(&l);
	build_remove(dir);
}

static void what_is_over_has_no_threads(void **state)
{
	char *dir = build_dir();
	struct err err = ERR_INIT;
	struct live l;
	struct prec r;

	(void)state;
	/* Closed; of a thread that is not there; from before this process was there: another had its number. */
	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_TIMING);
	prec_header(&r)->state = PRS_REC_CLOSED;
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.n, 0);
	live_close(&l);

	start(&r, (uint32_t)getpid(), 4194303, PRS_PURPOSE_TIMING);
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.n, 0);
	assert_int_equal(l.n_ended, 1);
	live_close(&l);

	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_TIMING);
	prec_header(&r)->mono_start_ns = 1;
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.n, 0);
	live_close(&l);
	build_remove(dir);
}

static void after_exec_only_the_new_record_counts(void **state)
{
	char *dir = build_dir();
	struct err err = ERR_INIT;
	struct live l;
	struct prec r;

	(void)state;
	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_TIMING);
	prec_save(&r, dir);
	start(&r, (uint32_t)getpid(), (uint32_t)getpid(), PRS_PURPOSE_SHARING);
	prec_header(&r)->epoch = 1;
	prec_save(&r, dir);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.n, 1);
	assert_true(l.sharing);
	assert_false(l.counted);
	live_close(&l);
	build_remove(dir);
}

static void a_folder_that_is_gone_is_said(void **state)
{
	struct err err = ERR_INIT;
	struct live l;

	(void)state;
	live_open(&l, "/nonexistent/run");
	assert_int_equal(live_look(&l, &err), -ENOENT);
	live_close(&l);
}

/* Whatever bytes a record has: looks end, and hold no more than is there. */
static void damaged_records_do_no_harm(void **state)
{
	struct prs_call calls[CALLS] = {{.count = 1}};
	struct prs_wait w[4] = {{.kind = PRS_EV_MUTEX, .ticks = 5}};
	struct prs_line lines[8] = {{.line = 1, .misses = 3}};
	char *dir = build_dir();
	uint64_t x = 88172645463325252ull;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct err err = ERR_INIT;
		struct live l;
		struct prec r;

		start(&r, (uint32_t)getpid(), (uint32_t)getpid(), round & 1);
		prec_chunk(&r, PRS_CHUNK_CALL, 0, calls, sizeof(calls[0]), CALLS, 4);
		prec_chunk(&r, PRS_CHUNK_WAIT, 0, w, sizeof(w[0]), 4, 1);
		prec_chunk(&r, PRS_CHUNK_LINE, 0, lines, sizeof(lines[0]), 8, 1);
		for (int k = 0; k < 12; k++) {
			size_t chunks = (r.file.len - PRS_PAGE_BYTES) / PRS_PAGE_BYTES, at;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			at = (size_t)(k & 1 ? PRS_PAGE_BYTES * (1 + x % chunks) + (x >> 20) % 208
					    : (x >> 20) % 400);
			r.file.s[at] = (char)(x >> 40);
		}
		if (round % 3 == 0)
			r.file.len -= (size_t)(x % 5000);
		prec_save(&r, dir);
		live_open(&l, dir);
		for (int k = 0; k < 3; k++)
			assert_int_equal(live_look(&l, &err), 0);
		assert_true(l.threads.n < 10000);
		live_close(&l);
	}
	build_remove(dir);
}

static void what_is_no_file_is_passed_over(void **state)
{
	char *dir = build_dir(), path[512];
	struct err err = ERR_INIT;
	struct live l;

	(void)state;
	snprintf(path, sizeof(path), "%s/1.0.prec", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/2.0.prec", dir);
	assert_int_equal(symlink("/dev/zero", path), 0);
	build_write(dir, "3.0.prec", "short", 5);
	live_open(&l, dir);
	assert_int_equal(live_look(&l, &err), 0);
	assert_int_equal(l.threads.n, 0);
	live_close(&l);
	build_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_was_added),
		cmocka_unit_test(a_wait_that_goes_on_counts),
		cmocka_unit_test(lines_that_moved_are_counted),
		cmocka_unit_test(a_chunk_that_is_published_later_is_found),
		cmocka_unit_test(what_is_over_has_no_threads),
		cmocka_unit_test(after_exec_only_the_new_record_counts),
		cmocka_unit_test(a_folder_that_is_gone_is_said),
		cmocka_unit_test(damaged_records_do_no_harm),
		cmocka_unit_test(what_is_no_file_is_passed_over),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
