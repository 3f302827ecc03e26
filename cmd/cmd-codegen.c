/* SPDX-License-Identifier: MIT */
/* perseus codegen: plan in, reviewable C out.  See perseus-codegen(1). */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/codegen/evidence.h"
#include "cmd/codegen/graft.h"
#include "cmd/codegen/json.h"
#include "cmd/codegen/print.h"
#include "codegen/codegen.h"
#include "lib/fs.h"

#define PLAN_BYTES ((size_t)64 << 20)

const struct cmd cmd_codegen;

struct opts {
	const char *plan;
	const char *dir;
	enum codegen_backend backend;
	enum codegen_frequency frequency;
	enum plan_kind limit;
	struct codegen_evidence evidence;
	struct codegen_graft graft;
	bool json;
};

static int take_kind(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	enum plan_kind *kind = to;

	*kind = plan_kind_of(value);
	return *kind == PLAN_KINDS ? cmd_usage(cmd, "--%s=%s: expected start, phase or call", name, value)
				   : 0;
}

static int codegen_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT('o', "output", &o->dir),
		OPTION_WORD("backend", codegen_backends, &o->backend),
		OPTION_CALL("kind", take_kind, &o->limit),
		OPTION_WORD("frequency", codegen_frequencies, &o->frequency),
		OPTION_FLAG(0, "json", &o->json),
		CODEGEN_EVIDENCE_ROWS(&o->evidence),
		CODEGEN_GRAFT_ROWS(&o->graft),
		OPTION_END,
	};
	int status;

	*o = (struct opts){.plan = "plan.yaml", .dir = "triggers"};
	status = option_read(&cmd_codegen, rows, argc, argv, OPTION_OPERANDS);
	if (status)
		return status;
	if (argc - optind > 1)
		return cmd_usage(&cmd_codegen, "expected one plan, got %d", argc - optind);
	if (optind < argc)
		o->plan = argv[optind];
	if (o->json && (o->graft.root || o->evidence.dir))
		return cmd_usage(&cmd_codegen, "--json says nothing of --graft and --evidence");
	status = codegen_graft_check(&o->graft, &cmd_codegen);
	return status ? status : codegen_evidence_check(&o->evidence, o->dir, &cmd_codegen);
}

static int codegen_load(struct plan *plan, struct codegen_input *in, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *slash = strrchr(path, '/');
	int ret = fs_read(path, PLAN_BYTES, &text, err);

	if (!ret)
		ret = plan_parse(plan, text.s, text.len, path, err);
	if (!ret) {
		in->plan = plan;
		in->plan_name = slash ? slash + 1 : path;
		sha256_of(text.s, text.len, in->sha256);
	}
	strbuf_release(&text);
	return ret;
}

/* Returns an exit status. */
static int write_files(struct opts *o, const struct codegen_input *in, const struct codegen_output *out)
{
	struct err err = ERR_INIT;
	int status, left;

	if (codegen_write(out, o->dir, &err))
		return cmd_fail(&cmd_codegen, &err, cmd_write_status(&err));
	if (o->json) {
		codegen_print_json(in, out, o->dir);
		return CMD_OK;
	}
	codegen_print_made(in, out, o->dir);
	left = codegen_graft_print(&o->graft);
	if (!o->graft.root || o->graft.out.done)
		codegen_print_next(&o->graft, in->plan, o->plan, o->dir, out);
	status = codegen_evidence_store(&o->evidence, &cmd_codegen);
	return status ? status : left;
}

