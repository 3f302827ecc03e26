/* SPDX-License-Identifier: MIT */
/* Call records of both layouts: paths, the call that was left last, calls that were open. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/run.h"
#include "tests/unit/record/build.h"

#define BLOCK_BYTES (2 * PRS_PAGE_BYTES - sizeof(struct prs_chunk))

struct scene {
	char *dir;
	struct prec r;
	uint64_t block, call; /* chunks */
	struct run run;
	bool open;
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

	if (x->open)
		run_close(&x->run);
	build_remove(x->dir);
	free(x);
	return 0;
}

/* One thread with a block of two pages and @n records of @bytes each. */
static void begin(struct scene *x, const void *calls, uint16_t bytes, uint64_t n)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = 4, .base = 256};
	struct prs_thread t = {.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000};

	prec_start(&x->r, 100);
	prec_chunk(&x->r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	x->block = prec_chunk(&x->r, PRS_CHUNK_BLOCK, 0, NULL, 0, 0, 2);
	t.block = x->block;
	prec_chunk(&x->r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&x->r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &t, sizeof(t), 1, 1);
	x->call = prec_chunk(&x->r, PRS_CHUNK_CALL, 0, calls, bytes, n, 1);
	prec_header(&x->r)->n_threads = 1;
	prec_header(&x->r)->n_units = 1;
	prec_header(&x->r)->n_calls = 4;
}

static uint64_t record_at(const struct scene *x, unsigned i)
{
	return x->call + sizeof(struct prs_chunk) + i * sizeof(struct prs_call);
}

static struct prs_call *record(struct scene *x, unsigned i)
{
	return (struct prs_call *)(void *)(x->r.file.s + record_at(x, i));
}

static struct prs_block *block(struct scene *x)
{
	return (struct prs_block *)(void *)(x->r.file.s + x->block + sizeof(struct prs_chunk));
}

static void open_call(struct scene *x, uint32_t depth, struct prs_open o)
{
	block(x)->open = BLOCK_BYTES - sizeof(o);
	memcpy((char *)block(x) + block(x)->open - depth * sizeof(o), &o, sizeof(o));
}

static const struct run_thread *opens(struct scene *x)
{
	struct err err = ERR_INIT;

	build_manifest(x->dir, "exited", 0, NULL);
	prec_save(&x->r, x->dir);
	if (run_open(&x->run, x->dir, &err))
		fail_msg("%s", err.msg);
	x->open = true;
	return &x->run.processes[0].threads[0];
}

static const char *damage(const struct scene *x)
{
	return x->run.processes[0].damage ? x->run.processes[0].damage : "";
}

static void three(struct scene *x)
{
	struct prs_call c[3] = {
		{.site = 2,
		 .parent = PRS_NO_SITE,
		 .count = 5,
		 .timed = 5,
		 .sum = 500,
		 .min = 90,
		 .max = 110,
		 .period = 1},
		{.site = 1,
		 .parent = 2,
		 .count = 9,
		 .timed = 9,
		 .sum = 90,
		 .min = 10,
		 .max = 10,
		 .period = 1},
		{.site = 1, .parent = PRS_NO_SITE, .count = 1, .min = ~0ull, .period = 1},
	};

	begin(x, c, sizeof(c[0]), 3);
	record(x, 1)->parent_record = record_at(x, 0);
}

static void a_path_leads_to_the_record_round_it(void **state)
{
	struct scene *x = *state;
	const struct run_thread *t;

	three(x);
	t = opens(x);
	assert_int_equal(t->n_calls, 3);
	assert_int_equal(t->calls[0]->site, 1); /* by site, then as they were made */
	assert_int_equal(t->calls[2]->site, 2);
	assert_ptr_equal(t->calls[0]->up, t->calls[2]);
	assert_null(t->calls[1]->up);
	assert_null(t->calls[2]->up);
	assert_int_equal(t->calls[1]->min, 0); /* nothing timed */
	assert_string_equal(damage(x), "");
}

static void the_call_left_last_is_in(void **state)
{
	struct scene *x = *state;
	const struct rec_call *c;

	three(x);
	block(x)->pend_record = record_at(x, 2);
	block(x)->pend_ticks = 1000;
	c = opens(x)->calls[1];
	assert_int_equal(c->timed, 1);
	assert_int_equal(c->sum, 1000);
	assert_int_equal(c->min, 1000);
	assert_int_equal(c->max, 1000);
	assert_int_equal(c->hist[prs_hist_index(1000)], 1);
}

