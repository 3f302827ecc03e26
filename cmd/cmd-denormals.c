/* SPDX-License-Identifier: MIT */
/* perseus denormals: where denormal numbers are born, what they cost, what ends them.  See perseus-denormals(1). */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "report/denormal/report.h"

#define PLATFORM "platform.yaml"

extern const struct cmd cmd_denormals;

struct opts {
	const char *run, *platform;
	bool json, all, gate;
	double fail_on; /* percent of run time, if gate */
};

static int take_fail_on(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;

	(void)name;
	o->gate = true;
	return cmd_fail_on(cmd, value, &o->fail_on);
}

static int parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT('p', "platform", &o->platform),
		OPTION_FLAG(0, "all", &o->all),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_CALL("fail-on", take_fail_on, o),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.run = "@last-denormal"};
	ret = option_read(&cmd_denormals, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (argc - optind > 1)
		return cmd_usage(&cmd_denormals, "one run at a time, '%s' is one too many", argv[optind + 1]);
	if (optind < argc)
		o->run = argv[optind];
	return 0;
}

/* The platform that was named, else the one that is here; 1: none. */
static int find_platform(struct platform *p, const struct opts *o, struct err *err)
{
	if (o->platform)
		return platform_find(p, o->platform, err);
	return access(PLATFORM, F_OK) ? 1 : platform_load(p, PLATFORM, err);
}

/* A gate lets nothing pass that the run cannot vouch for. */
static int gate(const struct denormal_report *r, const struct opts *o)
{
	double wall = (double)r->run->manifest.wall_ns * 1e3, limit = wall * o->fail_on / 100;

	if (r->priced && r->all.low_ps > limit)
		return CMD_FINDINGS;
	if (r->trust != DENORMAL_GOOD || r->all.high_ps > limit)
		return CMD_INCONCLUSIVE;
	return denormal_report_any(r) && (!r->priced || r->unpriced) ? CMD_INCONCLUSIVE : CMD_OK;
}

static int show(const struct denormal_run *run, const struct platform *prices, const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct denormal_report r;
	int status;

	denormal_report_make(&r, run, prices);
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

static int run_verb(int argc, char **argv)
{
	struct platform platform = {0};
	struct err err = ERR_INIT;
	struct denormal_run run;
	struct opts o;
	int priced, status = parse(&o, argc, argv);

	if (status)
		return status;
	priced = find_platform(&platform, &o, &err);
	if (priced < 0)
		return cmd_fail(&cmd_denormals, &err, cmd_status(&err));
	if (denormal_run_open(&run, o.run, &err)) {
		if (!strcmp(o.run, "@last-denormal"))
			err_advise(&err, "perseus record --purpose=denormal PROGRAM makes one");
		status = cmd_fail(&cmd_denormals, &err, cmd_status(&err));
	} else {
		status = show(&run, priced ? NULL : &platform, &o);
		denormal_run_close(&run);
	}
	platform_release(&platform);
	return status;
}

const struct cmd cmd_denormals = {
	.name = "denormals",
	.summary = "show where denormal numbers are born, and what they cost",
	.reads = "denormal run",
	.writes = NULL,
	.usage = "usage: perseus denormals [--platform P] [--all] [--json] [--fail-on=PERCENT] [RUN]\n"
		 "\n"
		 "Shows what a run made by `perseus record --purpose=denormal` (default\n"
		 "@last-denormal) counted: where denormals are born, the lines and arrays they go\n"
		 "through, what they cost here and elsewhere, and what may be done.\n"
		 "\n"
		 "  -p, --platform=P   price them: a file of `perseus calibrate` (default:\n"
		 "                     platform.yaml, if it is here)\n"
		 "      --all          all lines and arrays\n"
		 "      --json         the same fields as JSON, schema 1\n"
		 "      --fail-on=PERCENT  exit status 1 if they cost more of the run time\n\n"
		 "Exit status: 0 shown; 1 they cost more than --fail-on says; 2 usage; 3 this machine\n"
		 "cannot; 4 data incomplete (what there is, is shown) or corrupt; 5 nothing fails by\n"
		 "--fail-on, but the counts or prices are incomplete, or the cost may be higher.\n",
	.run = run_verb,
	.paged = true,
};
