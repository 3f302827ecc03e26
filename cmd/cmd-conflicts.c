/* SPDX-License-Identifier: MIT */
/* perseus conflicts: who fights for which cache line, and what it costs.  See perseus-conflicts(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/recordings.h"
#include "cmd/base/option.h"
#include "cmd/conflicts/parts.h"
#include "lib/fs.h"
#include "lib/mem.h"

extern const struct cmd cmd_conflicts;

static bool to_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int n_to_stdout(const struct conflicts_opts *o)
{
	return to_stdout(o->patch) + to_stdout(o->plan) + to_stdout(o->guard) + to_stdout(o->sarif) +
	       to_stdout(o->map);
}

static bool is_id(const char *word)
{
	return !strncmp(word, "share-", 6) && strlen(word) == 12 && strspn(word + 6, "0123456789") == 6;
}

/* Runs and findings are distinguished by their form. */
static int parse_operands(struct conflicts_opts *o, int argc, char **argv)
{
	bool run = false;

	o->choice.ids = mem_new((size_t)(argc - optind) + 1, sizeof(*o->choice.ids));
	o->more = mem_new((size_t)(argc - optind) + 1, sizeof(*o->more));
	for (int i = optind; i < argc; i++) {
		if (is_id(argv[i])) {
			o->choice.ids[o->choice.n_ids++] = argv[i];
		} else if (!run) {
			o->run = argv[i];
			run = true;
		} else {
			o->more[o->n_more++] = argv[i];
		}
	}
	if (o->max_bytes && !o->plan)
		return cmd_usage(&cmd_conflicts, "--max-bytes goes with --plan");
	if (n_to_stdout(o) + o->json > 1)
		return cmd_usage(&cmd_conflicts,
				 "one thing at a time to stdout: --json, --patch, and files called '-'");
	return 0;
}

static int take_patch(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct conflicts_opts *o = to;

	(void)cmd, (void)name;
	o->patch = value ? value : "-";
	return 0;
}

static int take_fail_on(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct conflicts_opts *o = to;

	(void)name;
	o->gate = true;
	return cmd_fail_on(cmd, value, &o->fail_on);
}

static int conflicts_parse(struct conflicts_opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT('p', "platform", &o->platform),
		OPTION_TEXT('t', "timing", &o->timing),
		OPTION_TEXT(0, "source", &o->source),
		OPTION_TEXT(0, "sarif", &o->sarif),
		OPTION_MAYBE("patch", take_patch, o),
		OPTION_TEXT(0, "plan", &o->plan),
		OPTION_COUNT("max-bytes", &o->max_bytes, 1, UINT64_MAX, NULL),
		OPTION_TEXT(0, "guard", &o->guard),
		OPTION_TEXT(0, "map", &o->map),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_FLAG(0, "all", &o->choice.all),
		OPTION_CALL("fail-on", take_fail_on, o),
		OPTION_END,
	};
	int ret;

	*o = (struct conflicts_opts){.run = "@last-sharing"};
	ret = option_read(&cmd_conflicts, rows, argc, argv, OPTION_OPERANDS);
	return ret ? ret : parse_operands(o, argc, argv);
}

/*
 * A gate (--fail-on) fails by what costs too much, and lets nothing pass that the
 * run cannot vouch for, or that may cost too much.  Else reading is all that was
 * asked for.
 */
static int conflicts_finish(const struct sharing_report *rep, const struct run *run,
			    const struct conflicts_opts *o)
{
	if (!run->complete)
		cmd_say(stderr,
			"perseus conflicts: '%s': %s\n  what is shown is what was recorded up to there\n",
			run->path, run->incomplete_why ? run->incomplete_why : "the run is incomplete");
	if (!o->gate)
		return run->complete ? CMD_OK : CMD_DATA;
	return conflicts_gate(rep, o);
}

/* A finding asked for by name must be there. */
static int check_ids(const struct sharing_report *rep, const struct conflicts_opts *o)
{
	for (size_t i = 0; i < o->choice.n_ids; i++) {
		bool found = false;

		for (size_t k = 0; k < rep->n && !found; k++)
			found = !strcmp(rep->findings[k].evidence, o->choice.ids[i]);
		if (!found)
			return cmd_usage(&cmd_conflicts,
					 "the run has no finding '%s'\n  --all shows all of them",
					 o->choice.ids[i]);
	}
	return 0;
}

/* Write the document @text, which is released, to @path. */
static int write_text(const char *path, struct strbuf *text, struct err *err)
{
	int ret = fs_write(path, text->s, text->len, err);

	strbuf_release(text);
	return ret;
}

static int write_files(const struct sharing_report *rep, const struct run *run,
		       const struct conflicts_opts *o, bool *nothing)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	int ret = 0;

	if (o->sarif) {
		conflicts_sarif(rep, run, &o->choice, &sb);
		ret = write_text(o->sarif, &sb, &err);
	}
	if (!ret && o->patch)
		ret = conflicts_patch(rep, run, o, nothing, &err);
	if (!ret && o->plan)
		ret = conflicts_plan(rep, run, o, nothing, &err);
	if (!ret && o->guard)
		ret = conflicts_guard(rep, o, nothing, &err);
	if (!ret && o->map) {
		conflicts_map(run, &sb);
		ret = write_text(o->map, &sb, &err);
	}
	return ret ? cmd_fail(&cmd_conflicts, &err, cmd_write_status(&err)) : 0;
}