static void a_pending_record_that_is_none_is_passed_over(void **state)
{
	struct scene *x = *state;

	three(x);
	block(x)->pend_record = record_at(x, 1) + 64;
	block(x)->pend_ticks = 1000;
	assert_int_equal(opens(x)->calls[0]->timed, 9);
}

static void open_calls_are_named_from_the_outermost_on(void **state)
{
	struct scene *x = *state;
	const struct run_thread *t;

	three(x);
	block(x)->depth = 3;
	open_call(x, 1,
		  (struct prs_open){.record = (uint32_t)(record_at(x, 0) / 64), .site = 2, .start = 5000});
	open_call(x, 2, (struct prs_open){.site = 3, .start = 6000}); /* from before a fork */
	open_call(x, 3, (struct prs_open){.site = 1});                /* just being entered */
	t = opens(x);
	assert_int_equal(t->n_open, 2);
	assert_ptr_equal(t->open[0].call, t->calls[2]);
	assert_int_equal(t->open[0].start, 5000);
	assert_int_equal(t->calls[2]->open, 1);
	assert_null(t->open[1].call);
	assert_int_equal(t->open[1].site, 3);
}

static void paths_that_go_round_are_cut(void **state)
{
	struct scene *x = *state;
	const struct run_thread *t;

	three(x);
	record(x, 0)->parent_record = record_at(x, 1);
	t = opens(x);
	assert_ptr_equal(t->calls[0]->up, t->calls[2]);
	assert_null(t->calls[2]->up);
	assert_non_null(strstr(damage(x), "lies below one at byte"));
}

static void more_open_calls_than_room_are_damage(void **state)
{
	struct scene *x = *state;

	three(x);
	open_call(x, 1, (struct prs_open){.site = 1, .start = 1});
	block(x)->depth = 4000000000u;
	assert_int_equal(opens(x)->n_open, 0);
	assert_non_null(strstr(damage(x), "no room for them"));
}

static void records_of_minor_0_are_read(void **state)
{
	struct scene *x = *state;
	struct prs_call_0 c[2] = {
		{.site = 0,
		 .parent = PRS_NO_SITE,
		 .count = 8,
		 .timed = 6,
		 .sum = 600,
		 .min = 70,
		 .max = 130,
		 .period = 1,
		 .open = 2},
		{.site = 1, .parent = 0, .count = 1, .timed = 1, .sum = 3, .min = 3, .max = 3, .period = 1},
	};
	const struct run_thread *t;
	uint64_t n = 0;

	c[0].hist[6] = 5; /* 64 to 127 */
	c[0].hist[7] = 1;
	c[1].hist[1] = 1;
	begin(x, c, sizeof(c[0]), 2);
	prec_header(&x->r)->minor = 0;
	block(x)->depth = 77; /* was spare then */
	t = opens(x);
	assert_int_equal(t->n_calls, 2);
	assert_int_equal(t->calls[0]->open, 2);
	for (uint32_t b = prs_hist_index(64); b < prs_hist_index(128); b++)
		n += t->calls[0]->hist[b];
	assert_int_equal(n, 5);
	assert_int_equal(t->calls[0]->hist[prs_hist_index(128)], 1);
	assert_int_equal(t->calls[1]->hist[0], 1);
	assert_int_equal(t->n_open, 0);
	assert_null(t->calls[1]->up);
}

static void every_time_has_its_bucket(void **state)
{
	(void)state;
	for (uint32_t b = 0; b + 1 < PRS_HIST_BUCKETS; b++) {
		assert_true(prs_hist_low(b) < prs_hist_low(b + 1));
		assert_int_equal(prs_hist_index(prs_hist_low(b)), b);
		assert_int_equal(prs_hist_index(prs_hist_low(b + 1) - 1), b);
	}
	assert_int_equal(prs_hist_index(~0ull), PRS_HIST_BUCKETS - 1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_path_leads_to_the_record_round_it),
		T(the_call_left_last_is_in),
		T(a_pending_record_that_is_none_is_passed_over),
		T(open_calls_are_named_from_the_outermost_on),
		T(paths_that_go_round_are_cut),
		T(more_open_calls_than_room_are_damage),
		T(records_of_minor_0_are_read),
		T(every_time_has_its_bucket),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
