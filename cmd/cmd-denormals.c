/* SPDX-License-Identifier: MIT */
/* perseus denormals: where denormal numbers are born, what they cost, what ends them.  See perseus-denormals(1). */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/denormals/advice.h"
#include "cmd/denormals/attempt.h"
#include "cmd/denormals/lines.h"
#include "cmd/denormals/map.h"
#include "cmd/denormals/patch.h"
#include "cmd/denormals/plan.h"
#include "lib/fs.h"
#include "report/denormal/report.h"

#define PLATFORM "platform.yaml"

extern const struct cmd cmd_denormals;

struct opts {
	const char *run, *platform;
	const char *patch, *source; /* where the diff goes, NULL: none; where the sources are */
	const char *plan, *map;     /* where the plan or the picture goes, NULL: none */
	bool json, all, gate, tries;
	double fail_on;             /* percent of run time, if gate */
	struct attempt_opts whatif; /* if it tries one */
};

static int take_fail_on(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;

	(void)name;
	o->gate = true;
	return cmd_fail_on(cmd, value, &o->fail_on);
}

/* Without a name, standard output. */
static int take_file(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	(void)cmd, (void)name;
	*(const char **)to = value ? value : "-";
	return 0;
}

static int take_what_if(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;

	(void)name;
	o->tries = true;
	return attempt_parse(cmd, value, &o->whatif);
}

/* What goes with the other half of the verb only. */
static int check(const struct opts *o, int argc, char **argv)
{
	const struct attempt_opts *w = &o->whatif;

	if (!o->tries && (w->compare || w->files.n || w->pairs != ATTEMPT_PAIRS))
		return cmd_usage(&cmd_denormals, "--compare-by, --file and --pairs belong to --what-if");
	if (o->map && (o->all || o->gate || o->json || o->patch || o->plan))
		return cmd_usage(&cmd_denormals, "--map writes a picture, and nothing else");
	if (o->tries && (o->all || o->gate || o->platform || o->patch || o->map))
		return cmd_usage(&cmd_denormals,
				 "--what-if runs a program; --all, --platform and --fail-on are of runs");
	if (o->plan && (o->patch || o->json || o->gate || (o->tries && (!w->function || *o->plan == '-'))))
		return cmd_usage(&cmd_denormals,
				 "--plan goes alone, or with --what-if=ftz:FUNCTION and a file");
	if (o->tries && optind == argc)
		return cmd_usage(&cmd_denormals, "--what-if needs a program, behind `--`");
	if (!o->tries && argc - optind > 1)
		return cmd_usage(&cmd_denormals, "one run at a time, '%s' is one too many", argv[optind + 1]);
	return 0;
}

static int parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT('p', "platform", &o->platform),
		OPTION_FLAG(0, "all", &o->all),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_CALL("fail-on", take_fail_on, o),
		OPTION_MAYBE("patch", take_file, &o->patch),
		OPTION_TEXT(0, "source", &o->source),
		OPTION_MAYBE("plan", take_file, &o->plan),
		OPTION_TEXT(0, "map", &o->map),
		OPTION_CALL("what-if", take_what_if, o),
		OPTION_COUNT("pairs", &o->whatif.pairs, 5, 100000, NULL),
		OPTION_COUNT("seed", &o->whatif.seed, 0, UINT64_MAX, NULL),
		OPTION_LIST(0, "file", &o->whatif.files),
		OPTION_TEXT(0, "compare-by", &o->whatif.compare),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.run = "@last-denormal", .source = ".", .whatif = ATTEMPT_INIT};
	ret = option_read(&cmd_denormals, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	ret = check(o, argc, argv);
	if (optind < argc)
		o->run = argv[optind];
	o->whatif.program = argv + optind;
	o->whatif.json = o->json;
	return ret;
}

/* The platform that was named, else the one that is here; 1: none. */
static int find_platform(struct platform *p, const struct opts *o, struct err *err)
{
	if (o->platform || fs_is_there(PLATFORM, err))
		return platform_find(p, o->platform ? o->platform : PLATFORM, err);
	return 1;
}

