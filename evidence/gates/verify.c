/* SPDX-License-Identifier: MIT */
/*
 * perseus-verify on the built program: is it the planned one, and nothing else?
 * What flies is compared with the files of this pack, compiled again by the
 * line that is given; without that line nothing is said of what the triggers do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"
#include "lib/spawn/compile.h"

#define STATUS_INCONCLUSIVE 5 /* of perseus-verify: no layout could be shown */

static const char gate_name[] = "perseus-verify", file_name[] = "verify.txt", report_name[] = "verify.md";
static const char triggers_o[] = "rebuilt/perseus_triggers.o", platform_o[] = "rebuilt/perseus_platform.o";
#define MAX_OBJECTS 4000

/* Under the names of the pack, so that the report says nothing of where they were. */
static int put_files(struct gate_env *b, struct err *err)
{
	const struct evidence_input *in = b->pack->in;
	int ret = run_put(&b->place, "inputs/plan.yaml", in->plan_file.text, in->plan_file.len, err);

	for (size_t i = 0, k = 0; !ret && i < b->pack->objects.n; i++) {
		const struct evidence_source *s =
			b->pack->objects.at[i].is_binary ? &in->binary : &in->objects[k++];

		ret = run_put(&b->place, b->pack->objects.at[i].name, s->text, s->len, err);
	}
	return ret;
}

/* ---- the reviewed files, compiled again ---- */

/* perseus_platform_BACKEND.c, NULL. */
static const char *platform_file(const struct evidence *p)
{
	static const char prefix[] = "perseus_platform_";

	for (size_t i = 0; i < p->in->n_generated; i++)
		if (!strncmp(p->in->generated[i].path, prefix, sizeof(prefix) - 1) &&
		    evidence_is_source(p->in->generated[i].path))
			return p->in->generated[i].path;
	return NULL;
}

/* False: it did not compile. */
static bool compile(struct gate_env *b, const char *source, const char *object, struct strbuf *report,
		    int *ret, struct err *err)
{
	struct run_result r = {0};
	struct compile c;
	bool good;

	compile_make(&c, b->pack->in->cc, source, object);
	*ret = gate_run(b, c.argv, 300, &r, err);
	good = !*ret && !r.status;
	strbuf_printf(report, "%s -g0 -c -o %s %s\nexit status %d%s\n%s\n", b->pack->in->cc, object, source,
		      r.status, r.too_long ? ", stopped by its time limit" : "", r.out.len ? r.out.s : "");
	strbuf_release(&r.out);
	strbuf_release(&c.line);
	return good;
}

/* Into rebuilt/; false: the reviewed files are no program by that line. */
static bool rebuild(struct gate_env *b, struct strbuf *report, int *ret, struct err *err)
{
	const char *platform = platform_file(b->pack);

	*ret = run_put(&b->place, "rebuilt/.made", "", 0, err);
	return !*ret && platform && compile(b, "perseus_triggers.c", triggers_o, report, ret, err) &&
	       compile(b, platform, platform_o, report, ret, err);
}

/* ---- the comparison ---- */

/* perseus-verify PLAN BINARY --report FILE [--grafted] [--rebuilt...] [--objects OBJECT...] */
static const char **command(const struct gate_env *b)
{
	const struct evidence_objects *o = &b->pack->objects;
	const char *head[] = {b->pack->in->verify, "inputs/plan.yaml", o->at[0].name, "--report",
			      report_name};
	const char *rebuilt[] = {"--built-with", b->pack->in->cc, "--rebuilt", triggers_o, platform_o};
	size_t n = sizeof(head) / sizeof(head[0]), m = sizeof(rebuilt) / sizeof(rebuilt[0]);
	const char **argv = mem_new(o->n + n + m + 3, sizeof(*argv));

	memcpy(argv, head, sizeof(head));
	if (evidence_generated(b->pack, "perseus_graft.patch"))
		argv[n++] = "--grafted";
	for (size_t i = 0; b->pack->in->cc && i < m; i++)
		argv[n++] = rebuilt[i];
	for (size_t i = 1; i < o->n; i++) {
		if (i == 1)
			argv[n++] = "--objects";
		argv[n++] = o->at[i].name;
	}
	return argv;
}

static void keep_report(struct gate_env *b)
{
	struct strbuf text = STRBUF_INIT;

	if (run_get(&b->place, report_name, &text))
		strbuf_release(&text);
	else
		evidence_put(b->pack, report_name, "report of perseus-verify, for signing", NULL, &text);
}

