/* SPDX-License-Identifier: MIT */
/* perseus plan: model and platform in, plan out.  See perseus-plan(1). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/plan-check.h"
#include "cmd/plan-print.h"
#include "lib/num.h"
#include "lib/strbuf.h"

extern const struct cmd cmd_plan;

struct options {
	const char *model;
	const char *platform;
	const char *output;
	struct planner_options search;
	bool json;
};

enum { OPT_OBJECTIVE = 256, OPT_BASELINE, OPT_SEED, OPT_METHOD, OPT_EVALUATIONS, OPT_JSON };

static const struct option longs[] = {
	{"platform", required_argument, NULL, 'p'},
	{"output", required_argument, NULL, 'o'},
	{"objective", required_argument, NULL, OPT_OBJECTIVE},
	{"baseline", required_argument, NULL, OPT_BASELINE},
	{"seed", required_argument, NULL, OPT_SEED},
	{"method", required_argument, NULL, OPT_METHOD},
	{"evaluations", required_argument, NULL, OPT_EVALUATIONS},
	{"json", no_argument, NULL, OPT_JSON},
	{NULL, 0, NULL, 0},
};

/* The index of @word in @words, which ends with NULL; -1. */
static int find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static int parse_word(struct planner_options *s, int option, const char *word)
{
	static const char *const objectives[] = {"time", "energy", NULL};
	static const char *const methods[] = {"auto", "exact", "genetic", NULL};
	int i;

	switch (option) {
	case OPT_OBJECTIVE:
		i = find_word(word, objectives);
		s->goal.objective = i == 1 ? PLAN_ENERGY : PLAN_TIME;
		return i < 0 ? cmd_usage(&cmd_plan, "unknown objective '%s', expected time or energy", word)
			     : 0;
	case OPT_METHOD:
		i = find_word(word, methods);
		s->method = (enum planner_method)(i < 0 ? 0 : i);
		return i < 0 ? cmd_usage(&cmd_plan, "unknown method '%s', expected auto, exact or genetic",
					 word)
			     : 0;
	default:
		i = baseline_find(word);
		s->baseline = (enum baseline)(i < 0 ? 0 : i);
		return i < 0 ? cmd_usage(&cmd_plan,
					 "unknown baseline '%s', expected spread, pack, os or random", word)
			     : 0;
	}
}

static int parse_number(struct planner_options *s, int option, const char *text)
{
	bool seed = option == OPT_SEED;
	uint64_t *to = seed ? &s->seed : &s->evaluations;

	if (!num_u64(text, seed ? 0 : 1, seed ? UINT64_MAX : 1000000000000, to))
		return 0;
	return cmd_usage(&cmd_plan, "'%s' is not a valid %s", text, seed ? "seed" : "number of evaluations");
}

static int parse(struct options *o, int argc, char **argv)
{
	int c, status = 0;

	*o = (struct options){.platform = "platform.yaml", .output = "plan.yaml", .search = {.seed = 1}};
	opterr = 0;
	optind = 1;
	while (!status && (c = getopt_long(argc, argv, ":p:o:", longs, NULL)) != -1) {
		switch (c) {
		case 'p':
			o->platform = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case OPT_JSON:
			o->json = true;
			break;
		case OPT_OBJECTIVE:
		case OPT_METHOD:
		case OPT_BASELINE:
			status = parse_word(&o->search, c, optarg);
			break;
		case OPT_SEED:
		case OPT_EVALUATIONS:
			status = parse_number(&o->search, c, optarg);
			break;
		default:
			return cmd_bad_option(&cmd_plan, c, argv);
		}
	}
	if (!status && argc - optind != 1)
		return cmd_usage(&cmd_plan, "expected one model, got %d", argc - optind);
	o->model = argv[optind];
	return status;
}

/* ---- Ctrl-C and progress ---- */

struct watch {
	time_t begin, shown;
};

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Asked by the search: SIGINT is blocked meanwhile and shows up as pending. */
static bool interrupted(void *ctx)
{
	struct watch *w = ctx;
	time_t now = seconds();
	sigset_t pending;

	if (now - w->begin >= 2 && now != w->shown && isatty(STDERR_FILENO)) {
		fprintf(stderr, "\rperseus plan: searching for %ld s, Ctrl-C keeps the best so far ",
			(long)(now - w->begin));
		w->shown = now;
	}
	return !sigpending(&pending) && sigismember(&pending, SIGINT);
}