/* What goes to stdout: one of the files, JSON, or text. */
static int conflicts_show(const struct sharing_report *rep, const struct run *run,
			  const struct conflicts_opts *o, bool *nothing)
{
	int status = write_files(rep, run, o, nothing);
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct patch sources;

	if (status || n_to_stdout(o))
		return status;
	if (conflicts_sources(&sources, run, o, &err))
		return cmd_fail(&cmd_conflicts, &err, cmd_status(&err));
	if (o->json) {
		conflicts_json(rep, run, &o->choice, &sources, &sb);
		cmd_put(stdout, sb.s);
		strbuf_release(&sb);
	} else {
		conflicts_print(rep, run, o, &sources);
	}
	patch_release(&sources);
	return 0;
}

/* Of the report of @c, with what other recordings say. */
static int judged(struct conflicts_case *c, const struct conflicts_opts *o)
{
	struct err err = ERR_INIT;
	bool nothing = false;
	int status;

	if (recordings_read(&c->rep, c->run, o->more, o->n_more, &c->opts, &err))
		return cmd_fail(&cmd_conflicts, &err, cmd_status(&err));
	status = check_ids(&c->rep, o);
	if (!status)
		status = conflicts_show(&c->rep, c->run, o, &nothing);
	if (!status)
		status = conflicts_finish(&c->rep, c->run, o);
	return !status && nothing ? CMD_NO_PATCH : status;
}

static int with_run(const struct run *run, const struct conflicts_opts *o)
{
	struct err err = ERR_INIT;
	struct conflicts_case c;
	int status;

	if (run->n_processes && run->processes[0].header->purpose == PRS_PURPOSE_TIMING)
		return cmd_usage(&cmd_conflicts,
				 "'%s' is a timing run, which holds no accesses to memory\n"
				 "  perseus record --purpose=sharing PROGRAM makes a run that does",
				 o->run);
	if (conflicts_judge(&c, run, o->timing, o->platform, &err))
		return cmd_fail(&cmd_conflicts, &err, cmd_status(&err));
	status = judged(&c, o);
	conflicts_release(&c);
	return status;
}

static void free_operands(struct conflicts_opts *o)
{
	free(o->choice.ids);
	free(o->more);
}

static int conflicts_run_verb(int argc, char **argv)
{
	struct conflicts_opts o;
	struct err err = ERR_INIT;
	struct run run;
	int status = conflicts_parse(&o, argc, argv);

	if (status) {
		free_operands(&o);
		return status;
	}
	if (run_open(&run, o.run, &err)) {
		free_operands(&o);
		if (!strcmp(o.run, "@last-sharing"))
			err_advise(&err,
				   "it must be a sharing run: perseus record --purpose=sharing PROGRAM");
		return cmd_fail(&cmd_conflicts, &err, cmd_status(&err));
	}
	status = with_run(&run, &o);
	run_close(&run);
	free_operands(&o);
	return status;
}

const struct cmd cmd_conflicts = {
	.name = "conflicts",
	.summary = "show which threads fight for which cache lines, and the remedy",
	.reads = "sharing run",
	.writes = NULL,
	.usage = "usage: perseus conflicts [--platform P] [--timing RUN] [--source DIR] [--all]\n"
		 "                         [--fail-on=PERCENT] [--json] [--sarif=FILE] [--patch[=FILE]]\n"
		 "                         [--plan=FILE [--max-bytes=N]] [--guard=FILE] [--map=FILE]\n"
		 "                         [RUN...] [ID...]\n"
		 "\n"
		 "Judges a run made by `perseus record --purpose=sharing` (default @last-sharing)\n"
		 "and prints its findings by data object and field: false sharing (threads only\n"
		 "meet in a cache line) and true sharing (they need the same bytes).  With IDs\n"
		 "(share-NNNNNN) only those.\n"
		 "\n"
		 "  -p, --platform=P   price the findings: a file of `perseus calibrate`, or a\n"
		 "                     built-in platform (default: platform.yaml, if it is here)\n"
		 "  -t, --timing=RUN   a timing run of the same build: its times are not\n"
		 "                     slowed down by memory probes (default: @last-timing, if it\n"
		 "                     is of the same build and command line)\n"
		 "      --all          also what is too small to matter, and all pairs\n"
		 "      --fail-on=PERCENT  exit status 1 if a finding is sure to cost more of the run\n"
		 "                     time, or if its price is not known\n"
		 "      --json         the same fields as JSON\n"
		 "      --sarif=FILE   write them in SARIF 2.1.0, for code viewers; '-': to stdout\n"
		 "      --patch[=FILE] write a unified diff of the declarations that ends the\n"
		 "                     false sharing (default: to stdout); no source is changed\n"
		 "      --plan=FILE    write or extend a plan whose layouts end it: perseus codegen, and\n"
		 "                     a build with the plan, change no source either\n"
		 "      --max-bytes=N  layouts of N bytes in all, what saves most for a byte first\n"
		 "      --guard=FILE   write or extend a file by which the compiler warns where it is there\n"
		 "                     again: perseus flags --guard=FILE\n"
		 "      --map=FILE     write who used which lines and pages when, as JSON\n"
		 "      --source=DIR   where the sources are (default: here)\n"
		 "\n"
		 "Significant: at least 1 % of run time.  Without prices a finding is a candidate:\n"
		 "10,000 transfers or 2,000,000 accesses of both sides per second between two\n"
		 "threads.\n"
		 "Exit status: 0 shown; 1 a finding fails by --fail-on; 2 usage (also: the run is a\n"
		 "timing run); 3 this machine cannot; 4 data incomplete or corrupt; 5 nothing fails\n"
		 "by --fail-on, but the run is inconclusive, or a cost may be higher; 6 --patch,\n"
		 "--plan or --guard has nothing to write, and writes no file.\n",
	.run = conflicts_run_verb,
	.paged = true,
};
