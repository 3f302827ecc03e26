/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/sharing/sharing.h"

#define MANY  200000000ull /* accesses */
#define MOVES 60000u

/* Threads 1 and 2 fight for `stats`; a third uses `total` in the same line and moves it @moves times. */
static void judge(struct sharing_report *rep, uint32_t moves)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);
	struct sharing_opts opts = {.platform = NULL};
	struct err err = ERR_INIT;

	f->symbols[3].address = 0x4010;
	fake_main(f, 1);
	for (int i = 0; i < 3; i++)
		fake_create(f, 0, (uint32_t)i, 5, 1005, 1000, 1);
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	fake_line(f, 3, MEM_TOTAL, ADDR_STATS + 16, 10 * moves, moves, 1);
	if (sharing_make(rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	fake_free(f);
}

static void rare_neighbours_are_no_part_of_the_finding(void **state)
{
	struct sharing_report rep;

	(void)state;
	judge(&rep, 300);
	assert_int_equal(rep.n, 1);
	assert_string_equal(rep.findings[0].subject, "stats.rx/tx");
	assert_null(strstr(rep.findings[0].object, "total"));
	sharing_release(&rep);
}

static void frequent_neighbours_are_part_of_it(void **state)
{
	struct sharing_report rep;

	(void)state;
	judge(&rep, MOVES / 2);
	assert_int_equal(rep.n, 1);
	assert_non_null(strstr(rep.findings[0].object, "`stats`"));
	assert_non_null(strstr(rep.findings[0].object, "`total`"));
	sharing_release(&rep);
}

/* One of the two threads uses `total` in the same line, too, @part times as seldom. */
static void judge_rare(struct sharing_report *rep, uint64_t part)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-2", 1010);
	struct sharing_opts opts = {.platform = NULL};
	struct err err = ERR_INIT;

	f->symbols[3].address = 0x4010;
	fake_main(f, 1);
	for (int i = 0; i < 2; i++)
		fake_create(f, 0, (uint32_t)i, 5, 1005, 1000, 1);
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	fake_line(f, 2, MEM_TOTAL, ADDR_STATS + 16, MANY / part, 500, 1);
	if (sharing_make(rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	fake_free(f);
}

static void fields_of_the_same_threads_are_part_of_it(void **state)
{
	struct sharing_report rep;
	const struct sharing_pair *p;

	(void)state;
	judge_rare(&rep, 16);
	assert_int_equal(rep.n, 1);
	assert_non_null(strstr(rep.findings[0].object, "`total`"));
	/* Each side's rate is that of the field it is shown with. */
	p = &rep.findings[0].pairs[0];
	assert_string_equal(p->b.what, "stats.tx");
	assert_true(p->b.per_s <= 1.001 * p->a.per_s);
	sharing_release(&rep);
	judge_rare(&rep, 1000);
	assert_int_equal(rep.n, 1);
	assert_null(strstr(rep.findings[0].object, "`total`"));
	sharing_release(&rep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rare_neighbours_are_no_part_of_the_finding),
		cmocka_unit_test(frequent_neighbours_are_part_of_it),
		cmocka_unit_test(fields_of_the_same_threads_are_part_of_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
