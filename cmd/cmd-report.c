/* SPDX-License-Identifier: MIT */
/* perseus report: where a run's time went.  See perseus-report(1). */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/report/energy.h"
#include "cmd/report/trace.h"
#include "lib/fs.h"
#include "lib/num.h"
#include "report/page/page.h"
#include "report/summary.h"
#include "report/time/paths.h"

#define ROWS_DEFAULT  15
#define PATHS_DEFAULT 40 /* lines of a tree */

extern const struct cmd cmd_report;

struct opts {
	const char *run;
	char **runs;
	size_t n_runs;
	const char *html;
	struct page_wanted page; /* with --html */
	struct report_view view;
	bool json;
	enum { FORM_TABLES, FORM_PATHS, FORM_BOTTOM_UP, FORM_FOLDED } form;
	struct report_trace_opts trace;
	struct report_energy_opts energy;
};

static int take_rows(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;
	uint64_t n = 0;
	int ret = option_count(cmd, name, value, 1, 1000000, NULL, &n);

	o->view.rows = (size_t)n;
	o->view.asked = true;
	return ret;
}

static int take_form(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;

	(void)value;
	if (o->form != FORM_TABLES)
		return cmd_usage(cmd, "one of --paths, --bottom-up and --folded at a time");
	o->form = *name == 'p' ? FORM_PATHS : *name == 'b' ? FORM_BOTTOM_UP : FORM_FOLDED;
	return 0;
}

