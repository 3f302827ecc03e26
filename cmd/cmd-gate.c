/* SPDX-License-Identifier: MIT */
/* perseus gate: is this build slower than that one?  See perseus-gate(1). */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/gate/baseline.h"
#include "cmd/gate/gate.h"
#include "lib/fs.h"
#include "lib/num.h"

extern const struct cmd cmd_gate;

static int check_base(const struct gate_opts *o)
{
	int ways = !!o->base + !!o->revision + !!o->baseline + !!o->save;

	if (!ways)
		return cmd_usage(
			&cmd_gate,
			"what is '%s' to be compared with?\n  --base=PROGRAM, --base-rev=REVISION or "
			"--baseline=FILE says it",
			o->head);
	if (ways > 1)
		return cmd_usage(&cmd_gate,
				 "one of --base, --base-rev, --baseline and --save-baseline at a time");
	if (!o->sarif != !o->sharing || !o->sharing != !o->sharing_base)
		return cmd_usage(&cmd_gate,
				 "--sarif=FILE, --sharing-base=RUN and --sharing-new=RUN belong together");
	if (!o->revision != !o->build)
		return cmd_usage(&cmd_gate, "--base-rev=REVISION and --build=COMMAND belong together");
	return 0;
}

static int gate_parse(struct gate_opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT(0, "base", &o->base),
		OPTION_REAL("limit", &o->limit, 0.1, 1000, "percent"),
		OPTION_COUNT("max-pairs", &o->max_pairs, 2 * SEQUENTIAL_LEAST, 2 * SEQUENTIAL_MOST, NULL),
		OPTION_COUNT("seed", &o->seed, 0, UINT64_MAX, NULL),
		OPTION_REAL("max-load", &o->max_load, 0, 100, "percent"),
		OPTION_REAL("max-uneven", &o->max_uneven, 0, 1000, "percent"),
		OPTION_COUNT("timeout", &o->limit_s, 1, 1000000, "seconds"),
		OPTION_FLAG(0, "ignore-output", &o->ignore_output),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_TEXT(0, "junit", &o->junit),
		OPTION_TEXT(0, "markdown", &o->markdown),
		OPTION_TEXT(0, "base-rev", &o->revision),
		OPTION_TEXT(0, "build", &o->build),
		OPTION_TEXT(0, "baseline", &o->baseline),
		OPTION_TEXT(0, "save-baseline", &o->save),
		OPTION_TEXT(0, "sarif", &o->sarif),
		OPTION_TEXT(0, "sharing-base", &o->sharing_base),
		OPTION_TEXT(0, "sharing-new", &o->sharing),
		OPTION_TEXT('p', "platform", &o->platform),
		OPTION_END,
	};
	int status = option_read(&cmd_gate, rows, argc, argv, OPTION_PROGRAM);

	if (status)
		return status;
	if (optind >= argc)
		return cmd_usage(&cmd_gate, "the program to judge is missing");
	o->args = argv + optind;
	o->head = o->args[0];
	return check_base(o);
}

static int write_form(void (*form)(const struct gate_finding *, const struct gate_opts *, struct strbuf *),
		      const struct gate_finding *f, const struct gate_opts *o, const char *path)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	int ret;

	form(f, o, &out);
	ret = fs_write(path, out.s, out.len, &err);
	strbuf_release(&out);
	return ret ? cmd_fail(&cmd_gate, &err, cmd_write_status(&err)) : 0;
}

/* The files first: what goes wrong with them outweighs the verdict. */
static int gate_show(const struct gate_finding *f, const struct gate_opts *o)
{
	struct strbuf out = STRBUF_INIT;
	int status = 0;

	if (o->junit)
		status = write_form(gate_junit, f, o, o->junit);
	if (o->markdown && !status)
		status = write_form(gate_markdown, f, o, o->markdown);
	(o->json ? gate_json : gate_text)(f, o, &out);
	if (out.len)
		cmd_put(stdout, out.s);
	strbuf_release(&out);
	return status ? status : gate_status(f);
}

static int cmd_gate_run(int argc, char **argv)
{
	struct gate_opts o = {.limit = 5, .max_pairs = 60, .seed = 1, .max_load = 5.0, .max_uneven = 100.0};
	struct gate_finding f = {.verdict = SEQUENTIAL_OPEN};
	struct err err = ERR_INIT;
	int ret, status = gate_parse(&o, argc, argv);

	if (status)
		return status;
	if (o.save)
		return gate_baseline_run(&cmd_gate, &o);
	f.base = o.base ? o.base : o.baseline;
	f.head = o.head;
	ret = o.revision   ? gate_measure_revision(&f, &o, &err)
	      : o.baseline ? gate_baseline_judge(&f, &o, &err)
			   : gate_measure(&f, &o, o.base, &err);
	if (!ret && o.sarif)
		ret = gate_findings(&f, &o, &err);
	status = ret ? cmd_fail(&cmd_gate, &err, cmd_status(&err)) : gate_show(&f, &o);
	gate_release(&f);
	return status;
}

const struct cmd cmd_gate = {
	.name = "gate",
	.summary = "let a build pass, or not: is it slower than the one before?",
	.reads = "two programs",
	.usage = "usage: perseus gate --base=PROGRAM [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
		 "       perseus gate --base-rev=REVISION --build=COMMAND [OPTION...] [--] PROGRAM ...\n"
		 "       perseus gate --save-baseline=FILE|--baseline=FILE [OPTION...] [--] PROGRAM ...\n\n"
		 "Runs the base and the program in turns on this machine (A B B A), compares what they\n"
		 "print, and says whether the program is slower by the limit.  It stops as soon as that\n"
		 "is known, and says so when it is not.\n\n"
		 "  --base=PROGRAM    the build before, run with the same arguments\n"
		 "  --base-rev=REV    ... or as it is in this revision of git, in a tree of its own\n"
		 "  --build=COMMAND   builds it there, by sh\n"
		 "  --save-baseline=FILE  measure the program alone and add a session to the file\n"
		 "  --baseline=FILE   compare with that, where no program can be run: says less\n"
		 "  --limit=PERCENT   slower by this much has to be found (default 5)\n"
		 "  --max-pairs=N     stop after N pairs of runs at the latest (default 60)\n"
		 "  --seed=N          of the order (default 1)\n"
		 "  --max-load=P      percent of the machine that others may use (default 5)\n"
		 "  --max-uneven=P    percent that a core may take longer than its equals (default 100)\n"
		 "  --timeout=S       kill a run after S seconds\n"
		 "  --ignore-output   do not compare what the programs print\n"
		 "  --json            the result as JSON, schema 1\n"
		 "  --junit=FILE      write it as JUnit XML as well\n"
		 "  --markdown=FILE   ... as Markdown; '-': to stdout\n"
		 "  --sarif=FILE      write the sharing findings that are new, of the runs\n"
		 "                    --sharing-base=RUN and --sharing-new=RUN; they decide nothing\n"
		 "  -p, --platform=P  prices for that, as of `perseus conflicts`\n\n"
		 "Exit status: 0 ok: not slower by the limit; 1 slower, or different output; 2 usage;\n"
		 "3 this machine cannot; 4 a program fails or its output varies; 5 cannot tell.\n",
	.run = cmd_gate_run,
	.executes = true,
};