/* A gate lets nothing pass that the run cannot vouch for. */
static int gate(const struct denormal_report *r, const struct opts *o)
{
	double wall = (double)r->run->manifest.wall_ns * 1e3, limit = wall * o->fail_on / 100;

	if (r->priced && r->all.low_ps > limit)
		return CMD_FINDINGS;
	if (r->trust != DENORMAL_GOOD || r->all.high_ps * DENORMAL_SLOWER > limit)
		return CMD_INCONCLUSIVE;
	return denormal_report_any(r) && (!r->priced || r->unpriced) ? CMD_INCONCLUSIVE : CMD_OK;
}

/* A diff of the lines with births; CMD_NO_PATCH: there is nothing to change. */
static int patch(const struct denormal_run *run, const struct opts *o)
{
	struct strbuf diff = STRBUF_INIT, notes = STRBUF_INIT;
	struct err err = ERR_INIT;
	int status = CMD_OK;

	if (births_patch(&run->counts, o->source, &diff, &notes, &err))
		status = cmd_fail(&cmd_denormals, &err, cmd_status(&err));
	else if (!diff.len)
		cmd_say(stderr, "perseus denormals: --patch: nothing to change%s\n",
			notes.len ? ":" : ": no births were counted");
	else if (fs_write(o->patch, diff.s, diff.len, &err))
		status = cmd_fail(&cmd_denormals, &err, cmd_write_status(&err));
	if (!status && notes.len)
		cmd_put(stderr, notes.s);
	if (!status && !diff.len)
		status = CMD_NO_PATCH;
	strbuf_release(&diff);
	strbuf_release(&notes);
	return status;
}

/* Flush-to-zero in the functions with births; the machine is the one that was measured. */
static int plan(const struct denormal_run *run, const struct platform *prices, const struct opts *o)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int status = CMD_OK;

	if (flush_plan_make(run, prices, &text, &err))
		status = cmd_fail(&cmd_denormals, &err, err.code == -ENODATA ? CMD_NO_PATCH : CMD_DATA);
	else if (fs_write(o->plan, text.s, text.len, &err))
		status = cmd_fail(&cmd_denormals, &err, cmd_write_status(&err));
	strbuf_release(&text);
	return status;
}

static int show(const struct denormal_run *run, const struct platform *prices, const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct denormal_report r;
	int status;

	denormal_report_make(&r, run, prices);
	flush_advice_find(&r);
	if (o->json)
		denormal_report_json(&r, &out);
	else
		denormal_report_text(&r, o->all, &out);
	cmd_put(stdout, out.s);
	status = o->gate ? gate(&r, o) : CMD_OK;
	denormal_report_release(&r);
	strbuf_release(&out);
	if (!run->incomplete)
		return status;
	cmd_say(stderr, "perseus denormals: '%s': %s\n  what is shown is what was counted up to there\n",
		run->path, run->incomplete);
	return status ? status : CMD_DATA;
}

static int try(const struct opts *o)
{
	const struct attempt_opts *wo = &o->whatif;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct attempt w;
	int status = CMD_OK;

	if (attempt_run(&w, wo, &err)) {
		status = cmd_fail(&cmd_denormals, &err, cmd_status(&err));
	} else if (w.side[0].status && !w.received) {
		err_set(&err, -EINVAL, "'%s' ends with %d as it is: there is nothing to compare with",
			wo->program[0], w.side[0].status);
		status = cmd_fail(&cmd_denormals, &err, CMD_DATA);
	} else {
		if (wo->json)
			attempt_json(&w, wo, &out);
		else
			attempt_text(&w, wo, &out);
		cmd_put(stdout, out.s);
		status = attempt_doubt(&w, wo) ? CMD_INCONCLUSIVE : CMD_OK;
		if (o->plan && !status && flush_plan_note(o->plan, &w, wo, &err))
			status = cmd_fail(&cmd_denormals, &err, cmd_status(&err));
	}
	attempt_release(&w, wo);
	strbuf_release(&out);
	return status;
}

