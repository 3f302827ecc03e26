/* SPDX-License-Identifier: MIT */
/* Which functions are said to have no probes. */
#include "fake.h"

#include "analyzer/lines/unseen.h"

/* Two units: members inlined from a header, functions of two files around one without sites. */
#define TABLES                                                                                               \
	"U\t1\t00000000000000aa\t0\t1\tGNU C++17 12.2\tmeter.cc\t-\n"                                        \
	"F\t0\tmeter.h\nF\t1\tmeter.cc\n"                                                                    \
	"N\t0\tsend\tsend\t0\t6\nN\t1\tfirst\tfirst\t1\t9\nN\t2\tlast\tlast\t0\t30\n"                        \
	"M\t0\t0000000000000d01\t00000001\t0\tA\t8\t0\t6\t2\tsent\t-\t-\t-\t-\tsender:10>step:4\n"           \
	"Z\t00000000000000aa\n"                                                                              \
	"U\t1\t00000000000000ab\t2\t0\tGNU C17 12.2\tboth.c\t-\n"                                            \
	"F\t0\tboth.c\nF\t1\tboth.h\n"                                                                       \
	"N\t0\tabove\tabove\t0\t6\nN\t1\tbelow\tbelow\t1\t9\n"                                               \
	"C\t0\t0000000000000c01\t00000000\t0\tputs\t0\t7\t2\t0\t-\t-\n"                                      \
	"C\t1\t0000000000000c02\t00000000\t1\tputs\t0\t10\t2\t0\t-\t-\n"                                     \
	"Z\t00000000000000ab\n"

/* How often a program is accused whose threads spent all time in @name, between @before and @behind. */
static size_t accused(const char *before, const char *name, const char *behind)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1000);
	struct notes blind = {0}, doubts = {0};
	struct err err = ERR_INIT;
	size_t n;

	sites_release(&f->module.sites);
	assert_int_equal(0, sites_parse(&f->module.sites, TABLES, strlen(TABLES), "meter", &err));
	f->symbols[0] = (struct run_symbol){0x0f00, 64, 'T', before};
	f->symbols[1] = (struct run_symbol){0x1000, 64, 'T', name};
	f->symbols[2] = (struct run_symbol){0x1100, 64, 'T', behind};
	f->module.n_symbols = 3;
	fake_main(f, 1);
	fake_create(f, 0, 0, 0, 1000, 900, 1);
	fake_create(f, 0, 1, 0, 1000, 900, 1);
	unseen_find(&blind, &doubts, &f->run);
	n = blind.n + doubts.n;
	notes_release(&blind);
	notes_release(&doubts);
	fake_free(f);
	return n;
}

static void what_has_no_probes_is_named(void **state)
{
	(void)state;
	assert_int_equal(1, accused("first", "stranger", "behind_nothing"));
	assert_int_equal(1, accused("nothing", "stranger", "first"));
	assert_int_equal(1, accused("first", "stranger", "above"));
	/* A part of a known name is not that name. */
	assert_int_equal(1, accused("nothing", "send_all", "nobody"));
	assert_int_equal(1, accused("nothing", "end", "nobody"));
	assert_int_equal(1, accused("nothing", "ender", "nobody"));
}

static void who_holds_inlined_accesses_has_probes(void **state)
{
	(void)state;
	assert_int_equal(0, accused("nothing", "sender", "nobody"));
	assert_int_equal(0, accused("nothing", "step", "nobody"));
	assert_int_equal(0, accused("nothing", "send", "nobody"));
}

static void neighbours_of_one_unit_tell(void **state)
{
	(void)state;
	assert_int_equal(0, accused("above", "sum", "below"));
	assert_int_equal(0, accused("send", "sum", "last"));
	assert_int_equal(1, accused("above", "sum", "last"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_has_no_probes_is_named),
		cmocka_unit_test(who_holds_inlined_accesses_has_probes),
		cmocka_unit_test(neighbours_of_one_unit_tell),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
