/* SPDX-License-Identifier: MIT */
/* Sums of traced calls beside a record: what belongs to it is added, what does not is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/crc32c.h"
#include "perseus/sums.h"
#include "record/run.h"
#include "tests/unit/record/build.h"

struct scene {
	char *dir;
	uint64_t record; /* file offset of the only call record */
	struct {
		struct prs_sums_page head;
		struct prs_sum sum[PRS_SUMS_PER_PAGE];
	} page;
	struct run run;
	bool open;
};
_Static_assert(sizeof(((struct scene *)0)->page) == PRS_PAGE_BYTES, "a page");

/* 100 calls, one of which the thread has timed itself; 60 are in the sums. */
static int setup(void **state)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = 4, .base = 256};
	struct prs_thread t = {
		.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000, .traced = 1};
	struct prs_call call = {.site = 2,
				.parent = PRS_NO_SITE,
				.count = 100,
				.timed = 1,
				.sum = 70,
				.min = 70,
				.max = 70,
				.period = 1};
	struct scene *x = calloc(1, sizeof(*x));
	struct prec r;

	call.hist[prs_hist_index(70)] = 1;
	x->dir = build_dir();
	build_manifest(x->dir, "exited", 0, NULL);
	prec_start(&r, 100);
	prec_chunk(&r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &t, sizeof(t), 1, 1);
	x->record = sizeof(struct prs_chunk) + prec_chunk(&r, PRS_CHUNK_CALL, 0, &call, sizeof(call), 1, 1);
	prec_header(&r)->n_threads = 1;
	prec_header(&r)->n_units = 1;
	prec_header(&r)->n_calls = 4;
	prec_save(&r, x->dir);
	x->page.head = (struct prs_sums_page){.pid = 100, .n_entries = 1};
	memcpy(x->page.head.magic, PRS_SUMS_MAGIC, 8);
	x->page.sum[0] = (struct prs_sum){.record = (uint32_t)(x->record / 64),
					  .site = 2,
					  .timed = 60,
					  .sum = 6000,
					  .min = 40,
					  .max = 300};
	x->page.sum[0].hist[prs_hist_index(100)] = 60;
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct scene *x = *state;

	if (x->open)
		run_close(&x->run);
	build_remove(x->dir);
	free(x);
	return 0;
}

/* The record as it is read with @bytes of the page behind @skip pages of zeros. */
static const struct rec_call *reads(struct scene *x, size_t skip, size_t bytes)
{
	struct err err = ERR_INIT;
	char *file = calloc(skip + 1, PRS_PAGE_BYTES);

	memcpy(file + skip * PRS_PAGE_BYTES, &x->page, sizeof(x->page));
	build_write(x->dir, "100.0.sums", file, skip * PRS_PAGE_BYTES + bytes);
	free(file);
	if (run_open(&x->run, x->dir, &err))
		fail_msg("%s", err.msg);
	x->open = true;
	return x->run.processes[0].threads[0].calls[0];
}

static const char *damage(const struct scene *x)
{
	return x->run.processes[0].damage ? x->run.processes[0].damage : "";
}

static void seal(struct scene *x)
{
	x->page.head.crc = 0;
	x->page.head.crc = crc32c(0, &x->page, sizeof(x->page));
}

static void assert_added(const struct scene *x, const struct rec_call *r)
{
	assert_int_equal(r->count, 100);
	assert_int_equal(r->timed, 61);
	assert_int_equal(r->sum, 6070);
	assert_int_equal(r->min, 40);
	assert_int_equal(r->max, 300);
	assert_int_equal(r->hist[prs_hist_index(100)], 60);
	assert_int_equal(r->hist[prs_hist_index(70)], 1);
	assert_string_equal(damage(x), "");
}

/* Nothing was added, and it is said why not. */
static void assert_refused(const struct scene *x, const struct rec_call *r, const char *why)
{
	assert_int_equal(r->timed, 1);
	assert_int_equal(r->sum, 70);
	if (!strstr(damage(x), why))
		fail_msg("'%s' does not say '%s'", damage(x), why);
}

static void sums_belong_to_their_record(void **state)
{
	struct scene *x = *state;

	assert_added(x, reads(x, 0, sizeof(x->page)));
}

static void pages_not_begun_are_passed_over(void **state)
{
	struct scene *x = *state;

	seal(x);
	assert_added(x, reads(x, 2, sizeof(x->page)));
}

static void without_them_calls_are_counted(void **state)
{
	struct scene *x = *state;
	const struct rec_call *r = reads(x, 0, 0);

	assert_int_equal(r->count, 100);
	assert_refused(x, r, "");
	assert_string_equal(damage(x), "");
}

static void a_file_that_is_missing_is_named(void **state)
{
	struct scene *x = *state;
	struct err err = ERR_INIT;

	if (run_open(&x->run, x->dir, &err))
		fail_msg("%s", err.msg);
	x->open = true;
	assert_refused(x, x->run.processes[0].threads[0].calls[0], "100.0.sums is not there");
}

static void a_recorder_killed_between_two_steps_is_no_damage(void **state)
{
	struct scene *x = *state;

	x->page.sum[0].hist[prs_hist_index(300)]++;
	assert_int_equal(reads(x, 0, sizeof(x->page))->timed, 61);
	assert_string_equal(damage(x), "");
}

static void a_flipped_bit_is_noticed(void **state)
{
	struct scene *x = *state;

	seal(x);
	x->page.sum[0].sum ^= 1 << 20;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "page 0 of the sums of traced calls is damaged");
}

static void sums_of_another_process_are_not_taken(void **state)
{
	struct scene *x = *state;

	x->page.head.pid = 101;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "is damaged");
}

static void a_thread_that_is_not_there(void **state)
{
	struct scene *x = *state;

	x->page.head.thread = 1;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "is damaged");
}

static void more_entries_than_a_page_has(void **state)
{
	struct scene *x = *state;

	x->page.head.n_entries = PRS_SUMS_PER_PAGE + 1;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "is damaged");
}

static void a_record_that_is_not_there(void **state)
{
	struct scene *x = *state;

	x->page.sum[0].record++;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "do not fit call record");
}

static void a_record_of_another_site(void **state)
{
	struct scene *x = *state;

	x->page.sum[0].site = 3;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "do not fit call record");
}

static void more_calls_timed_than_made(void **state)
{
	struct scene *x = *state;

	x->page.sum[0].timed = x->page.sum[0].hist[prs_hist_index(100)] = 100;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "do not fit call record");
}

static void a_histogram_that_does_not_add_up(void **state)
{
	struct scene *x = *state;

	x->page.sum[0].hist[3] = 5;
	assert_refused(x, reads(x, 0, sizeof(x->page)), "do not fit call record");
}

static void half_a_page_is_none(void **state)
{
	struct scene *x = *state;

	assert_refused(x, reads(x, 0, 2000), "cut off");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(sums_belong_to_their_record),
		T(pages_not_begun_are_passed_over),
		T(without_them_calls_are_counted),
		T(a_file_that_is_missing_is_named),
		T(a_recorder_killed_between_two_steps_is_no_damage),
		T(a_flipped_bit_is_noticed),
		T(sums_of_another_process_are_not_taken),
		T(a_thread_that_is_not_there),
		T(more_entries_than_a_page_has),
		T(a_record_that_is_not_there),
		T(a_record_of_another_site),
		T(more_calls_timed_than_made),
		T(a_histogram_that_does_not_add_up),
		T(half_a_page_is_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
