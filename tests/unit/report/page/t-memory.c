/* SPDX-License-Identifier: MIT */
/* Which of many accesses a page keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/page/memory.h"

#define LIMIT  4000u
#define WINDOW 20u
#define STEP   10u /* ns from access to access */

struct fixture {
	struct memory_story story;
	struct memory_choice choice;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){.story = {.traced = true}};
	for (uint32_t i = 0; i < 2; i++)
		vec_push(&f.story.pairs, ((struct memory_pair){.a = i + 1, .b = i + 2}));
	memory_choice_start(&f.choice, &f.story, LIMIT, WINDOW);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	memory_story_release(&((struct fixture *)*state)->story);
	return 0;
}

/* @n accesses; the one at @conflict is of pair @pair, UINT64_MAX: none is. */
static void feed(struct fixture *f, uint64_t n, uint64_t conflict, uint32_t pair)
{
	f->story.span_ns = n * STEP;
	for (uint64_t i = 0; i < n; i++) {
		struct memory_event e = {.seq = i, .ns = i * STEP, .pair = i == conflict ? pair : 0};

		memory_choice_add(&f->choice, &e);
	}
	memory_choice_end(&f->choice);
}

static bool kept(const struct fixture *f, uint64_t seq)
{
	for (size_t i = 0; i < f->story.events.n; i++)
		if (f->story.events.at[i].seq == seq)
			return true;
	return false;
}

static void in_order(const struct fixture *f)
{
	for (size_t i = 1; i < f->story.events.n; i++)
		assert_true(f->story.events.at[i - 1].seq < f->story.events.at[i].seq);
}

static void few_are_all_kept(void **state)
{
	struct fixture *f = *state;

	feed(f, LIMIT, UINT64_MAX, 0);
	assert_int_equal(f->story.events.n, LIMIT);
	assert_int_equal(f->story.seen, LIMIT);
	in_order(f);
}

static void none_is_no_story(void **state)
{
	struct fixture *f = *state;

	memory_choice_end(&f->choice);
	assert_int_equal(f->story.events.n, 0);
	assert_int_equal(f->story.seen, 0);
}

static void many_are_bounded(void **state)
{
	struct fixture *f = *state;

	feed(f, 1000 * LIMIT, UINT64_MAX, 0);
	assert_in_range(f->story.events.n, LIMIT / 2, LIMIT);
	assert_int_equal(f->story.seen, 1000 * LIMIT);
	in_order(f);
}

static void one_more_than_all_is_cut(void **state)
{
	struct fixture *f = *state;

	feed(f, LIMIT + 1, UINT64_MAX, 0);
	assert_true(f->story.events.n <= LIMIT);
}

static void the_first_quarter_is_kept(void **state)
{
	struct fixture *f = *state;

	feed(f, 100 * LIMIT, UINT64_MAX, 0);
	for (uint64_t i = 0; i < LIMIT / 4; i++)
		assert_int_equal(f->story.events.at[i].seq, i);
}

/* The even windows leave no part of the run without one. */
static void every_part_has_a_window(void **state)
{
	struct fixture *f = *state;
	uint64_t widest = 0;

	feed(f, 100 * LIMIT, UINT64_MAX, 0);
	for (size_t i = 1; i < f->story.events.n; i++)
		if (f->story.events.at[i].seq - f->story.events.at[i - 1].seq > widest)
			widest = f->story.events.at[i].seq - f->story.events.at[i - 1].seq;
	assert_in_range(widest, 2, 100 * LIMIT / (LIMIT / 2 / WINDOW) + 2);
}

/* A conflict between two of the even windows, with what is before and behind it. */
static void round_a_conflict(void **state)
{
	struct fixture *f = *state;
	uint64_t between = 100 * LIMIT / (LIMIT / 2 / WINDOW), at = 50 * between + between / 2;

	feed(f, 100 * LIMIT, at, 1);
	for (uint64_t i = at - WINDOW / 2; i < at + WINDOW / 2; i++)
		assert_true(kept(f, i));
	assert_false(kept(f, at - WINDOW));
	assert_false(kept(f, at + WINDOW));
}

/* The twin: without the conflict that place is left out. */
static void no_conflict_no_window(void **state)
{
	struct fixture *f = *state;
	uint64_t between = 100 * LIMIT / (LIMIT / 2 / WINDOW), at = 50 * between + between / 2;

	feed(f, 100 * LIMIT, UINT64_MAX, 0);
	for (uint64_t i = at - WINDOW / 2; i < at + WINDOW / 2; i++)
		assert_false(kept(f, i));
}

/* Conflicts all the time: each pair has one window in each sixteenth of the run. */
static void conflicts_all_the_time_are_bounded(void **state)
{
	struct fixture *f = *state;
	uint64_t n = 200 * LIMIT;

	f->story.span_ns = n * STEP;
	for (uint64_t i = 0; i < n; i++)
		memory_choice_add(&f->choice,
				  &(struct memory_event){.seq = i, .ns = i * STEP, .pair = 1 + i % 2});
	memory_choice_end(&f->choice);
	assert_in_range(f->choice.conflicts, 16, 34);
	assert_true(f->story.events.n <= LIMIT);
	in_order(f);
}

/* Times that do not grow, as a damaged trace may have them. */
static void one_moment_is_bounded(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 100 * LIMIT; i++)
		memory_choice_add(&f->choice, &(struct memory_event){.seq = i, .ns = 7, .pair = 1});
	memory_choice_end(&f->choice);
	assert_true(f->story.events.n <= LIMIT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(few_are_all_kept),
		TEST(none_is_no_story),
		TEST(many_are_bounded),
		TEST(one_more_than_all_is_cut),
		TEST(the_first_quarter_is_kept),
		TEST(every_part_has_a_window),
		TEST(round_a_conflict),
		TEST(no_conflict_no_window),
		TEST(conflicts_all_the_time_are_bounded),
		TEST(one_moment_is_bounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