static int codegen_run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct plan plan = {0};
	struct codegen_input in = {0};
	struct codegen_output out = {0};
	struct opts o;
	int status = codegen_parse(&o, argc, argv);

	if (status)
		return status;
	in.backend = o.backend;
	in.frequency = o.frequency;
	in.limit = o.limit;
	if (codegen_load(&plan, &in, o.plan, &err))
		return cmd_fail(&cmd_codegen, &err, cmd_status(&err));
	if (codegen_make(&out, &in, &err)) {
		err_prefix(&err, "%s", o.plan);
		status = cmd_fail(&cmd_codegen, &err, err.code == -ENODATA ? CMD_FINDINGS : CMD_DATA);
	} else {
		status = codegen_graft_make(&o.graft, &cmd_codegen, &in, &out);
		if (!status)
			status = codegen_evidence_make(&o.evidence, &cmd_codegen, o.plan, &in, &out);
		if (!status)
			status = write_files(&o, &in, &out);
	}
	codegen_evidence_release(&o.evidence);
	codegen_graft_release(&o.graft);
	codegen_release(&out);
	plan_release(&plan);
	return status;
}

const struct cmd cmd_codegen = {
	.name = "codegen",
	.summary = "write the triggers of a plan as C that can be reviewed",
	.reads = "plan.yaml",
	.writes = "perseus_triggers.c",
	.usage =
		"usage: perseus codegen [PLAN] [-o DIR] [--backend=BACKEND] [--kind=KIND]\n"
		"         [--json] [--frequency=WAY] [--evidence=DIR [--requirements=FILE] [--previous=PLAN] "
		"[--binary=FILE]\n"
		"          [--objects=FILE]... [--cc=COMPILER] [--platform=P] [--model=FILE]...\n"
		"          [--attach=FILE]...] [--graft=SRCDIR [--program=FILE]]\n\n"
		"Writes the triggers of PLAN (plan.yaml) into DIR (triggers): perseus_triggers.c and .h "
		"with\n"
		"perseus_machine.h; the library that plans share (perseus_status.h,\n"
		"perseus_support.h, perseus_platform.h and the file that serves it);\n"
		"perseus_triggers.plan for the plugin, and perseus_matrix.csv, which ties every\n"
		"item of the plan to its generated line. Prints the commands that build the planned "
		"program.\n\n"
		"  -o, --output=DIR       where the files go; all are replaced on success, or none\n"
		"      --backend=BACKEND  what is under the triggers: linux (affinity and frequency\n"
		"                         steps), posix (nothing can be set: all is counted), stub\n"
		"                         (bodies for an integrator to fill in)\n"
		"      --frequency=WAY    who makes frequency steps, and nobody else: perseusd (the\n"
		"                         default), device (/dev/perseus), cpufreq (files in /sys)\n"
		"      --kind=KIND        refuse a plan that needs more than start (a table applied\n"
		"                         at the start of threads), phase (triggers where phases\n"
		"                         begin) or call (triggers at any call)\n"
		"      --evidence=DIR     an evidence pack, too: trace matrix, derived requirements,\n"
		"                         results of checkers, checklist, hashes of all (runs tools)\n"
		"      --requirements=FILE  what the items of the plan are for, CSV or YAML\n"
		"      --previous=PLAN    what changed against this plan\n"
		"      --binary=FILE      the planned program, for addresses and perseus-verify\n"
		"      --objects=FILE     an object of it; once for each\n"
		"      --cc=COMPILER      the compiler and flags that the generated files of it were\n"
		"                         built with: they are compiled again and compared\n"
		"      --platform=P, --model=FILE  what the plan was made from: it is kept, and the\n"
		"                         plan's figures are computed again\n"
		"      --attach=FILE      kept in the pack: manifest of a run, calibration, result of\n"
		"                         perseus prove\n"
		"      --graft=SRCDIR     a unified diff, too, that puts the calls into the sources,\n"
		"                         for a build without the plugin; what it cannot place is\n"
		"                         listed as `by hand`\n"
		"      --json             what was made as JSON, schema 1; not with --evidence, --graft\n"
		"      --program=FILE     the recorded program: tells which calls inlining has copied\n\n"
		"Exit status: 0 done; 1 a gate failed, something of the graft is left to do by\n"
		"hand, the plan sets nothing, or the trace is not complete (in these two cases\n"
		"nothing is written); 2 usage; 3 cannot write there; 4 the plan is wrong,\n"
		"contradicts itself, or needs more than KIND.\n",
	.run = codegen_run,
};
