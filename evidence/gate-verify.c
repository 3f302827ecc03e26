/* SPDX-License-Identifier: MIT */
/* perseus-verify on the built program: is it the planned one, and nothing else? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gate.h"

static const char gate_name[] = "perseus-verify", file_name[] = "verify.txt", report_name[] = "verify.md";
#define MAX_OBJECTS 4000

static void not_run(struct bench *b, struct strbuf *report, const char *why)
{
	struct strbuf detail = STRBUF_INIT;

	strbuf_puts(&detail, why);
	strbuf_printf(report, "not run: %s\n", why);
	evidence_gate(b->pack, gate_name, EVIDENCE_NOT_RUN, &detail, file_name);
}

/* Under the names of the pack, so that the report says nothing of where they were. */
static int put_files(struct bench *b, struct err *err)
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

/* perseus-verify PLAN BINARY --source FILE --report FILE [--grafted] [--objects OBJECT...] */
static const char **command(const struct bench *b)
{
	const struct evidence_objects *o = &b->pack->objects;
	const char *head[] = {b->pack->in->verify,  "inputs/plan.yaml", o->at[0].name, "--source",
			      "perseus_triggers.c", "--report",         report_name};
	size_t n = sizeof(head) / sizeof(head[0]);
	const char **argv = mem_new(o->n + n + 3, sizeof(*argv));

	memcpy(argv, head, sizeof(head));
	if (evidence_generated(b->pack, "perseus_graft.patch"))
		argv[n++] = "--grafted";
	for (size_t i = 1; i < o->n; i++) {
		if (i == 1)
			argv[n++] = "--objects";
		argv[n++] = o->at[i].name;
	}
	return argv;
}

static void keep_report(struct bench *b)
{
	struct strbuf text = STRBUF_INIT;

	if (run_get(&b->place, report_name, &text))
		strbuf_release(&text);
	else
		evidence_put(b->pack, report_name, "report of perseus-verify, for signing", NULL, &text);
}

static int verify(struct bench *b, struct strbuf *report, struct err *err)
{
	const char **argv = command(b);
	struct strbuf detail = STRBUF_INIT;
	struct run_result r = {0};
	int ret = put_files(b, err);

	if (!ret)
		ret = gate_run(b, argv, 900, &r, err);
	argv[0] = "perseus-verify";
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n%s", r.status,
		      r.too_long ? ", stopped by its time limit" : "", r.out.len ? r.out.s : "");
	strbuf_printf(&detail, "exit status %d: %s", r.status,
		      !r.status ? "the binary is the planned one" : "see verify.txt");
	evidence_gate(b->pack, gate_name, !ret && !r.status ? EVIDENCE_PASSED : EVIDENCE_FAILED, &detail,
		      file_name);
	if (!ret)
		keep_report(b);
	strbuf_release(&r.out);
	free(argv);
	return ret;
}

int gate_verify(struct bench *b, struct err *err)
{
	struct strbuf report = STRBUF_INIT;
	int ret = 0;

	if (!b->pack->in->binary.path)
		not_run(b, &report, "no binary was given (--binary=FILE)");
	else if (!b->pack->in->verify)
		not_run(b, &report, "perseus-verify is not part of this installation");
	else if (b->pack->objects.n > MAX_OBJECTS)
		not_run(b, &report, "too many objects for one command line");
	else
		ret = verify(b, &report, err);
	if (b->pack->in->binary.path && b->pack->in->verify)
		evidence_tool(b->pack, "perseus-verify", b->pack->in->version,
			      "PLAN BINARY --source FILE --report FILE --objects OBJECT...",
			      "compares the binary with the plan");
	evidence_put(b->pack, file_name, "comparison of plan and binary", NULL, &report);
	return ret;
}