static int take_timeline(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;
	struct err err = ERR_INIT;

	(void)name;
	return report_trace_timeline(&o->trace, value, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

/* What does not go together; @runs: as they were typed. */
static int report_check(const struct opts *o, char *const *runs)
{
	struct err err = ERR_INIT;

	if (o->n_runs > 1 && !o->html)
		return cmd_usage(&cmd_report, "one run at a time, got '%s' and '%s'", runs[0], runs[1]);
	if (o->html && (o->json || o->trace.wanted || o->form != FORM_TABLES))
		return cmd_usage(&cmd_report, "--html shows all of it: not with other forms");
	if ((o->page.source || o->page.platform || o->page.baseline || o->page.plan || o->page.search) &&
	    !o->html)
		return cmd_usage(&cmd_report,
				 "--source, --platform, --compare, --plan and --search are for --html");
	if ((o->energy.model || o->energy.meter) && !o->html && !o->energy.wanted)
		return cmd_usage(&cmd_report, "--energy-model and --meter are for --energy and --html");
	if (o->energy.rule && o->html)
		return cmd_usage(&cmd_report, "--energy-rule is for --energy without --html");
	if (o->energy.wanted && !o->html && (o->trace.wanted || o->form != FORM_TABLES))
		return cmd_usage(&cmd_report, "--energy is a form of its own");
	if (o->energy.meter && report_energy_check_meter(o->energy.meter, &err))
		return cmd_usage(&cmd_report, "%s", err.msg);
	if (o->form == FORM_FOLDED && o->json)
		return cmd_usage(&cmd_report, "--folded is text of its own: not with --json");
	return 0;
}

static int report_parse(struct opts *o, int argc, char **argv)
{
	static const char *const sorts[] = {
		[REPORT_BY_SELF] = "self", [REPORT_BY_TOTAL] = "total", [REPORT_BY_CALLS] = "calls", NULL};
	const struct option_row rows[] = {
		OPTION_FLAG(0, "json", &o->json),
		OPTION_FLAG(0, "threads", &o->view.threads),
		OPTION_CALL("calls", take_rows, o),
		OPTION_WORD("sort", sorts, &o->view.sort),
		OPTION_FLAG(0, "trace", &o->trace.wanted),
		OPTION_CALL("timeline", take_timeline, o),
		OPTION_FLAG(0, "energy", &o->energy.wanted),
		OPTION_CALL("energy-rule", report_energy_take_rule, &o->energy),
		OPTION_TEXT(0, "energy-model", &o->energy.model),
		OPTION_TEXT(0, "meter", &o->energy.meter),
		OPTION_BARE("paths", take_form, o),
		OPTION_BARE("bottom-up", take_form, o),
		OPTION_BARE("folded", take_form, o),
		OPTION_TEXT(0, "html", &o->html),
		OPTION_TEXT(0, "source", &o->page.source),
		OPTION_TEXT(0, "platform", &o->page.platform),
		OPTION_TEXT(0, "compare", &o->page.baseline),
		OPTION_TEXT(0, "plan", &o->page.plan),
		OPTION_TEXT(0, "search", &o->page.search),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.run = "@last"};
	ret = option_read(&cmd_report, rows, argc, argv, OPTION_OPERANDS);
	o->runs = argv + optind;
	o->n_runs = (size_t)(argc - optind);
	if (o->n_runs)
		o->run = o->runs[0];
	if (!o->view.rows)
		o->view.rows = o->form == FORM_TABLES ? ROWS_DEFAULT : PATHS_DEFAULT;
	return ret ? ret : report_check(o, o->runs);
}

static void print_tree(const struct report_paths *p, const struct opts *o, struct strbuf *out)
{
	if (o->form == FORM_FOLDED)
		report_paths_folded(p, out);
	else if (o->json)
		report_paths_json(p, &o->view, out);
	else
		report_paths_text(p, &o->view, out);
}

/* The calls as a tree, or that tree turned round; an exit status. */
static int print_paths(struct report_summary *s, const struct opts *o, struct strbuf *out)
{
	struct err err = ERR_INIT;
	struct report_paths p, turned;

	if (report_paths_make(&p, s, &err))
		return cmd_fail(&cmd_report, &err, cmd_status(&err));
	if (o->form == FORM_BOTTOM_UP) {
		report_paths_turn(&turned, &p);
		print_tree(&turned, o, out);
		report_paths_release(&turned);
	} else {
		print_tree(&p, o, out);
	}
	report_paths_release(&p);
	return CMD_OK;
}

static int report_print(const struct run *run, const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct report_summary s;
	int status = CMD_OK;

	report_summarise(&s, run);
	if (o->form != FORM_TABLES)
		status = print_paths(&s, o, &out);
	else if (o->json)
		report_json(&s, &o->view, &out);
	else
		report_text(&s, &o->view, &out);
	if (out.len)
		cmd_put(stdout, out.s);
	report_summary_release(&s);
	strbuf_release(&out);
	return status;
}

/* One file of all of it. */
static int report_write_page(const struct opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct page_wanted w = o->page;
	bool complete;
	int status = CMD_OK;

	w.names = o->runs;
	w.n = o->n_runs;
	w.model = o->energy.model;
	w.meter = o->energy.meter;
	w.source = w.source ? w.source : ".";
	if (page_of_runs(&w, &out, &complete, &err))
		return cmd_fail(&cmd_report, &err, cmd_status(&err));
	if (fs_write(o->html, out.s, out.len, &err))
		status = cmd_fail(&cmd_report, &err, cmd_write_status(&err));
	else if (strcmp(o->html, "-"))
		cmd_print("wrote %s, %.1f MB: it opens in a browser from disk\n", o->html,
			  (double)out.len / 1e6);
	strbuf_release(&out);
	if (!status && !complete)
		cmd_say(stderr, "perseus report: a run is incomplete; the page says what is missing\n");
	return status ? status : complete ? CMD_OK : CMD_DATA;
}

static int report_run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run r;
	struct opts o;
	bool complete;
	int status, shown;

	status = report_parse(&o, argc, argv);
	if (status)
		return status;
	if (o.html)
		return report_write_page(&o);
	if (run_open(&r, o.run, &err))
		return cmd_fail(&cmd_report, &err, cmd_status(&err));
	if (o.energy.wanted)
		shown = report_energy_print(&cmd_report, &o.energy, &r, &o.view, o.json);
	else if (o.trace.wanted)
		shown = report_trace_print(&cmd_report, &o.trace, &r, &o.view, o.json);
	else
		shown = report_print(&r, &o);
	complete = r.complete;
	if (!complete)
		cmd_say(stderr,
			"perseus report: '%s' is incomplete: %s\n"
			"  what is shown is right as far as it goes\n",
			r.path, r.incomplete_why ? r.incomplete_why : "a part is missing");
	run_close(&r);
	return complete ? shown : CMD_DATA;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "show where the time of a run went",
	.reads = "run",
	.writes = NULL,
	.usage =
		"usage: perseus report [RUN] [--json] [--threads] [--calls N] [--sort=self|total|calls]\n"
		"       perseus report [RUN] --paths|--bottom-up|--folded [--calls N] [--json]\n"
		"       perseus report [RUN] --energy [--energy-rule RULE] [--energy-model FILE]\n"
		"                      [--meter FILE] [--calls N] [--json]\n"
		"       perseus report [RUN...] --html=FILE [--source DIR] [--platform P] [--compare "
		"RUN]\n"
		"                      [--plan FILE] [--search FILE] [--energy-model FILE] [--meter FILE]\n\n"
		"Shows where the time of a run went: functions, call sites, waits.  RUN is a\n"
		"directory, a name below perseus.data/, or @last (the default).\n\n"
		"  --calls=N      rows of each table (default 15)\n"
		"  --sort=KEY     self: without calls inside and without waiting (default);\n"
		"                 total: with them; calls: how often\n"
		"  --threads      a table of the threads as well\n"
		"  --paths        who called whom: the calls as a tree, from the start of each thread\n"
		"  --bottom-up    functions by self time, and below each who called it\n"
		"  --folded       the tree as text that flame graph tools read, in nanoseconds\n"
		"  --trace        the figures out of every call of the trace, and whether they\n"
		"                 agree with those of the record (after perseus record --trace)\n"
		"  --timeline=N   the first N calls of the trace in order\n"
		"  --energy       joules by program, thread, function, call site and phase, after\n"
		"                 perseus record --energy\n"
		"  --energy-rule=RULE  whose it is what the machine draws anyway: activity (default),\n"
		"                 time, or equal for each thread\n"
		"  --energy-model=FILE  energy.yaml: joules where there is no meter, and what of the\n"
		"                 measured ones each function causes\n"
		"  --meter=FILE   the file of an external meter, as of perseus record\n"
		"  --json         the same as JSON, schema 1\n"
		"  --html=FILE    all of it as one page for a browser, which needs no network; of\n"
		"                 a timing and a sharing run (default: @last, with the last of the\n"
		"                 other purpose, if that is of the same build), and one that counted\n"
		"                 denormals (default: the last of a program of that name)\n"
		"  --source=DIR   where the sources are, for what a patch would change (default: .)\n"
		"  --platform=P   prices of its findings (default: platform.yaml, if it is here)\n"
		"  --compare=RUN  what changed since: a run, a document, or another page\n"
		"  --plan=FILE    the cores that a plan.yaml wants, set against what happened\n"
		"  --search=FILE  the page of the search that made it, which `perseus plan` left\n\n"
		"Exit status: 0 done, 2 usage, 3 no joules are known, 4 the run is incomplete (what there "
		"is, is shown),\n"
		"missing or corrupt.\n",
	.run = report_run,
	.paged = true,
};