static int show_run(const struct opts *o)
{
	struct platform platform = {0};
	struct err err = ERR_INIT;
	struct denormal_run run;
	int status, priced = find_platform(&platform, o, &err);

	if (priced < 0)
		return cmd_fail(&cmd_denormals, &err, cmd_status(&err));
	if (denormal_run_open(&run, o->run, &err)) {
		if (!strcmp(o->run, "@last-denormal"))
			err_advise(&err, "perseus record --purpose=denormal PROGRAM makes one");
		status = cmd_fail(&cmd_denormals, &err, cmd_status(&err));
	} else {
		const struct platform *prices = priced ? NULL : &platform;

		trap_lines(&run);
		status = o->plan    ? plan(&run, prices, o)
			 : o->patch ? patch(&run, o)
			 : o->map   ? map_draw(&cmd_denormals, &run, o->map)
				    : show(&run, prices, o);
		denormal_run_close(&run);
	}
	platform_release(&platform);
	return status;
}

static int run_verb(int argc, char **argv)
{
	struct opts o;
	int status = parse(&o, argc, argv);

	if (!status)
		status = o.tries ? try(&o) : show_run(&o);
	vec_release(&o.whatif.files);
	return status;
}

const struct cmd cmd_denormals = {
	.name = "denormals",
	.summary = "show where denormal numbers are born, and what they cost",
	.reads = "denormal run",
	.writes = NULL,
	.usage = "usage: perseus denormals [--platform P] [--all] [--json] [--fail-on=PERCENT] [RUN]\n"
		 "       perseus denormals --map=FILE [RUN]\n"
		 "       perseus denormals --patch[=FILE] [--source=DIR] [RUN]\n"
		 "       perseus denormals --plan[=FILE] [--platform P] [RUN]\n"
		 "       perseus denormals --what-if=ftz[:FUNCTION] [--pairs=N] [--seed=N] [--file=F]\n"
		 "                         [--compare-by=COMMAND] [--json] -- PROGRAM [ARGUMENT...]\n"
		 "\n"
		 "Shows what a run made by `perseus record --purpose=denormal` (default\n"
		 "@last-denormal) counted: where denormals are born, the lines and arrays they go\n"
		 "through, what they cost here and elsewhere, and what may be done.\n"
		 "\n"
		 "  -p, --platform=P   price them: a file of `perseus calibrate` (default:\n"
		 "                     platform.yaml, if it is here)\n"
		 "      --all          all lines and arrays\n"
		 "      --json         the same fields as JSON, schema 1\n"
		 "      --fail-on=PERCENT  exit status 1 if they cost more of the run time\n"
		 "      --map=FILE     write a PNG of where in the arrays denormals were stored, and when\n"
		 "      --patch[=FILE] write a unified diff that sets denormal results to zero where they\n"
		 "                     are born (default: to stdout); no source is changed\n"
		 "      --plan[=FILE]  write a plan that flushes to zero where denormals are born; with\n"
		 "                     --what-if=ftz:FUNCTION, note in FILE what was seen\n"
		 "      --source=DIR   where the sources are (default: here)\n"
		 "      --what-if=ftz  run PROGRAM with and without flush-to-zero, in turns, and tell\n"
		 "                     time, denormals left, and the largest change of its output\n"
		 "      --what-if=ftz:FUNCTION  the same while FUNCTION runs, and what it calls\n"
		 "      --pairs=N      how many runs with and without (default 10)\n"
		 "      --seed=N       of the order of the runs (default 1)\n"
		 "      --file=F       compare this file, too, which PROGRAM writes\n"
		 "      --compare-by=COMMAND  run COMMAND A B on both outputs (or the first --file)\n\n"
		 "Exit status: 0 shown; 1 they cost more than --fail-on says; 2 usage; 3 this machine\n"
		 "cannot; 4 data incomplete (what there is, is shown) or corrupt, or PROGRAM fails as\n"
		 "it is; 5 nothing fails by --fail-on, but the counts or prices are incomplete, or the\n"
		 "cost may be higher; or what was tried says nothing, and why; 6 --patch or --plan has\n"
		 "nothing to change, and writes no file.\n",
	.run = run_verb,
	.paged = true,
};
