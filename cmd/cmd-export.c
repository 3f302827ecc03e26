/* SPDX-License-Identifier: MIT */
/* perseus export: a run in the formats of other tools.  See perseus-export(1). */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "lib/fs.h"
#include "report/denormal/report.h"
#include "report/export/export.h"
#include "report/summary.h"

extern const struct cmd cmd_export;

struct opts {
	const char *run, *to, *platform;
	const struct export_format *format;
	enum export_table table;
	bool trace, table_asked;
};

static int take_format(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;
	struct strbuf all = STRBUF_INIT;
	int ret;

	o->format = export_format(value);
	if (o->format)
		return 0;
	for (const struct export_format *f = export_formats; f->name; f++)
		strbuf_printf(&all, "%s%s", f == export_formats ? "" : f[1].name ? ", " : " or ", f->name);
	ret = cmd_usage(cmd, "--%s=%s: expected %s", name, value, all.s);
	strbuf_release(&all);
	return ret;
}

static int take_table(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	static const char *const words[] = {
		[EXPORT_FUNCTIONS] = "functions", [EXPORT_SITES] = "sites", [EXPORT_WAITS] = "waits",
		[EXPORT_THREADS] = "threads",     [EXPORT_TIMES] = "times", NULL};
	struct opts *o = to;
	int i = option_choice(cmd, name, value, words);

	if (i < 0)
		return CMD_USAGE;
	o->table = (enum export_table)i;
	o->table_asked = true;
	return 0;
}

static int parse_operands(struct opts *o, int argc, char **argv)
{
	if (argc - optind > 1)
		return cmd_usage(&cmd_export, "one run at a time, got '%s' and '%s'", argv[optind],
				 argv[optind + 1]);
	if (!o->format)
		return cmd_usage(&cmd_export, "--to FORMAT is missing");
	if (o->table_asked && strcmp(o->format->name, "csv"))
		return cmd_usage(&cmd_export, "--table is of --to csv only");
	if (o->trace && !o->format->timeline)
		return cmd_usage(&cmd_export, "--to %s shows no single calls: not with --trace",
				 o->format->name);
	if (!strcmp(o->format->name, "perfetto") && !strcmp(o->to, "-") && isatty(STDOUT_FILENO))
		return cmd_usage(&cmd_export, "--to perfetto is not for terminals: -o FILE");
	o->run = optind < argc ? argv[optind] : !strcmp(o->format->name, "sarif") ? "@last-sharing" : "@last";
	return 0;
}

static int export_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_CALL("to", take_format, o),          OPTION_TEXT('o', "output", &o->to),
		OPTION_CALL("table", take_table, o),        OPTION_FLAG(0, "trace", &o->trace),
		OPTION_TEXT('p', "platform", &o->platform), OPTION_END,
	};
	int ret;

	*o = (struct opts){.to = "-"};
	ret = option_read(&cmd_export, rows, argc, argv, OPTION_OPERANDS);
	return ret ? ret : parse_operands(o, argc, argv);
}

/* Write the file, all or nothing; an exit status. */
static int write_file(struct export *e, const struct opts *o)
{
	struct err err = ERR_INIT;
	struct fs_file file;
	int ret;

	if (fs_begin(&file, o->to, &err))
		return cmd_fail(&cmd_export, &err, cmd_write_status(&err));
	e->to = file.to;
	ret = export_run(e, o->format, &err);
	if (ret) {
		fs_end(&file, false, NULL);
		return cmd_fail(&cmd_export, &err, e->failed ? cmd_write_status(&err) : cmd_status(&err));
	}
	if (fs_end(&file, true, &err))
		return cmd_fail(&cmd_export, &err, cmd_write_status(&err));
	return CMD_OK;
}

static int write_run(const struct run *run, const struct conflicts_case *judged, const struct opts *o)
{
	struct export e = {.run = run, .judged = judged, .table = o->table, .trace = o->trace};
	struct report_summary s;
	int status;

	report_summarise(&s, run);
	e.s = &s;
	status = write_file(&e, o);
	if (!status && e.notes.len)
		cmd_say(stderr, "perseus export: %s", e.notes.s);
	if (!status && e.partial)
		status = CMD_DATA;
	strbuf_release(&e.out);
	strbuf_release(&e.notes);
	report_summary_release(&s);
	return status;
}

