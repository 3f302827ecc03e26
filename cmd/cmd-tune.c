/* SPDX-License-Identifier: MIT */
/* perseus tune: which settings of a program are best?  See perseus-tune(1). */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/tune/tune.h"
#include "lib/fs.h"
#include "tuner/log/log.h"

extern const struct cmd cmd_tune;

static int tune_parse(struct tune_opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT(0, "space", &o->space),
		OPTION_COUNT("trials", &o->trials, 20, 100000, NULL),
		OPTION_REAL("worth", &o->worth, 0, 1e12, "runs"),
		OPTION_REAL("drop", &o->drop, 0.01, 50, "percent"),
		OPTION_REAL("slow", &o->slow, 0, 1e6, "times"),
		OPTION_COUNT("confirm", &o->confirm, VERDICT_LEAST, 1000, "pairs"),
		OPTION_COUNT("timeout", &o->timeout_s, 1, 1000000, "seconds"),
		OPTION_COUNT("seed", &o->seed, 0, UINT64_MAX, NULL),
		OPTION_TEXT(0, "figure", &o->figure),
		OPTION_FLAG(0, "more", &o->more),
		OPTION_TEXT(0, "check", &o->check),
		OPTION_FLAG(0, "ignore-output", &o->ignore_output),
		OPTION_LIST(0, "template", &o->templates),
		OPTION_TEXT(0, "log", &o->log),
		OPTION_FLAG(0, "resume", &o->resume),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_TEXT(0, "settings", &o->settings),
		OPTION_TEXT(0, "environment", &o->environment),
		OPTION_TEXT(0, "header", &o->header),
		OPTION_END,
	};
	int status = option_read(&cmd_tune, rows, argc, argv, OPTION_PROGRAM);

	if (status)
		return status;
	if (optind >= argc)
		return cmd_usage(&cmd_tune, "the program to tune is missing");
	if (!o->space)
		return cmd_usage(&cmd_tune,
				 "what can be set?\n  --space=FILE says it: perseus-tune(1) shows one");
	if (o->more && !o->figure)
		return cmd_usage(&cmd_tune, "--more is said of a figure: --figure=NAME");
	if (o->resume && !o->log)
		return cmd_usage(&cmd_tune, "--resume goes on with a log: --log=FILE");
	o->args = argv + optind;
	return 0;
}

/* All that the questions and answers of a search depend on. */
static void tune_key(const struct tune_opts *o, const struct space *space, char hex[SHA256_HEX])
{
	struct strbuf all = STRBUF_INIT;
	struct sha256 sha;
	char of_space[SHA256_HEX];

	space_hash(space, of_space);
	strbuf_printf(&all, "%s %lu %lu %g %g %g %lu %lu %d %d", of_space, (unsigned long)o->trials,
		      (unsigned long)o->seed, o->drop, o->worth, o->slow, (unsigned long)o->confirm,
		      (unsigned long)o->timeout_s, o->more, o->ignore_output);
	strbuf_printf(&all, " figure %s check %s", o->figure ? o->figure : "", o->check ? o->check : "");
	for (size_t i = 0; i < o->templates.n; i++)
		strbuf_printf(&all, " template %s", o->templates.at[i]);
	for (char **word = o->args; *word; word++)
		strbuf_printf(&all, " word %s", *word);
	sha256_init(&sha);
	sha256_add(&sha, all.s, all.len);
	sha256_hex(&sha, hex);
	strbuf_release(&all);
}

static int tune_write(const char *path, void (*form)(const struct tune_finding *, struct strbuf *),
		      const struct tune_finding *f, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	if (path) {
		form(f, &out);
		ret = fs_write(path, out.s, out.len, err);
	}
	strbuf_release(&out);
	return ret;
}

/* Print and write; the exit status. */
static int tune_show(const struct tune_finding *f, struct err *err)
{
	const struct tune_opts *o = f->o;
	struct strbuf out = STRBUF_INIT;
	int ret = tune_write(o->settings, tune_settings, f, err);

	if (!ret)
		ret = tune_write(o->environment, tune_environment, f, err);
	if (!ret)
		ret = tune_write(o->header, tune_header, f, err);
	if (!ret)
		ret = tune_templates(o, f->space, tune_choice(f), err);
	(o->json ? tune_json : tune_text)(f, &out);
	cmd_put(stdout, out.s);
	strbuf_release(&out);
	if (ret)
		return cmd_fail(&cmd_tune, err, cmd_write_status(err));
	return f->judged && !f->v.gain ? CMD_INCONCLUSIVE : CMD_OK;
}

