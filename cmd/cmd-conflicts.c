/* SPDX-License-Identifier: MIT */
/* perseus conflicts: who fights for which cache line, and what it costs.  See perseus-conflicts(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/program.h"
#include "cmd/cmd.h"
#include "cmd/conflicts.h"

extern const struct cmd cmd_conflicts;

static int parse(struct conflicts_opts *o, int argc, char **argv)
{
	static const struct option options[] = {
		{"platform", required_argument, NULL, 'p'},
		{"timing", required_argument, NULL, 't'},
		{"json", no_argument, NULL, 'j'},
		{"all", no_argument, NULL, 'a'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*o = (struct conflicts_opts){.run = "@last-sharing"};
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":p:t:", options, NULL)) != -1) {
		if (c == 'p')
			o->platform = optarg;
		else if (c == 't')
			o->timing = optarg;
		else if (c == 'j')
			o->json = true;
		else if (c == 'a')
			o->all = true;
		else
			return cmd_bad_option(&cmd_conflicts, c, argv);
	}
	if (optind < argc)
		o->run = argv[optind++];
	if (optind < argc)
		return cmd_usage(&cmd_conflicts, "one run at a time, '%s' is one too many", argv[optind]);
	return 0;
}

static bool has_purpose(const struct run *run, uint32_t purpose)
{
	return run->n_processes && run->processes[0].header->purpose == purpose;
}

/* The timing run that gives the times: of the same program. */
static int open_timing(struct run *timing, const struct run *run, const struct conflicts_opts *o,
		       struct err *err)
{
	int ret = run_open(timing, o->timing, err);

	if (ret)
		return ret;
	ret = program_same(run, timing, err);
	if (!ret && !has_purpose(timing, PRS_PURPOSE_TIMING))
		ret = err_set(err, -EINVAL, "--timing: '%s' is a sharing run, a timing run is needed",
			      o->timing);
	if (ret)
		run_close(timing);
	return ret;
}

static int finish(const struct sharing_report *rep, const struct run *run)
{
	if (!run->complete) {
		fprintf(stderr,
			"perseus conflicts: '%s': %s\n  what is shown is what was recorded up to there\n",
			run->path, run->incomplete_why ? run->incomplete_why : "the run is incomplete");
		return CMD_DATA;
	}
	return rep->n_false_significant ? CMD_FINDINGS : CMD_OK;
}

static int judge(const struct run *run, const struct run *timing, const struct platform *platform,
		 const struct conflicts_opts *o)
{
	struct sharing_opts opts = {platform, timing};
	struct err err = ERR_INIT;
	struct sharing_report rep;
	int status;

	if (sharing_make(&rep, run, &opts, &err))
		return cmd_fail(&cmd_conflicts, &err, CMD_DATA);
	if (o->json)
		conflicts_print_json(&rep, run);
	else
		conflicts_print(&rep, run, o);
	status = finish(&rep, run);
	sharing_release(&rep);
	return status;
}

static int with_platform(const struct run *run, const struct run *timing, const struct conflicts_opts *o)
{
	struct err err = ERR_INIT;
	struct platform platform;
	int status;

	if (!o->platform)
		return judge(run, timing, NULL, o);
	if (platform_find(&platform, o->platform, &err))
		return cmd_fail(&cmd_conflicts, &err, cmd_status(&err));
	status = judge(run, timing, &platform, o);
	platform_release(&platform);
	return status;
}

static int with_run(const struct run *run, const struct conflicts_opts *o)
{
	struct err err = ERR_INIT;
	struct run timing;
	int status;

	if (has_purpose(run, PRS_PURPOSE_TIMING))
		return cmd_usage(&cmd_conflicts,
				 "'%s' is a timing run, which holds no accesses to memory\n"
				 "  perseus record --purpose=sharing PROGRAM makes a run that does",
				 o->run);
	if (!o->timing)
		return with_platform(run, NULL, o);
	if (open_timing(&timing, run, o, &err))
		return cmd_fail(&cmd_conflicts, &err, cmd_status(&err));
	status = with_platform(run, &timing, o);
	run_close(&timing);
	return status;
}

static int run_verb(int argc, char **argv)
{
	struct conflicts_opts o;
	struct err err = ERR_INIT;
	struct run run;
	int status = parse(&o, argc, argv);

	if (status)
		return status;
	if (run_open(&run, o.run, &err)) {
		if (!strcmp(o.run, "@last-sharing"))
			err_advise(&err,
				   "it must be a sharing run: perseus record --purpose=sharing PROGRAM");
		return cmd_fail(&cmd_conflicts, &err, cmd_status(&err));
	}
	status = with_run(&run, &o);
	run_close(&run);
	return status;
}

const struct cmd cmd_conflicts = {
	.name = "conflicts",
	.summary = "show which threads fight for which cache lines, and the remedy",
	.reads = "sharing run",
	.writes = NULL,
	.usage = "usage: perseus conflicts [--platform P] [--timing RUN] [--all] [--json] [RUN]\n"
		 "\n"
		 "Judges a run made by `perseus record --purpose=sharing` (default @last-sharing)\n"
		 "and prints its findings by data object and field: false sharing (threads only\n"
		 "meet in a cache line) and true sharing (they need the same bytes).\n"
		 "\n"
		 "  -p, --platform P   price the findings: a file of `perseus calibrate`, or a\n"
		 "                     built-in platform\n"
		 "  -t, --timing RUN   a timing run of the same build: its times are not\n"
		 "                     slowed down by memory probes\n"
		 "      --all          also what is too small to matter, and all pairs\n"
		 "      --json         the same fields as JSON\n"
		 "\n"
		 "Significant: at least 1 % of run time if priced, else 10,000 transfers or\n"
		 "2,000,000 accesses of both sides per second between two threads.\n"
		 "Exit status: 1 if a significant false sharing was found, 0 if none, 2 usage\n"
		 "(also: the run is a timing run), 3 this machine cannot, 4 data incomplete or\n"
		 "corrupt.\n",
	.run = run_verb,
};