/* What perseus-verify says that it did not show. */
struct open_points {
	size_t n;
	struct strbuf first;
};

static bool take_open(void *arg, char *line)
{
	struct open_points *o = arg;

	if (strncmp(line, "not judged: ", 12) && strncmp(line, "not shown: ", 11))
		return true;
	if (!o->n++)
		strbuf_puts(&o->first, line);
	return true;
}

/* Equal is "passed" only if the flown code was compared and nothing was left open. */
static enum evidence_verdict judge_equal(const struct gate_env *b, const struct open_points *o,
					 const char *words, struct strbuf *detail)
{
	if (!b->pack->in->cc) {
		strbuf_puts(detail,
			    "threads and calls are equal, but the code of the triggers was not compared with "
			    "the reviewed files: no compiler line was given (--cc=LINE)");
		return EVIDENCE_NOT_RUN;
	}
	if (o->n) {
		strbuf_printf(detail, "%s; %zu not: %s", words, o->n, o->first.s);
		return EVIDENCE_PARTIAL;
	}
	strbuf_puts(detail,
		    "equal; the generated code in the binary is the compiled form of the reviewed files");
	return EVIDENCE_PASSED;
}

static void verdict(struct gate_env *b, const struct run_result *r)
{
	struct open_points open = {.first = STRBUF_INIT};
	struct strbuf detail = STRBUF_INIT;
	enum evidence_verdict v = EVIDENCE_FAILED;

	gate_lines(r->out.len ? r->out.s : "", take_open, &open);
	if (r->status && r->status != STATUS_INCONCLUSIVE)
		strbuf_printf(&detail, "exit status %d: see verify.txt", r->status);
	else
		v = judge_equal(b, &open, r->status ? "inconclusive" : "equal as far as shown", &detail);
	evidence_gate(b->pack, gate_name, v, &detail, file_name);
	strbuf_release(&open.first);
}

static int verify_compare(struct gate_env *b, struct strbuf *report, struct err *err)
{
	const char **argv = command(b);
	struct run_result r = {0};
	int ret = gate_run(b, argv, 900, &r, err);

	argv[0] = "perseus-verify";
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n%s", r.status,
		      r.too_long ? ", stopped by its time limit" : "", r.out.len ? r.out.s : "");
	if (!ret) {
		verdict(b, &r);
		keep_report(b);
	}
	strbuf_release(&r.out);
	free(argv);
	return ret;
}

static int verify(struct gate_env *b, struct strbuf *report, struct err *err)
{
	struct strbuf detail = STRBUF_INIT;
	int ret = put_files(b, err);

	if (ret)
		return ret;
	if (!b->pack->in->cc || rebuild(b, report, &ret, err))
		return verify_compare(b, report, err);
	if (!ret) {
		strbuf_puts(&detail,
			    "the generated files do not compile with the line of --cc: see verify.txt");
		evidence_gate(b->pack, gate_name, EVIDENCE_FAILED, &detail, file_name);
	}
	return ret;
}

int gate_verify(struct gate_env *b, struct err *err)
{
	struct strbuf report = STRBUF_INIT;
	int ret = 0;

	if (!b->pack->in->binary.path)
		gate_not_run(b, file_name, gate_name, &report, "no binary was given (--binary=FILE)");
	else if (!b->pack->in->verify)
		gate_not_run(b, file_name, gate_name, &report,
			     "perseus-verify is not part of this installation");
	else if (b->pack->objects.n > MAX_OBJECTS)
		gate_not_run(b, file_name, gate_name, &report, "too many objects for one command line");
	else
		ret = verify(b, &report, err);
	if (b->pack->in->binary.path && b->pack->in->verify)
		evidence_tool(b->pack, "perseus-verify", b->pack->in->version,
			      b->pack->in->cc ? "PLAN BINARY --rebuilt OBJECT... --objects OBJECT..."
					      : "PLAN BINARY --objects OBJECT...",
			      "compares the binary with the plan");
	if (b->pack->in->binary.path && b->pack->in->cc)
		evidence_tool(b->pack, "compiler of --cc", "see verify.txt", b->pack->in->cc,
			      "compiles the generated files for perseus-verify");
	evidence_put(b->pack, file_name, "comparison of plan and binary", NULL, &report);
	return ret;
}
