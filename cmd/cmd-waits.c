/* SPDX-License-Identifier: MIT */
/* perseus waits: who waits for whom.  See perseus-waits(1). */
#include <getopt.h>
#include <stdbool.h>

#include "cmd/cmd.h"
#include "report/waits.h"

extern const struct cmd cmd_waits;

struct opts {
	const char *run;
	bool json, all;
};

static int parse(struct opts *o, int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"all", no_argument, NULL, 'a'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*o = (struct opts){.run = "@last"};
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (c == 'j')
			o->json = true;
		else if (c == 'a')
			o->all = true;
		else
			return cmd_bad_option(&cmd_waits, c, argv);
	}
	if (argc - optind > 1)
		return cmd_usage(&cmd_waits, "one run at a time, '%s' is one too many", argv[optind + 1]);
	if (optind < argc)
		o->run = argv[optind];
	return 0;
}

/* 1: a significant wait was printed. */
static int print(const struct run *run, const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct report_summary s;
	int status;

	report_summarise(&s, run);
	if (o->json)
		waits_json(&s, &out);
	else
		waits_text(&s, o->all, &out);
	fwrite(out.s, 1, out.len, stdout);
	status = waits_count_significant(&s) ? CMD_FINDINGS : CMD_OK;
	report_summary_release(&s);
	strbuf_release(&out);
	return status;
}

static int run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run run;
	struct opts o;
	int status = parse(&o, argc, argv);

	if (status)
		return status;
	if (run_open(&run, o.run, &err))
		return cmd_fail(&cmd_waits, &err, cmd_status(&err));
	status = print(&run, &o);
	if (!run.complete) {
		fprintf(stderr, "perseus waits: '%s': %s\n  what is shown is what was recorded up to there\n",
			run.path, run.incomplete_why ? run.incomplete_why : "the run is incomplete");
		status = CMD_DATA;
	}
	run_close(&run);
	return status;
}

const struct cmd cmd_waits = {
	.name = "waits",
	.summary = "show which threads wait for which, where, and how long",
	.reads = "run",
	.writes = NULL,
	.usage = "usage: perseus waits [--all] [--json] [RUN]\n\n"
		 "Shows who waits for whom in a run (default @last): at which lock, condition,\n"
		 "semaphore, barrier, pipe or region, for which threads, and what those do there.\n"
		 "Threads of which one feeds the other are shown as a queue, with the time that\n"
		 "each side waits.\n\n"
		 "      --all    also what is too short to matter, and all locks\n"
		 "      --json   the same fields as JSON, schema 1\n\n"
		 "Significant: at least 1 % of thread time spent waiting for threads of the\n"
		 "program.  Exit status: 1 if there is a significant wait, 0 if not, 2 usage,\n"
		 "4 data incomplete (what there is, is shown) or corrupt.\n",
	.run = run_verb,
};
