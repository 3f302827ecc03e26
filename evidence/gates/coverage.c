/* SPDX-License-Identifier: MIT */
/* The generated unit test, and what of perseus_triggers.c it covers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"

static const char name_test[] = "generated unit test", name_cover[] = "branch coverage of the triggers";
static const char file_name[] = "coverage.txt";

struct step {
	const char *const *argv;
	unsigned seconds;
};

/* Run a step; false if it failed. */
static bool coverage_step(struct gate_env *b, const char *const *argv, unsigned seconds,
			  struct strbuf *report, struct strbuf *said, int *ret, struct err *err)
{
	struct run_result r;
	bool good;

	*ret = gate_run(b, argv, seconds, &r, err);
	good = !*ret && !r.status;
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n", r.status,
		      r.too_long ? ", stopped by its time limit" : "");
	if (said)
		strbuf_puts(said, r.out.len ? r.out.s : "");
	else
		strbuf_puts(report, r.out.len ? r.out.s : "");
	strbuf_release(&r.out);
	return good;
}

static bool build_and_run(struct gate_env *b, struct strbuf *report, struct strbuf *said, int *ret,
			  struct err *err)
{
	static const char *const triggers[] = {"gcc",
					       "-std=c11",
					       "-O0",
					       "--coverage",
					       "-c",
					       "-o",
					       "perseus_triggers.o",
					       "perseus_triggers.c",
					       NULL};
	static const char *const test[] = {
		"gcc", "-std=c11", "-O0", "-c", "-o", "perseus_triggers_test.o", "perseus_triggers_test.c",
		NULL};
	static const char *const link[] = {"gcc",
					   "--coverage",
					   "-o",
					   "perseus_triggers_test",
					   "perseus_triggers_test.o",
					   "perseus_triggers.o",
					   "-pthread",
					   NULL};
	static const char *const run[] = {"./perseus_triggers_test", NULL};

	return coverage_step(b, triggers, 300, report, NULL, ret, err) &&
	       coverage_step(b, test, 300, report, NULL, ret, err) &&
	       coverage_step(b, link, 300, report, NULL, ret, err) &&
	       coverage_step(b, run, 300, report, said, ret, err);
}

struct cover {
	bool ours;
	int files;      /* of ours: the triggers and what they include */
	int good, seen; /* of lines, branches executed, branches taken: how often */
	struct strbuf *out;
};

#define ALL_OF 3 /* figures of a file */

/* "File 'perseus_triggers.c'" */
static void begin_file(struct cover *c, const char *line)
{
	c->ours = strstr(line, "perseus_triggers.c") || strstr(line, "perseus_support.h");
	if (!c->ours)
		return;
	c->files++;
	strbuf_printf(c->out, "%s\n", line);
}

static bool take_cover(void *arg, char *line)
{
	static const char *const figures[] = {
		"Lines executed:", "Branches executed:", "Taken at least once:"};
	struct cover *c = arg;

	if (!strncmp(line, "File ", 5))
		begin_file(c, line);
	c->ours = c->ours && *line; /* the sum of all files stands behind an empty line */
	if (!c->ours)
		return true;
	for (int i = 0; i < 3; i++)
		if (!strncmp(line, figures[i], strlen(figures[i]))) {
			c->seen++;
			c->good += !strncmp(line + strlen(figures[i]), "100.00%", 7);
			strbuf_printf(c->out, "%s\n", line);
		}
	if (!strcmp(line, "No branches")) {
		c->seen += 2;
		c->good += 2;
		strbuf_printf(c->out, "%s\n", line);
	}
	return true;
}

/* How many of the two files have functions: a plan that sets no thread leaves the triggers with data alone. */
static int with_functions(const struct outline_functions *f)
{
	bool triggers = false, support = false;

	for (size_t i = 0; i < f->n; i++) {
		triggers |= !strcmp(f->at[i].file, "perseus_triggers.c");
		support |= !strcmp(f->at[i].file, "perseus_support.h");
	}
	return triggers + support;
}

static int coverage(struct gate_env *b, struct strbuf *report, struct err *err)
{
	static const char *const argv[] = {"gcov", "-b", "-o", ".", "perseus_triggers.o", NULL};
	struct cover c = {.out = report};
	bool good;
	struct strbuf said = STRBUF_INIT, detail = STRBUF_INIT;
	int ret;

	if (!run_has("gcov")) {
		evidence_not_run(b->pack, name_cover, "gcov", "gcc", file_name);
		return 0;
	}
	strbuf_puts(report, "\n");
	if (coverage_step(b, argv, 300, report, &said, &ret, err))
		gate_lines(said.s ? said.s : "", take_cover, &c);
	good = c.files == with_functions(&b->pack->outline.functions) && c.seen == c.files * ALL_OF &&
	       c.good == c.seen;
	strbuf_printf(&detail, "%s",
		      good ? "all lines, all branches both ways" : "not all branches are taken");
	evidence_gate(b->pack, name_cover, good ? EVIDENCE_PASSED : EVIDENCE_FAILED, &detail, file_name);
	strbuf_release(&said);
	return ret ? ret : gate_tool(b, "gcov", "--version", "-b", "branch coverage of the unit test", err);
}

static int test(struct gate_env *b, struct strbuf *report, struct err *err)
{
	struct strbuf said = STRBUF_INIT, detail = STRBUF_INIT;
	unsigned long cases = 0;
	int ret = 0;
	bool good = build_and_run(b, report, &said, &ret, err);

	gate_lines(said.s ? said.s : "", gate_cases, &cases);
	strbuf_puts(report, said.s ? said.s : "");
	good = good && cases;
	if (good)
		strbuf_printf(&detail, "%lu cases, 0 failed", cases);
	else
		strbuf_puts(&detail, "it does not pass");
	evidence_gate(b->pack, name_test, good ? EVIDENCE_PASSED : EVIDENCE_FAILED, &detail, file_name);
	if (!ret)
		evidence_tool(b->pack, "gcc --coverage", "as gcc", "-std=c11 -O0 --coverage",
			      "the generated unit test");
	if (!ret && good)
		ret = coverage(b, report, err);
	else
		strbuf_puts(report, "\ncoverage: not run, since the test does not pass\n");
	if (!ret && !good) {
		struct strbuf why = STRBUF_INIT;

		strbuf_puts(&why, "the unit test does not pass");
		evidence_gate(b->pack, name_cover, EVIDENCE_NOT_RUN, &why, file_name);
	}
	strbuf_release(&said);
	return ret;
}

static void without(struct gate_env *b, struct strbuf *report, const char *why)
{
	const char *const gates[] = {name_test, name_cover};

	for (int i = 0; i < 2; i++) {
		struct strbuf detail = STRBUF_INIT;

		strbuf_puts(&detail, why);
		evidence_gate(b->pack, gates[i], EVIDENCE_NOT_RUN, &detail, file_name);
	}
	strbuf_printf(report, "not run: %s\n", why);
}

int gate_coverage(struct gate_env *b, struct err *err)
{
	struct strbuf report = STRBUF_INIT;
	int ret = 0;

	if (!evidence_generated(b->pack, "perseus_triggers_test.c"))
		without(b, &report, "the generated files hold no perseus_triggers_test.c");
	else if (!run_has("gcc"))
		without(b, &report, "gcc is not installed (apt-get install gcc)");
	else
		ret = test(b, &report, err);
	evidence_put(b->pack, file_name, "unit test and its coverage", NULL, &report);
	return ret;
}