/* Search, compare, show; an exit status. */
static int tune_search(const struct tune_opts *o, const struct space *space, struct tune_lab *lab,
		       struct log *log)
{
	struct tuner_options options = {o->seed,     o->trials, o->drop / 100, o->worth, o->slow,
					log_measure, log};
	struct tune_finding f = {.o = o, .space = space, .lab = lab};
	struct err err = ERR_INIT;
	struct tuner s;
	int ret, status;

	lab->planned = o->trials + 2 * o->confirm;
	tuner_init(&s, space, &options);
	f.s = &s;
	ret = tuner_run(&s, &err);
	f.judged = !ret && s.winner != 0;
	if (f.judged)
		ret = tuner_verdict(&s, o->confirm, &f.v, &err);
	if (isatty(STDERR_FILENO))
		cmd_again(stderr);
	if (ret && lab->received && o->log)
		err_advise(&err, "the same command with --resume goes on");
	if (ret && s.end == TUNER_BROKEN && lab->why.len)
		err_advise(&err, "%.*s", (int)lab->why.len - 1, lab->why.s);
	if (ret)
		status = lab->received ? 128 + lab->received : cmd_fail(&cmd_tune, &err, cmd_status(&err));
	else
		status = tune_show(&f, &err);
	if (ret && lab->received)
		cmd_fail(&cmd_tune, &err, status);
	tuner_release(&s);
	return status;
}

static int cmd_tune_run(int argc, char **argv)
{
	struct tune_opts o = {.trials = 200, .drop = 5, .worth = 1000, .slow = 5, .confirm = 20, .seed = 1};
	struct tune_lab lab = {.null = -1, .out = -1};
	struct err err = ERR_INIT;
	char key[SHA256_HEX];
	struct space space;
	struct log log;
	int ret, status = tune_parse(&o, argc, argv);

	if (status) {
		vec_release(&o.templates);
		return status;
	}
	ret = space_load(&space, o.space, &err);
	if (!ret) {
		tune_key(&o, &space, key);
		ret = tune_lab_open(&lab, &o, &space, &err);
		if (!ret)
			ret = log_open(&log, o.log, o.resume, key, &space, &err);
		log.measure = tune_trial;
		log.arg = &lab;
		status = ret ? 0 : tune_search(&o, &space, &lab, &log);
		if (!ret)
			log_close(&log);
		tune_lab_close(&lab);
		space_release(&space);
	}
	vec_release(&o.templates);
	return ret ? cmd_fail(&cmd_tune, &err, cmd_status(&err)) : status;
}

const struct cmd cmd_tune = {
	.name = "tune",
	.summary = "find the settings with which a program is fastest, by running it",
	.reads = "tunables.yaml, a program",
	.writes = "settings, header",
	.usage = "usage: perseus tune --space=FILE [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
		 "Runs the program again and again with other settings, drops what is surely worse,\n"
		 "and compares the best one with the default afresh.  A setting reaches the program as\n"
		 "{name} in its arguments and in files made of templates, as the environment variable\n"
		 "that FILE names, and as PERSEUS_TUNE_name, which perseus_tunable() reads.\n\n"
		 "  --space=FILE      the tunables: ranges, powers, lists, orders, conditions\n"
		 "  --trials=N        runs of the search at most (default 200)\n"
		 "  --worth=N         runs that shall profit: end when no trial is expected to save\n"
		 "                    more than itself (default 1000; 0: make all trials)\n"
		 "  --drop=PERCENT    chance of dropping the best setting once it was tried (default 5)\n"
		 "  --slow=TIMES      stop a run at so many times the best's (default 5; 0: never)\n"
		 "  --confirm=N       pairs of runs of the comparison at the end (default 20)\n"
		 "  --timeout=S       kill a run after S seconds, and refuse the setting\n"
		 "  --seed=N          of the search (default 1)\n"
		 "  --figure=NAME     the least of what the program prints as `NAME VALUE`, not its time\n"
		 "  --more            ... the most\n"
		 "  --check=COMMAND   is the result right?  By sh, with the program's output as input\n"
		 "  --ignore-output   do not compare what the program prints with the default's\n"
		 "  --template=IN:OUT fill {name} in IN and write OUT before each run\n"
		 "  --log=FILE        keep each trial\n"
		 "  --resume          go on with the log\n"
		 "  --json            the result as JSON, schema 1\n"
		 "  --settings=FILE   write the settings as NAME=VALUE lines\n"
		 "  --environment=FILE  ... as a script for a shell\n"
		 "  --header=FILE     ... as constants for perseus/tunable.h\n\n"
		 "Exit status: 0 a gain is shown, or the default is the best found; 2 usage; 3 this\n"
		 "machine cannot; 4 the tunables are wrong, the default fails or its output varies;\n"
		 "5 cannot tell: the default stays; 128 + N stopped by signal N.\n",
	.run = cmd_tune_run,
	.executes = true,
};
