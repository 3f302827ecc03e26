/* SPDX-License-Identifier: MIT */
/* perseus annotate: a source with what a run says of each line.  See perseus-annotate(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/base/pager.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "report/annotate/annotate.h"
#include "report/summary.h"

#define COLUMNS 100u

extern const struct cmd cmd_annotate;

struct opts {
	const char *run, *source;
	const char *denormal; /* a run that counted denormals, NULL */
	const char *platform; /* its prices */
	char *file;
	struct annotate_view view;
	bool json;
};

/* "radar.c:140": a line behind the last colon. */
static int parse_file(struct opts *o, const char *word)
{
	const char *colon = strrchr(word, ':');
	uint64_t line;

	o->file = colon && colon[1] ? mem_strndup(word, (size_t)(colon - word)) : mem_strdup(word);
	if (!colon || !colon[1])
		return 0;
	if (num_u64(colon + 1, 1, UINT32_MAX, &line))
		return cmd_usage(&cmd_annotate, "'%s': expected FILE or FILE:LINE", word);
	o->view.line = (uint32_t)line;
	return 0;
}

/* FILE [RUN...]: one with times or transfers, and one that counted denormals, which has neither. */
static int parse_runs(struct opts *o, int argc, char **argv)
{
	for (int i = optind + 1; i < argc; i++) {
		const char **to = denormal_is_run(argv[i]) ? &o->denormal : &o->run;

		if (*to)
			return cmd_usage(&cmd_annotate,
					 "one run of each purpose at a time, '%s' is one too many", argv[i]);
		*to = argv[i];
	}
	if (!o->run && !o->denormal && denormal_is_run("@last"))
		o->denormal = "@last";
	if (!o->run)
		o->run = o->denormal ? "@last-timing" : "@last";
	return 0;
}

static int annotate_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT(0, "source", &o->source),
		OPTION_TEXT('p', "platform", &o->platform),
		OPTION_FLAG(0, "all", &o->view.all),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.run = NULL};
	ret = option_read(&cmd_annotate, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (optind == argc)
		return cmd_usage(&cmd_annotate, "which source file?");
	ret = parse_runs(o, argc, argv);
	return ret ? ret : parse_file(o, argv[optind]);
}

/* Columns of the terminal, at most those of every other output. */
static size_t columns(void)
{
	size_t n = pager_columns();

	return n && n < COLUMNS ? n : COLUMNS;
}

static int annotate_print(const struct run *run, const struct denormal_case *counted, const struct opts *o)
{
	struct annotate_view view = o->view;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct report_summary s;
	struct annotate a;
	int status = CMD_OK;

	report_summarise(&s, run);
	view.columns = columns();
	if (annotate_make(&a, &s, o->file, o->source, &err)) {
		status = cmd_fail(&cmd_annotate, &err, CMD_DATA);
	} else {
		if (counted)
			annotate_denormals(&a, &counted->rep);
		if (o->json)
			annotate_json(&a, &out);
		else
			annotate_text(&a, &view, &out);
		cmd_put(stdout, out.s);
		annotate_release(&a);
	}
	strbuf_release(&out);
	report_summary_release(&s);
	return status;
}

/* Exit status for what is shown of a run that may be incomplete. */
static int annotate_end(int status, const char *path, bool complete, const char *why)
{
	if (status || complete)
		return status;
	cmd_say(stderr,
		"perseus annotate: '%s' is incomplete: %s\n"
		"  what is shown is right as far as it goes\n",
		path, why ? why : "a part is missing");
	return CMD_DATA;
}

static int annotate_with(const struct run *run, const struct opts *o)
{
	struct err err = ERR_INIT;
	struct denormal_case c;
	int status;

	if (!o->denormal)
		return annotate_print(run, NULL, o);
	if (denormal_case_open(&c, o->denormal, o->platform, &err))
		return cmd_fail(&cmd_annotate, &err, cmd_status(&err));
	status = annotate_print(run, &c, o);
	status = annotate_end(status, c.run.path, !c.run.incomplete, c.run.incomplete);
	denormal_case_close(&c);
	return status;
}

static int annotate_run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run run;
	struct opts o;
	int status = annotate_parse(&o, argc, argv);

	if (!status && run_open(&run, o.run, &err))
		status = cmd_fail(&cmd_annotate, &err, cmd_status(&err));
	else if (!status) {
		status = annotate_with(&run, &o);
		status = annotate_end(status, run.path, run.complete, run.incomplete_why);
		run_close(&run);
	}
	free(o.file);
	return status;
}

const struct cmd cmd_annotate = {
	.name = "annotate",
	.summary = "show a source with the time, calls and waits of each line",
	.reads = "run",
	.writes = NULL,
	.usage = "usage: perseus annotate FILE[:LINE] [--source DIR] [--platform P] [--all] [--json] "
		 "[RUN...]\n"
		 "\n"
		 "Shows a source with what a run (default @last) says of each line: time, calls and\n"
		 "waits; of a sharing run accesses to memory and transfers of cache lines.  FILE is\n"
		 "named as the compiler saw it, or by the end of that; with LINE only what is round\n"
		 "it.  With a run that counted denormals, too, where these are born and what they cost.\n"
		 "\n"
		 "      --source=DIR   where the sources are (default: here)\n"
		 "  -p, --platform=P   prices of denormals (default: platform.yaml, if it is here)\n"
		 "      --all          also stretches of which nothing is known\n"
		 "      --json         the lines of which something is known as JSON, schema 1\n"
		 "\n"
		 "Exit status: 0 shown; 2 usage; 4 no file of the run is called so, or the run is\n"
		 "incomplete (what there is, is shown), missing or corrupt.\n",
	.run = annotate_run_verb,
	.paged = true,
};
