/* SPDX-License-Identifier: MIT */
/*
 * trace-tests.csv: requirement, derived requirement, test, result; each row is
 * one way in which one derived requirement is verified.  Read from the right it
 * says what a test is for.
 */
#include <string.h>

#include "evidence/pages/pages.h"

struct method {
	const char *derived; /* a `*` at the end stands for any rest */
	const char *test;    /* functions of the test, or what a tool compares */
	const char *gate;    /* whose verdict is the result; NULL: a person */
	const char *file;
};

#define UNIT     "generated unit test"
#define PLATFORM "unit test of the platform file"
#define TESTS    "generated/perseus_triggers_test.c"
static const struct method methods[] = {
	{"DR-01", "case_start; case_enter on a foreign machine", UNIT, TESTS},
	{"DR-01", "cases start_*", PLATFORM, "platform-test.txt"},
	{"DR-02", "case_create; case_create_first; case_enter", UNIT, TESTS},
	{"DR-02", "cases create_*, who_is_calling", PLATFORM, "platform-test.txt"},
	{"DR-02", "table of threads, marks round creations", "perseus-verify", "verify.txt"},
	{"DR-03", "case_enter, case_points: every outcome of a core", UNIT, TESTS},
	{"DR-03", "cases pin_*", PLATFORM, "platform-test.txt"},
	{"DR-04", "case_enter, case_points: every outcome of a step", UNIT, TESTS},
	{"DR-04", "cases step_*", PLATFORM, "platform-test.txt"},
	{"DR-05", "every mode of case_enter and case_points: all go on, each is counted", UNIT, TESTS},
	{"DR-05", "cases count*, store; errors of every system call", PLATFORM, "platform-test.txt"},
	{"DR-06", "case_points, case_turns", UNIT, TESTS},
	{"DR-07", "cases create_lends_the_mask, create_where_*, create_and_no_way_back", PLATFORM,
	 "platform-test.txt"},
	{"DR-08", "cases put_back_at_the_end, nothing_to_put_back, child_of_*", PLATFORM,
	 "platform-test.txt"},
	{"DR-09", "case_tables", UNIT, TESTS},
	{"DR-09", "case start_with_files_of_two_plans", PLATFORM, "platform-test.txt"},
	{"DR-09", "hash of the plan in the binary", "perseus-verify", "verify.txt"},
	{"DR-10", "bound of each function", "bounded stack and branches", "stack.csv"},
	{"DR-10", "rules", "MISRA C:2012", "misra.txt"},
	{"DR-11", "review of the platform file", NULL, "checklist.md"},
	{"DR-S*", "case_tables, case_start, case_enter", UNIT, TESTS},
	{"DR-S*", "the same on the flown object", "unit test on the flown object", "object-coverage.txt"},
	{"DR-S*", "run of the reviewed source", "perseus-source-check", "source-check.txt"},
	{"DR-S*", "row of the table in the binary", "perseus-verify", "verify.txt"},
	{"DR-S*", "row of the checklist", NULL, "checklist.md"},
	{"DR-T*", "case_points: each visit round those named; case_enter", UNIT, TESTS},
	{"DR-T*", "the same on the flown object", "unit test on the flown object", "object-coverage.txt"},
	{"DR-T*", "run of the reviewed source", "perseus-source-check", "source-check.txt"},
	{"DR-T*", "place of the call in the binary", "perseus-verify", "verify.txt"},
	{"DR-T*", "row of the checklist", NULL, "checklist.md"},
	{"DR-12", "case_region: each bit of the register, on entry and while it runs", UNIT, TESTS},
	{"DR-12", "the same on the reviewed source", "perseus-source-check", "source-check.txt"},
	{"DR-F*", "case_flushes: regions in each other", UNIT, TESTS},
	{"DR-F*", "the same on the flown object", "unit test on the flown object", "object-coverage.txt"},
	{"DR-F*", "run of the reviewed source", "perseus-source-check", "source-check.txt"},
	{"DR-F*", "every way out in the binary", "perseus-verify", "verify.txt"},
	{"DR-F*", "row of the checklist", NULL, "checklist.md"},
	{"DR-L*", "size and place in each unit of the binary", "perseus-verify", "verify.txt"},
	{"DR-L*", "row of the checklist", NULL, "checklist.md"},
};

static bool is_of(const struct method *m, const char *id)
{
	size_t n = strlen(m->derived);

	return m->derived[n - 1] == '*' ? !strncmp(m->derived, id, n - 1) : !strcmp(m->derived, id);
}

static const char *result(const struct evidence *p, const struct method *m)
{
	if (!m->gate)
		return "to be signed";
	for (size_t i = 0; i < p->gates.n; i++)
		if (!strcmp(p->gates.at[i].name, m->gate))
			return evidence_verdict_name(p->gates.at[i].verdict);
	return "not run";
}

static void rows(struct strbuf *out, const struct evidence *p, const struct evidence_derived *d,
		 const char *requirement)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const struct method *m = &methods[i];

		if (!is_of(m, d->id))
			continue;
		csv_put(out, requirement);
		csv_put(out, d->id);
		csv_put(out, d->item == PLAN_NONE ? "" : p->items.at[d->item].id);
		csv_put(out, m->test);
		csv_put(out, m->file);
		csv_put(out, m->gate ? m->gate : "review");
		csv_end(out, result(p, m));
	}
}

void tests_csv(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, "requirement,derived requirement,plan item,test,file,gate,result\n");
	for (size_t i = 0; i < p->derived.n; i++) {
		const struct evidence_derived *d = &p->derived.at[i];
		const struct evidence_indices *r =
			d->item == PLAN_NONE ? &d->requirements : &p->items.at[d->item].requirements;

		/* One that serves no requirement of the system has rows, too. */
		for (size_t k = 0; k < r->n || !k; k++)
			rows(out, p, d, k < r->n ? p->requirements.at[r->at[k]].id : "");
	}
}
