/* SPDX-License-Identifier: MIT */
/* Counts of the callees of a sampled indirect call, by the calls inside of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "record/names/dealt.h"
#include "record/run.h"

#define SITES                                                                                                \
	"U\t1\t00000000000000aa\t5\t0\tGNU C17 12.2\tcall.c\t-\n"                                            \
	"F\t0\tsrc/call.c\n"                                                                                 \
	"N\t0\tmain\tmain\t0\t100\n"                                                                         \
	"N\t1\toften\toften\t0\t10\n"                                                                        \
	"N\t2\tseldom\tseldom\t0\t20\n"                                                                      \
	"C\t0\t0000000000000c01\t00000000\t0\tindirect\t0\t110\t2\t0\t-\t-\n"                                \
	"C\t1\t0000000000000c02\t00000000\t1\tadd\t0\t11\t2\t0\t-\t-\n"                                      \
	"C\t2\t0000000000000c03\t00000000\t2\tadd\t0\t21\t2\t0\t-\t-\n"                                      \
	"C\t3\t0000000000000c04\t00000000\t0\toften\t0\t120\t2\t0\t-\t-\n"                                   \
	"C\t4\t0000000000000c05\t00000000\t2\tadd\t0\t22\t2\t1\t-\t-\n"                                      \
	"Z\t00000000000000aa\n"

enum { POINTER, IN_OFTEN, IN_SELDOM, DIRECT, SOMETIMES };

#define OFTEN  0x1000
#define SELDOM 0x1100
#define SILENT 0x1200

#define RECORDS_MAX 8

struct scene {
	struct run run;
	struct run_process p;
	struct run_module module;
	struct run_module *tables;
	struct prs_rec_header header;
	struct prs_module raw_module;
	struct prs_unit raw_unit;
	struct run_unit unit;
	uint32_t zero;
	struct run_symbol symbols[3];
	struct run_thread thread;
	struct rec_call records[RECORDS_MAX];
	const struct rec_call *calls[RECORDS_MAX];
	uint64_t totals[RECORDS_MAX];
};

static void begin(struct scene *x)
{
	struct err err = ERR_INIT;

	*x = (struct scene){.raw_module = {.start = 0, .end = 0x10000}};
	assert_int_equal(sites_parse(&x->module.sites, SITES, strlen(SITES), "call", &err), 0);
	x->symbols[0] = (struct run_symbol){OFTEN, 64, 'T', "often"};
	x->symbols[1] = (struct run_symbol){SELDOM, 64, 'T', "seldom"};
	x->symbols[2] = (struct run_symbol){SILENT, 64, 'T', "silent"};
	x->module.symbols = x->symbols;
	x->module.n_symbols = 3;
	x->raw_unit = (struct prs_unit){.unit_id = 0xaa, .n_calls = 5};
	x->unit = (struct run_unit){&x->raw_unit, &x->raw_module, &x->module, x->module.sites.units};
	x->tables = &x->module;
	x->header.n_calls = 5;
	x->p = (struct run_process){.header = &x->header, .modules = &x->raw_module, .n_modules = 1};
	x->p.module_tables = &x->tables;
	x->p.units = &x->unit;
	x->p.n_units = 1;
	x->p.by_call = &x->zero;
	x->p.n_by_call = 1;
	x->p.threads = &x->thread;
	x->p.n_threads = 1;
	x->run.processes = &x->p;
	x->run.n_processes = 1;
	x->thread.records = x->records;
	x->thread.calls = x->calls;
	x->thread.totals = x->totals;
}

/* In the order of sites. */
static void add(struct scene *x, uint32_t site, uint64_t callee, uint64_t calls, uint64_t timed)
{
	size_t i = x->thread.n_calls++;

	x->records[i] = (struct rec_call){.site = site, .callee = callee, .count = calls, .timed = timed};
	x->calls[i] = &x->records[i];
	x->totals[i] = calls;
}

static void settle(struct scene *x)
{
	dealt_calls_settle(&x->run);
	sites_release(&x->module.sites);
}

static void calls_inside_say_how_often(void **state)
{
	struct scene x;

	(void)state;
	begin(&x);
	add(&x, POINTER, OFTEN, 2000, 40);
	add(&x, POINTER, SELDOM, 2741, 60);
	add(&x, POINTER, OFTEN, 1259, 30); /* by another path */
	add(&x, IN_OFTEN, 0, 4010, 4010);
	add(&x, IN_SELDOM, 0, 2000, 2000);
	add(&x, DIRECT, 0, 10, 10);
	add(&x, SOMETIMES, 0, 1900, 1900);
	settle(&x);
	assert_int_equal(x.totals[0] + x.totals[2], 4000);
	assert_int_equal(x.totals[1], 2000);
	assert_true(x.totals[0] > 2200 && x.totals[0] < 2600);
	assert_false(x.records[0].dealt || x.records[1].dealt || x.records[2].dealt);
	assert_int_equal(x.totals[3], 4010);
}

static void a_callee_without_calls_leaves_estimates(void **state)
{
	struct scene x;

	(void)state;
	begin(&x);
	add(&x, POINTER, OFTEN, 3259, 60);
	add(&x, POINTER, SELDOM, 2741, 60);
	add(&x, POINTER, SILENT, 3000, 60);
	add(&x, IN_OFTEN, 0, 4000, 4000);
	add(&x, IN_SELDOM, 0, 2000, 2000);
	settle(&x);
	assert_int_equal(x.totals[0], 3259);
	assert_int_equal(x.totals[1], 2741);
	assert_true(x.records[0].dealt && x.records[1].dealt && x.records[2].dealt);
	/* All are within the range of what few samples say, and no more than there were. */
	assert_true(3259 * x.records[0].fewer < 3000 && 3259 * x.records[0].more > 4000);
	assert_true(3259 * x.records[0].fewer > 60 && 3259 * x.records[0].more < 8880);
}

/* Counts that do not add up are of calls that are not made each time. */
static void sums_that_differ_leave_estimates(void **state)
{
	struct scene x;

	(void)state;
	begin(&x);
	add(&x, POINTER, OFTEN, 3259, 60);
	add(&x, POINTER, SELDOM, 2741, 60);
	add(&x, IN_OFTEN, 0, 4001, 4001);
	add(&x, IN_SELDOM, 0, 2000, 2000);
	settle(&x);
	assert_int_equal(x.totals[0], 3259);
	assert_true(x.records[0].dealt);
}

/* Of one callee that samples met nobody knows whether it was the only one, unless it says so. */
static void one_callee_is_exact_if_its_calls_say_so(void **state)
{
	struct scene x;

	(void)state;
	begin(&x);
	add(&x, POINTER, OFTEN, 5000, 60);
	add(&x, IN_OFTEN, 0, 5000, 5000);
	settle(&x);
	assert_false(x.records[0].dealt);
	begin(&x);
	add(&x, POINTER, OFTEN, 5000, 60);
	add(&x, IN_OFTEN, 0, 4990, 4990);
	settle(&x);
	assert_true(x.records[0].dealt);
	assert_int_equal(x.totals[0], 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_inside_say_how_often),
		cmocka_unit_test(a_callee_without_calls_leaves_estimates),
		cmocka_unit_test(sums_that_differ_leave_estimates),
		cmocka_unit_test(one_callee_is_exact_if_its_calls_say_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