static int search(struct planner *p, const struct model *model, const struct platform *platform,
		  struct options *o, struct err *err)
{
	struct watch w = {seconds(), 0};
	const struct timespec none = {0, 0};
	sigset_t set, old;
	int ret;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &old);
	o->search.stop = interrupted;
	o->search.ctx = &w;
	ret = planner_run(p, model, platform, &o->search, err);
	if (w.shown)
		fputs("\r\033[K", stderr);
	sigtimedwait(&set, NULL, &none);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

/* ---- plan ---- */

/* Returns an exit status. */
static int write_plan(struct planner *p, const struct options *o)
{
	bool to_stdout = !strcmp(o->output, "-");
	struct err err = ERR_INIT;
	struct plan plan;
	int status = p->verdict == PLANNER_GAIN ? CMD_OK : CMD_FINDINGS;

	if (planner_emit(p, &plan, &err))
		return cmd_fail(&cmd_plan, &err, cmd_status(&err));
	if (plan_save(&plan, o->output, &err)) {
		status = cmd_fail(&cmd_plan, &err, cmd_write_status(&err));
	} else if (!to_stdout) {
		if (o->json)
			plan_print_json(p, &plan, o->output);
		else
			plan_print(p, &plan, o->output);
	}
	plan_release(&plan);
	return status;
}

static int make_plan(struct options *o)
{
	struct err err = ERR_INIT;
	struct platform platform = {0};
	struct model model = {0};
	struct planner p = {.verdict = PLANNER_NO_GAIN};
	int status = CMD_OK, ret = model_load(&model, o->model, &err);

	if (!ret) {
		ret = platform_find(&platform, o->platform, &err);
		if (ret == -ENOENT && !strcmp(o->platform, "platform.yaml"))
			err_advise(&err, "perseus calibrate writes it; --platform names another");
	}
	if (!ret)
		ret = search(&p, &model, &platform, o, &err);
	if (!ret) {
		status = write_plan(&p, o);
		planner_release(&p);
	}
	platform_release(&platform);
	model_release(&model);
	return ret ? cmd_fail(&cmd_plan, &err, cmd_status(&err)) : status;
}

static int run(int argc, char **argv)
{
	struct options o;
	int status;

	if (argc > 1 && !strcmp(argv[1], "check"))
		return plan_check(&cmd_plan, argc - 1, argv + 1);
	status = parse(&o, argc, argv);
	return status ? status : make_plan(&o);
}

const struct cmd cmd_plan = {
	.name = "plan",
	.summary = "choose cores and frequency steps for each thread over time",
	.reads = "model.yaml, platform",
	.writes = "plan.yaml",
	.usage = "usage: perseus plan [OPTION...] MODEL\n"
		 "       perseus plan check [-p PLATFORM] PLAN\n\n"
		 "  -p, --platform PLATFORM  file or name of a platform (platform.yaml)\n"
		 "  -o, --output FILE        where the plan goes (plan.yaml), - for stdout\n"
		 "      --objective=WHAT     time (default) or energy\n"
		 "      --baseline=NAME      spread (default), pack, os or random: compare with it\n"
		 "      --method=NAME        auto (default), exact or genetic\n"
		 "      --evaluations=N      budget of the search (by default some seconds of work)\n"
		 "      --seed=N             of the genetic algorithm and of random (1)\n"
		 "      --json               the summary as JSON\n\n"
		 "Exit status: 0 a better plan was written; 1 none is better than the baseline by\n"
		 "more than the noise of the recorded runs: the baseline was written; 3 the platform\n"
		 "cannot (energy without watts), or the plan cannot be written; 4 the model or\n"
		 "platform is missing or corrupt.\n"
		 "`check` asks whether a plan fits a platform: 0 yes; 1 its figures contradict each\n"
		 "other; 4 a file is missing or corrupt, or the plan asks for a core, domain, step\n"
		 "or processor that the platform does not have.\n",
	.run = run,
};
