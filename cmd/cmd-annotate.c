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

static int annotate_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT(0, "source", &o->source),
		OPTION_FLAG(0, "all", &o->view.all),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.run = "@last"};
	ret = option_read(&cmd_annotate, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (optind == argc)
		return cmd_usage(&cmd_annotate, "which source file?");
	if (argc - optind > 2)
		return cmd_usage(&cmd_annotate, "one file and one run at a time, '%s' is one too many",
				 argv[optind + 2]);
	if (argc - optind == 2)
		o->run = argv[optind + 1];
	return parse_file(o, argv[optind]);
}

/* Columns of the terminal, at most those of every other output. */
static size_t columns(void)
{
	size_t n = pager_columns();

	return n && n < COLUMNS ? n : COLUMNS;
}

static int annotate_print(const struct run *run, const struct opts *o)
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

static int annotate_run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run run;
	struct opts o;
	int status = annotate_parse(&o, argc, argv);

	if (!status && run_open(&run, o.run, &err))
		status = cmd_fail(&cmd_annotate, &err, cmd_status(&err));
	else if (!status) {
		status = annotate_print(&run, &o);
		if (!status && !run.complete) {
			cmd_say(stderr,
				"perseus annotate: '%s' is incomplete: %s\n"
				"  what is shown is right as far as it goes\n",
				run.path, run.incomplete_why ? run.incomplete_why : "a part is missing");
			status = CMD_DATA;
		}
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
	.usage = "usage: perseus annotate FILE[:LINE] [--source DIR] [--all] [--json] [RUN]\n"
		 "\n"
		 "Shows a source with what a run (default @last) says of each line: time, calls and\n"
		 "waits; of a sharing run accesses to memory and transfers of cache lines.  FILE is\n"
		 "named as the compiler saw it, or by the end of that; with LINE only what is round\n"
		 "it.\n"
		 "\n"
		 "      --source=DIR   where the sources are (default: here)\n"
		 "      --all          also stretches of which nothing is known\n"
		 "      --json         the lines of which something is known as JSON, schema 1\n"
		 "\n"
		 "Exit status: 0 shown; 2 usage; 4 no file of the run is called so, or the run is\n"
		 "incomplete (what there is, is shown), missing or corrupt.\n",
	.run = annotate_run_verb,
	.paged = true,
};
