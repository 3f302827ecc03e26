/* SPDX-License-Identifier: MIT */
/* perseus-plan-check on the plan, its platform and its models: do the figures agree, was all computed again? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"

static const char gate_name[] = "perseus-plan-check", file_name[] = "plan-check.txt";

char *evidence_model_name(size_t i)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_printf(&name, "inputs/model-%zu.yaml", i + 1);
	return strbuf_detach(&name);
}

/* Under the names of the pack. */
static int put_files(struct gate_env *b, char **models, struct err *err)
{
	const struct evidence_input *in = b->pack->in;
	int ret = run_put(&b->place, "inputs/plan.yaml", in->plan_file.text, in->plan_file.len, err);

	if (!ret)
		ret = run_put(&b->place, "inputs/platform.yaml", in->platform.text, in->platform.len, err);
	for (size_t i = 0; !ret && i < in->n_models; i++)
		ret = run_put(&b->place, models[i], in->models[i].text, in->models[i].len, err);
	return ret;
}

/* Does the checker say of something that it did not look at it? */
static bool leaves_open(const char *said)
{
	static const char *const words[] = {"not checked", "not independently checked", "not recomputed"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(said, words[i]))
			return true;
	return false;
}

static void verdict(struct gate_env *b, const struct run_result *r)
{
	struct strbuf detail = STRBUF_INIT;
	enum evidence_verdict v = EVIDENCE_PARTIAL;

	if (r->status) {
		v = EVIDENCE_FAILED;
		strbuf_printf(&detail, "exit status %d: see plan-check.txt", r->status);
	} else if (!b->pack->in->n_models) {
		strbuf_puts(&detail, "the platform has what the plan asks for; no figure was computed again "
				     "(no --model)");
	} else if (leaves_open(r->out.len ? r->out.s : "")) {
		strbuf_puts(&detail, "confirmed; plan-check.txt names what was not checked");
	} else {
		v = EVIDENCE_PASSED;
		strbuf_puts(&detail, "confirmed, all figures computed again");
	}
	evidence_gate(b->pack, gate_name, v, &detail, file_name);
}

static int gates_plan_check(struct gate_env *b, char **models, struct strbuf *report, struct err *err)
{
	const struct evidence_input *in = b->pack->in;
	const char **argv = mem_new(2 * in->n_models + 4, sizeof(*argv));
	struct run_result r = {0};
	int ret = put_files(b, models, err);
	size_t n = 0;

	argv[n++] = in->plan_check;
	argv[n++] = "inputs/plan.yaml";
	argv[n++] = "inputs/platform.yaml";
	for (size_t i = 0; i < in->n_models; i++) {
		argv[n++] = "--model";
		argv[n++] = models[i];
	}
	if (!ret)
		ret = gate_run(b, argv, 300, &r, err);
	argv[0] = gate_name;
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n%s", r.status,
		      r.too_long ? ", stopped by its time limit" : "", r.out.len ? r.out.s : "");
	if (!ret)
		verdict(b, &r);
	strbuf_release(&r.out);
	free(argv);
	return ret;
}

int gate_plan(struct gate_env *b, struct err *err)
{
	const struct evidence_input *in = b->pack->in;
	struct strbuf report = STRBUF_INIT;
	char **models;
	int ret = 0;

	if (!in->platform.path) {
		gate_not_run(b, file_name, gate_name, &report,
			     "no platform was given (--platform=FILE, and --model=FILE)");
	} else if (!in->plan_check) {
		gate_not_run(b, file_name, gate_name, &report,
			     "perseus-plan-check is not part of this installation");
	} else {
		models = mem_new(in->n_models + 1, sizeof(*models));
		for (size_t i = 0; i < in->n_models; i++)
			models[i] = evidence_model_name(i);
		ret = gates_plan_check(b, models, &report, err);
		for (size_t i = 0; i < in->n_models; i++)
			free(models[i]);
		free(models);
		evidence_tool(b->pack, gate_name, in->version, "PLAN PLATFORM --model MODEL...",
			      "computes the plan's figures again");
	}
	evidence_put(b->pack, file_name, "the plan against its model and platform", NULL, &report);
	return ret;
}