static int with_findings(const struct run *run, const struct opts *o)
{
	struct err err = ERR_INIT;
	struct conflicts_case judged;
	int status;

	if (!o->format->judged || !run->n_processes ||
	    run->processes[0].header->purpose != PRS_PURPOSE_SHARING)
		return write_run(run, NULL, o);
	if (conflicts_judge(&judged, run, NULL, o->platform, &err))
		return cmd_fail(&cmd_export, &err, cmd_status(&err));
	status = write_run(run, &judged, o);
	conflicts_release(&judged);
	return status;
}

/* What counted denormals has findings, and no times. */
static int export_denormals(const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct denormal_case c;
	int status;

	if (denormal_case_open(&c, o->run, o->platform, &err))
		return cmd_fail(&cmd_export, &err, cmd_status(&err));
	denormal_sarif(&c.rep, &out);
	status = c.run.incomplete ? CMD_DATA : CMD_OK;
	if (status)
		cmd_say(stderr, "perseus export: '%s' is incomplete: %s\n", c.run.path, c.run.incomplete);
	if (fs_write(o->to, out.s, out.len, &err))
		status = cmd_fail(&cmd_export, &err, cmd_write_status(&err));
	strbuf_release(&out);
	denormal_case_close(&c);
	return status;
}

static int export_run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run run;
	struct opts o;
	int status = export_parse(&o, argc, argv);

	if (status)
		return status;
	if (!strcmp(o.format->name, "sarif") && denormal_is_run(o.run))
		return export_denormals(&o);
	if (run_open(&run, o.run, &err))
		return cmd_fail(&cmd_export, &err, cmd_status(&err));
	status = with_findings(&run, &o);
	if (!status && !run.complete) {
		cmd_say(stderr,
			"perseus export: '%s' is incomplete: %s\n"
			"  what was written is right as far as it goes\n",
			run.path, run.incomplete_why ? run.incomplete_why : "a part is missing");
		status = CMD_DATA;
	}
	run_close(&run);
	return status;
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write a run in the formats of other tools",
	.reads = "run",
	.writes = "file",
	.usage = "usage: perseus export --to FORMAT [-o FILE] [--table TABLE] [--trace] [-p PLATFORM] [RUN]\n"
		 "\n"
		 "Writes a run (default @last) for other tools.  FORMAT is one of\n\n"
		 "  folded       stacks and nanoseconds, for flame graph tools\n"
		 "  speedscope   JSON of speedscope: the tree of calls; with --trace every call\n"
		 "  callgrind    for callgrind_annotate and KCachegrind: own time and waiting\n"
		 "  perf-script  stacks as `perf script` prints them\n"
		 "  perfetto     what each thread did when, for ui.perfetto.dev: every call of a trace,\n"
		 "               else waits and single long calls\n"
		 "  chrome       the same as JSON, for chrome://tracing\n"
		 "  csv          one table of functions, call sites, waits, threads or times (RFC 4180)\n"
		 "  markdown     a comment for a pull request, at most 30 lines\n"
		 "  quickfix     FILE:LINE:COLUMN: MESSAGE for editors: findings, waits, hot functions\n"
		 "  sarif        findings of a sharing run (default @last-sharing), or births of a run that\n"
		 "               counted denormals, SARIF 2.1.0\n"
		 "\n"
		 "  -o, --output=FILE     where to (default: stdout); all of it or nothing is written\n"
		 "      --table=TABLE     of csv: functions (default), sites, waits, threads, or times:\n"
		 "                        how many calls took how long, by thread and site\n"
		 "      --trace           of speedscope, perfetto, chrome: every call of a run that was\n"
		 "                        recorded with --trace, or nothing\n"
		 "  -p, --platform=P      price findings (default: platform.yaml, if it is here)\n"
		 "\n"
		 "Exit status: 0 written; 2 usage; 3 it cannot be written; 4 the run or its trace is\n"
		 "incomplete (what there is, is written), missing or corrupt, or does not hold what\n"
		 "the format needs.\n",
	.run = export_run_verb,
};
