/* SPDX-License-Identifier: MIT */
/* perseus waits: who waits for whom.  See perseus-waits(1). */
#include <getopt.h>
#include <stdbool.h>

#include "cmd/base/option.h"
#include "report/critical/critical.h"
#include "report/summary.h"
#include "report/waits/waits.h"

extern const struct cmd cmd_waits;

struct opts {
	const char *run;
	bool json, all, gate, critical;
	double fail_on; /* percent of thread time, if gate */
};

static int take_fail_on(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;

	(void)name;
	o->gate = true;
	return cmd_fail_on(cmd, value, &o->fail_on);
}

static int waits_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_FLAG(0, "json", &o->json),
		OPTION_FLAG(0, "all", &o->all),
		OPTION_FLAG(0, "critical-path", &o->critical),
		OPTION_CALL("fail-on", take_fail_on, o),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.run = "@last"};
	ret = option_read(&cmd_waits, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (argc - optind > 1)
		return cmd_usage(&cmd_waits, "one run at a time, '%s' is one too many", argv[optind + 1]);
	if (o->critical && (o->gate || o->all))
		return cmd_usage(&cmd_waits, "--critical-path does not go with --%s",
				 o->gate ? "fail-on" : "all");
	if (optind < argc)
		o->run = argv[optind];
	return 0;
}

/* CMD_FINDINGS: a wait is longer than --fail-on allows. */
static int waits_print(const struct run *run, const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct report_summary s;
	int status;

	report_summarise(&s, run);
	if (o->critical)
		report_critical_put(&s, o->json, &out);
	else if (o->json)
		waits_json(&s, &out);
	else
		waits_text(&s, o->all, &out);
	cmd_put(stdout, out.s);
	status = o->gate && waits_longer(&s, o->fail_on / 100) ? CMD_FINDINGS : CMD_OK;
	report_summary_release(&s);
	strbuf_release(&out);
	return status;
}

static int waits_run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run run;
	struct opts o;
	int status = waits_parse(&o, argc, argv);

	if (status)
		return status;
	if (run_open(&run, o.run, &err))
		return cmd_fail(&cmd_waits, &err, cmd_status(&err));
	status = waits_print(&run, &o);
	if (!run.complete) {
		cmd_say(stderr, "perseus waits: '%s': %s\n  what is shown is what was recorded up to there\n",
			run.path, run.incomplete_why ? run.incomplete_why : "the run is incomplete");
		status = status ? status : o.gate ? CMD_INCONCLUSIVE : CMD_DATA;
	}
	run_close(&run);
	return status;
}

const struct cmd cmd_waits = {
	.name = "waits",
	.summary = "show which threads wait for which, where, and how long",
	.reads = "run",
	.writes = NULL,
	.usage =
		"usage: perseus waits [--all | --critical-path] [--json] [--fail-on=PERCENT] [RUN]\n\n"
		"Shows who waits for whom in a run (default @last): at which lock, condition,\n"
		"semaphore, barrier, pipe or region, for which threads, and what those do there.\n"
		"Threads of which one feeds the other are shown as a queue, with the time that\n"
		"each side waits.\n\n"
		"      --all               also what is too short to matter, and all locks\n"
		"      --critical-path     what the length of the run depends on, and what would shorten it\n"
		"      --json              the same fields as JSON, schema 1\n"
		"      --fail-on=PERCENT   exit status 1 if a wait takes more of the thread time\n\n"
		"Significant: at least 1 % of thread time spent waiting for threads of the\n"
		"program.  Exit status: 0 shown; 1 a wait for threads of the program takes more\n"
		"than --fail-on says; 2 usage; 4 data incomplete (what there is, is shown) or\n"
		"corrupt; 5 nothing fails by --fail-on, but the run is incomplete.\n",
	.run = waits_run_verb,
	.paged = true,
};
