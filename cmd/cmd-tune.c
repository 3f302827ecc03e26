/* SPDX-License-Identifier: MIT */
/* perseus tune: which settings of a program are best?  See perseus-tune(1). */
#include <getopt.h>
#include <stdlib.h>

#include "cmd/base/option.h"
#include "cmd/tune/page.h"
#include "cmd/tune/tune.h"
#include "perseus/ctl.h"
#include "tuner/log/log.h"

extern const struct cmd cmd_tune;

static int take_limit(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct figure_limits *limits = to;
	struct err err = ERR_INIT;

	(void)name;
	return figure_limit_parse(vec_add(limits), value, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

/* Options that contradict one another, or need one another. */
static int tune_check(const struct tune_opts *o)
{
	struct err err = ERR_INIT;

	if (o->more && !o->figure)
		return cmd_usage(&cmd_tune, "--more is said of a figure: --figure=NAME");
	if (o->resume && !o->log)
		return cmd_usage(&cmd_tune, "--resume goes on with a log: --log=FILE");
	if (o->figure && o->objective != TUNE_TIME)
		return cmd_usage(&cmd_tune, "--figure and --objective: which of them is to be least?");
	if (o->builds && !o->build)
		return cmd_usage(&cmd_tune, "--builds keeps what --build=COMMAND builds");
	if (o->socket && !o->plans)
		return cmd_usage(&cmd_tune, "--socket is perseusd's, for the frequency steps of --plans");
	if (o->plans && o->build)
		return cmd_usage(&cmd_tune, "--plans are of one program, --build makes several");
	if (o->prove && (o->figure || o->objective != TUNE_TIME))
		return cmd_usage(&cmd_tune, "--prove compares times, not figures or joules");
	if (tune_files_check(o, &err))
		return cmd_usage(&cmd_tune, "%s", err.msg);
	return 0;
}

static int tune_parse(struct tune_opts *o, int argc, char **argv)
{
	static const char *const objectives[TUNE_OBJECTIVES + 1] = {
		[TUNE_TIME] = "time", [TUNE_ENERGY] = "energy", [TUNE_EDP] = "edp"};
	const struct option_row rows[] = {
		OPTION_TEXT(0, "space", &o->space),
		OPTION_COUNT("trials", &o->trials, 20, 100000, NULL),
		OPTION_REAL("worth", &o->worth, 0, 1e12, "runs"),
		OPTION_REAL("drop", &o->drop, 0.01, 50, "percent"),
		OPTION_REAL("slow", &o->slow, 0, 1e6, "times"),
		OPTION_COUNT("confirm", &o->confirm, VERDICT_LEAST, 1000, "pairs"),
		OPTION_COUNT("timeout", &o->timeout_s, 1, 1000000, "seconds"),
		OPTION_COUNT("seed", &o->seed, 0, UINT64_MAX, NULL),
		OPTION_WORD("objective", objectives, &o->objective),
		OPTION_TEXT(0, "sysroot", &o->sysroot),
		OPTION_TEXT(0, "figure", &o->figure),
		OPTION_FLAG(0, "more", &o->more),
		OPTION_CALL("require", take_limit, &o->limits),
		OPTION_TEXT(0, "trade", &o->trade),
		OPTION_TEXT(0, "build", &o->build),
		OPTION_TEXT(0, "builds", &o->builds),
		OPTION_TEXT(0, "plans", &o->plans),
		OPTION_TEXT(0, "socket", &o->socket),
		OPTION_TEXT(0, "prove", &o->prove),
		OPTION_TEXT(0, "check", &o->check),
		OPTION_FLAG(0, "ignore-output", &o->ignore_output),
		OPTION_LIST(0, "template", &o->templates),
		OPTION_TEXT(0, "log", &o->log),
		OPTION_FLAG(0, "resume", &o->resume),
		OPTION_TEXT(0, "watch", &o->watch),
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
	o->args = argv + optind;
	o->argc = argc;
	o->argv = argv;
	return tune_check(o);
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
		vec_release(&o.limits);
		return status;
	}
	ret = tune_watch_check(&o, &err);
	if (!ret)
		ret = space_load(&space, o.space, &err);
	if (!ret) {
		tune_files_names(&o, &space);
		tune_key(&o, &space, key);
		ret = tune_lab_open(&lab, &o, &space, &err);
		if (!ret)
			ret = log_open(&log, o.log, o.resume, key, &space, &err);
		log.measure = tune_trial;
		log.arg = &lab;
		status = ret ? 0 : tune_search(&cmd_tune, &o, &space, &lab, &log);
		if (!ret)
			log_close(&log);
		tune_lab_close(&lab);
		space_release(&space);
	}
	vec_release(&o.templates);
	vec_release(&o.limits);
	return ret ? cmd_fail(&cmd_tune, &err, cmd_status(&err)) : status;
}

const struct cmd cmd_tune = {
	.name = "tune",
	.summary = "find the settings with which a program is fastest, by running it",
	.reads = "tunables.yaml, a program",
	.writes = "settings, header",
	.usage =
		"usage: perseus tune --space=FILE [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
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
		"  --objective=WHAT  time (default), energy, or edp (energy x time), by a meter of this "
		"machine\n"
		"  --sysroot=DIR     ... by meters below DIR, a copy of /sys\n"
		"  --figure=NAME     the least of what the program prints as `NAME VALUE`, not its time\n"
		"  --more            ... the most\n"
		"  --require=LIMIT   refuse settings that break it: 'quality>=0.9', 'seconds<=2',\n"
		"                    'memory_mb<=100', 'joules<=5'; several are allowed\n"
		"  --trade=NAME      look for the settings that nobody beats in the objective and in NAME: "
		"seconds,\n"
		"                    memory_mb, joules or a figure, the least of each\n"
		"  --build=COMMAND   build the program for a setting, by sh, into the folder {build}; equal\n"
		"                    commands once\n"
		"  --builds=DIR      ... and keep that in DIR: built again next time, from what is there\n"
		"  --plans=NAME      the values of tunable NAME are plans (or none): perseus try\n"
		"  --socket=PATH     of perseusd, for their frequency steps; default " PRS_CTL_SOCKET "\n"
		"  --prove=DIR       write default and winner as programs into DIR, and run perseus prove\n"
		"  --check=COMMAND   is the result right?  By sh, with the program's output as input\n"
		"  --ignore-output   do not compare what the program prints with the default's\n"
		"  --template=IN:OUT fill {name} in IN and write OUT before each run\n"
		"  --watch=FILE      a page in a browser that shows the search as it goes\n"
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
