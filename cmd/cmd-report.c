/* SPDX-License-Identifier: MIT */
/* perseus report: where a run's time went.  See perseus-report(1). */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/num.h"
#include "report/summary.h"

#define ROWS_DEFAULT 15

extern const struct cmd cmd_report;

struct opts {
	const char *run;
	struct report_view view;
	bool json;
};

static int parse_rows(struct opts *o, const char *text)
{
	uint64_t n;

	if (num_u64(text, 1, 1000000, &n))
		return cmd_usage(&cmd_report, "--calls '%s': expected a number from 1 to 1000000", text);
	o->view.rows = (size_t)n;
	return 0;
}

static int parse_sort(struct opts *o, const char *text)
{
	static const char *const names[] = {
		[REPORT_BY_SELF] = "self", [REPORT_BY_TOTAL] = "total", [REPORT_BY_CALLS] = "calls"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			o->view.sort = (enum report_sort)i;
			return 0;
		}
	return cmd_usage(&cmd_report, "--sort '%s': expected self, total or calls", text);
}

static int parse(struct opts *o, int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"threads", no_argument, NULL, 't'},
		{"calls", required_argument, NULL, 'c'},
		{"sort", required_argument, NULL, 's'},
		{NULL, 0, NULL, 0},
	};
	int c, ret = 0;

	*o = (struct opts){.run = "@last", .view = {.rows = ROWS_DEFAULT}};
	opterr = 0;
	while (!ret && (c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (c == 'j')
			o->json = true;
		else if (c == 't')
			o->view.threads = true;
		else if (c == 'c')
			ret = parse_rows(o, optarg);
		else if (c == 's')
			ret = parse_sort(o, optarg);
		else
			ret = cmd_bad_option(&cmd_report, c, argv);
	}
	if (!ret && argc - optind > 1)
		ret = cmd_usage(&cmd_report, "one run at a time, got '%s' and '%s'", argv[optind],
				argv[optind + 1]);
	if (!ret && optind < argc)
		o->run = argv[optind];
	return ret;
}

static void print(const struct run *run, const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct report_summary s;

	report_summarise(&s, run);
	if (o->json)
		report_json(&s, &o->view, &out);
	else
		report_text(&s, &o->view, &out);
	fwrite(out.s, 1, out.len, stdout);
	report_summary_release(&s);
	strbuf_release(&out);
}

static int run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run r;
	struct opts o;
	bool complete;
	int status;

	status = parse(&o, argc, argv);
	if (status)
		return status;
	if (run_open(&r, o.run, &err))
		return cmd_fail(&cmd_report, &err, cmd_status(&err));
	print(&r, &o);
	complete = r.complete;
	if (!complete)
		fprintf(stderr,
			"perseus report: '%s' is incomplete: %s\n"
			"  what is shown is right as far as it goes\n",
			r.path, r.incomplete_why ? r.incomplete_why : "a part is missing");
	run_close(&r);
	return complete ? CMD_OK : CMD_DATA;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "show where the time of a run went",
	.reads = "run",
	.writes = NULL,
	.usage = "usage: perseus report [RUN] [--json] [--threads] [--calls N] [--sort=self|total|calls]\n\n"
		 "Shows where the time of a run went: functions, call sites, waits.  RUN is a\n"
		 "directory, a name below perseus.data/, or @last (the default).\n\n"
		 "  --calls N      rows of each table (default 15)\n"
		 "  --sort KEY     self: without calls inside and without waiting (default);\n"
		 "                 total: with them; calls: how often\n"
		 "  --threads      a table of the threads as well\n"
		 "  --json         the same as JSON, schema 1\n\n"
		 "Exit status: 0 done, 2 usage, 4 the run is incomplete (what there is, is shown),\n"
		 "missing or corrupt.\n",
	.run = run,
};
