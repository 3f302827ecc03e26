/* SPDX-License-Identifier: MIT */
/* Who uses what beside the fields that two threads meet in. */
#include "fake.h"

#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/sharing.h"

#define MANY  200000000ull /* accesses */
#define MOVES 60000u

static struct prs_line *third_line;

/* Thread 1 counts stats.rx, thread 2 stats.tx; thread 3 reads rx @accesses times, and seldom takes the line. */
static struct fake *with_third(uint64_t accesses)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);

	fake_main(f, 1);
	for (uint32_t k = 0; k < 3; k++)
		fake_create(f, 0, k % 2, 5, 1005, 1000, 1);
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	third_line = fake_line(f, 3, MEM_READ_RX, ADDR_STATS, accesses, 1, 2);
	return f;
}

static const struct sharing_use *use_of(const struct sharing_report *rep, const char *field)
{
	const struct sharing_object *o = &rep->findings[0].objects[0];

	assert_int_equal(rep->n, 1);
	for (size_t i = 0; i < o->n_uses; i++)
		if (!strcmp(o->uses[i].field, field))
			return &o->uses[i];
	fail();
	return NULL;
}

static void judge(struct sharing_report *rep, const struct fake *f)
{
	struct sharing_opts opts = {.platform = NULL};
	struct err err = ERR_INIT;

	if (sharing_make(rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
}

static void thread_that_seldom_meets_is_known(void **state)
{
	struct fake *f = with_third(MANY);
	struct sharing_report rep;

	(void)state;
	judge(&rep, f);
	assert_int_equal(use_of(&rep, "rx")->n_threads, 2);
	assert_int_equal(use_of(&rep, "rx")->threads[1], 3);
	assert_int_equal(use_of(&rep, "tx")->n_threads, 1);
	assert_false(use_of(&rep, "rx")->beside);
	sharing_release(&rep);
	fake_free(f);
}

/* The twin: one look at it is no use to keep off. */
static void single_look_does_not_count(void **state)
{
	struct fake *f = with_third(5);
	struct sharing_report rep;

	(void)state;
	judge(&rep, f);
	assert_int_equal(use_of(&rep, "rx")->n_threads, 1);
	sharing_release(&rep);
	fake_free(f);
}

/* Who looks at a counter as the run goes on, and be it once, would miss it if it were stored at the end. */
static void look_on_the_way_is_known(void **state)
{
	struct fake *f = with_third(5);
	struct sharing_report rep;

	(void)state;
	judge(&rep, f);
	assert_true(use_of(&rep, "rx")->read_meanwhile);
	assert_false(use_of(&rep, "tx")->read_meanwhile);
	sharing_release(&rep);
	fake_free(f);
	/* The twin: a look when all is written. */
	f = with_third(5);
	third_line->first = third_line->last = f->raw[1].end_tsc + 1;
	judge(&rep, f);
	assert_false(use_of(&rep, "rx")->read_meanwhile);
	sharing_release(&rep);
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_that_seldom_meets_is_known),
		cmocka_unit_test(single_look_does_not_count),
		cmocka_unit_test(look_on_the_way_is_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
