/* SPDX-License-Identifier: MIT */
/* perseus-source-check on the reviewed perseus_triggers.c: does it do what the plan says? */
#include <stdio.h>

#include "evidence/gates/gate.h"

static const char gate_name[] = "perseus-source-check", file_name[] = "source-check.txt";

static int gates_source_check(struct gate_env *b, struct strbuf *report, struct err *err)
{
	const struct evidence_input *in = b->pack->in;
	const char *argv[] = {in->source_check, "inputs/plan.yaml", "perseus_triggers.c", NULL};
	struct strbuf detail = STRBUF_INIT;
	struct run_result r = {0};
	int ret = run_put(&b->place, argv[1], in->plan_file.text, in->plan_file.len, err);

	if (!ret)
		ret = gate_run(b, argv, 300, &r, err);
	argv[0] = gate_name;
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n%s", r.status,
		      r.too_long ? ", stopped by its time limit" : "", r.out.len ? r.out.s : "");
	if (!ret && r.status)
		strbuf_printf(&detail, "exit status %d: see source-check.txt", r.status);
	else if (!ret)
		strbuf_puts(&detail, "the reviewed source does what the plan says");
	if (!ret)
		evidence_gate(b->pack, gate_name, r.status ? EVIDENCE_FAILED : EVIDENCE_PASSED, &detail,
			      file_name);
	strbuf_release(&r.out);
	return ret;
}

int gate_source(struct gate_env *b, struct err *err)
{
	struct strbuf report = STRBUF_INIT;
	int ret = 0;

	if (b->pack->in->source_check) {
		ret = gates_source_check(b, &report, err);
		evidence_tool(b->pack, gate_name, b->pack->in->version, "PLAN SOURCE",
			      "runs the reviewed source against the plan");
	} else {
		gate_not_run(b, file_name, gate_name, &report,
			     "perseus-source-check is not part of this installation");
	}
	evidence_put(b->pack, file_name, "the reviewed source against the plan", NULL, &report);
	return ret;
}
