/* SPDX-License-Identifier: MIT */
/* perseus analyze: runs in, model out.  See perseus-analyze(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/analyze.h"
#include "analyzer/program.h"
#include "cmd/analyze/print.h"
#include "cmd/base/option.h"
#include "lib/fs.h"
#include "lib/mem.h"

extern const struct cmd cmd_analyze;

struct opts {
	const char *out;
	const char *blocks; /* NULL: not asked for */
	bool partial, json;
	char **runs;
	size_t n_runs;
};

static int analyze_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT('o', "output", &o->out),
		OPTION_TEXT(0, "blocks", &o->blocks),
		OPTION_FLAG(0, "partial", &o->partial),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.out = "model.yaml"};
	ret = option_read(&cmd_analyze, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (o->json && !strcmp(o->out, "-"))
		return cmd_usage(&cmd_analyze, "--json says what was written to a file: not with -o -");
	o->runs = argv + optind;
	o->n_runs = (size_t)(argc - optind);
	return 0;
}

/* What an incomplete run leaves out nobody knows, so the status says so, too. */
static int analyze_finish(const struct run *const *runs, size_t n)
{
	int status = CMD_OK;

	for (size_t i = 0; i < n; i++) {
		if (runs[i]->complete)
			continue;
		cmd_say(stderr,
			"perseus analyze: '%s': %s\n  the model was written from what was recorded up to "
			"there\n",
			runs[i]->path,
			runs[i]->incomplete_why ? runs[i]->incomplete_why : "the run is incomplete");
		status = CMD_DATA;
	}
	return status;
}

static int write_model(const struct opts *o, const struct run *const *runs, size_t n)
{
	struct err err = ERR_INIT;
	struct analysis a;
	struct strbuf blocks = STRBUF_INIT;
	int status = CMD_OK;

	if (analyze_blocks(&a, runs, n, o->partial, o->blocks ? &blocks : NULL, &err))
		return cmd_fail(&cmd_analyze, &err, CMD_DATA);
	if (model_save(&a.model, o->out, &err) ||
	    (o->blocks && fs_write(o->blocks, blocks.s, blocks.len, &err))) {
		status = cmd_fail(&cmd_analyze, &err, cmd_write_status(&err));
	} else {
		if (o->json)
			analyze_print_json(&a, o->out, o->blocks);
		else if (strcmp(o->out, "-"))
			analyze_print(&a, o->out, o->blocks);
		status = analyze_finish(runs, n);
	}
	strbuf_release(&blocks);
	analysis_release(&a);
	return status;
}

/* The runs given, open; refs are what analyze() takes. */
struct set {
	struct run *runs;
	const struct run **refs;
	size_t n;
};

static int open_one(struct set *s, const char *name, struct err *err)
{
	int ret = run_open(&s->runs[s->n], name, err);

	if (!ret) {
		s->refs[s->n] = &s->runs[s->n];
		s->n++;
	}
	return ret;
}

/* The newest timing run and, if it is of the same program, the newest sharing run. */
static int open_last(struct set *s, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = open_one(s, "@last-timing", err);

	if (ret)
		return ret;
	ret = open_one(s, "@last-sharing", &why);
	if (ret == -ENOENT)
		return 0;
	if (!ret) {
		ret = program_same(s->refs[0], s->refs[1], &why);
		if (ret)
			run_close(&s->runs[--s->n]);
	}
	if (ret)
		cmd_say(stderr, "perseus analyze: @last-sharing is left out: %s\n", why.msg);
	return 0;
}

static int analyze_run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct set s = {0};
	struct opts o;
	int ret = 0, status = analyze_parse(&o, argc, argv);

	if (status)
		return status;
	s.runs = mem_new(o.n_runs + 2, sizeof(*s.runs));
	s.refs = mem_new(o.n_runs + 2, sizeof(*s.refs));
	if (!o.n_runs)
		ret = open_last(&s, &err);
	for (size_t i = 0; i < o.n_runs && !ret; i++)
		ret = open_one(&s, o.runs[i], &err);
	status = ret ? cmd_fail(&cmd_analyze, &err, cmd_status(&err)) : write_model(&o, s.refs, s.n);
	while (s.n-- > 0)
		run_close(&s.runs[s.n]);
	free(s.refs);
	free(s.runs);
	return status;
}

const struct cmd cmd_analyze = {
	.name = "analyze",
	.summary = "fit a model of threads, phases, work and conflicts to runs",
	.reads = "runs",
	.writes = "model.yaml",
	.usage = "usage: perseus analyze [-o MODEL] [--blocks=FILE] [--partial] [--json] [RUN...]\n"
		 "\n"
		 "Makes a model of a program from timing runs (threads, phases, work) and sharing\n"
		 "runs (conflicts) of the same build, in any order; at least one timing run.\n"
		 "Without RUN: @last-timing, and @last-sharing if it is of the same program.\n"
		 "Several timing runs give spreads; phases that differ between them are rejected\n"
		 "and the reason is printed.\n"
		 "\n"
		 "  -o, --output=FILE   default model.yaml; - writes it to stdout\n"
		 "      --blocks=FILE   write the first timing run's blocks, too: perseus plan\n"
		 "                      --blocks=FILE simulates its plan on them\n"
		 "      --partial       use incomplete runs as far as they go; the exit status is\n"
		 "                      4 all the same\n"
		 "      --json          what is printed as JSON, schema 1\n"
		 "\n"
		 "Exit status: 0 done, 2 usage, 3 MODEL cannot be written, 4 data incomplete,\n"
		 "corrupt, or of different programs, or one run named twice.\n",
	.run = analyze_run_verb,
};
