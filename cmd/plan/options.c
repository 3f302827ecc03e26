/* SPDX-License-Identifier: MIT */
#include "cmd/plan/options.h"

#include <getopt.h>
#include <string.h>

#include "cmd/plan/goal.h"
#include "cmd/plan/print/front.h"
#include "lib/num.h"

enum {
	OPT_OBJECTIVE = 256,
	OPT_BASELINE,
	OPT_SEED,
	OPT_METHOD,
	OPT_EVALUATIONS,
	OPT_JSON,
	OPT_SENSITIVITY,
	OPT_EXPORT,
	OPT_BLOCKS,
	OPT_THREADS,
	OPT_LOG,
	OPT_WATCH,
	OPT_DEADLINE,
	OPT_PHASE_DEADLINE,
	OPT_POWER_CAP,
	OPT_NO_EXACT,
	OPT_FRONT,
	OPT_KIND,
	OPT_OVER,
	OPT_WORTH
};

static const struct option longs[] = {
	{"platform", required_argument, NULL, 'p'},
	{"output", required_argument, NULL, 'o'},
	{"objective", required_argument, NULL, OPT_OBJECTIVE},
	{"baseline", required_argument, NULL, OPT_BASELINE},
	{"seed", required_argument, NULL, OPT_SEED},
	{"method", required_argument, NULL, OPT_METHOD},
	{"evaluations", required_argument, NULL, OPT_EVALUATIONS},
	{"threads", required_argument, NULL, OPT_THREADS},
	{"log", required_argument, NULL, OPT_LOG},
	{"watch", required_argument, NULL, OPT_WATCH},
	{"deadline", required_argument, NULL, OPT_DEADLINE},
	{"phase-deadline", required_argument, NULL, OPT_PHASE_DEADLINE},
	{"power-cap", required_argument, NULL, OPT_POWER_CAP},
	{"no-exact", no_argument, NULL, OPT_NO_EXACT},
	{"front", optional_argument, NULL, OPT_FRONT},
	{"json", no_argument, NULL, OPT_JSON},
	{"kind", required_argument, NULL, OPT_KIND},
	{"over", required_argument, NULL, OPT_OVER},
	{"trigger-worth", required_argument, NULL, OPT_WORTH},
	{"sensitivity", no_argument, NULL, OPT_SENSITIVITY},
	{"export", required_argument, NULL, OPT_EXPORT},
	{"blocks", required_argument, NULL, OPT_BLOCKS},
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

static int parse_word(const struct cmd *cmd, struct planner_options *s, int option, const char *word)
{
	static const char *const objectives[] = {"time", "energy", "edp", "power", NULL};
	static const char *const methods[] = {"auto", "exact", "genetic", NULL};
	static const char *const overs[] = {"mean", "worst", NULL};
	int i;

	switch (option) {
	case OPT_OBJECTIVE:
		i = find_word(word, objectives);
		s->goal.objective = i < 0 ? PLAN_TIME : (enum plan_objective)i;
		return i < 0 ? cmd_usage(cmd, "unknown objective '%s', expected time, energy, edp or power",
					 word)
			     : 0;
	case OPT_OVER:
		i = find_word(word, overs);
		s->over = i == 1 ? PLAN_OVER_WORST : PLAN_OVER_MEAN;
		return i < 0 ? cmd_usage(cmd, "unknown '--over=%s', expected mean or worst", word) : 0;
	case OPT_KIND:
		s->kind = plan_kind_of(word);
		return s->kind == PLAN_KINDS
			       ? cmd_usage(cmd, "unknown kind '%s', expected start, phase or call", word)
			       : 0;
	case OPT_METHOD:
		i = find_word(word, methods);
		s->method = (enum planner_method)(i < 0 ? 0 : i);
		return i < 0 ? cmd_usage(cmd, "unknown method '%s', expected auto, exact or genetic", word)
			     : 0;
	default:
		i = baseline_find(word);
		s->baseline = (enum baseline)(i < 0 ? 0 : i);
		return i < 0 ? cmd_usage(cmd, "unknown baseline '%s', expected spread, pack, os or random",
					 word)
			     : 0;
	}
}

static int parse_goal(const struct cmd *cmd, struct plan_options *o, int option, const char *text)
{
	struct planner_options *s = &o->search;

	switch (option) {
	case OPT_DEADLINE:
		return plan_goal_limit(cmd, "deadline", text, &s->deadline);
	case OPT_PHASE_DEADLINE:
		return plan_goal_limit(cmd, "deadline of phases", text, &s->phase_deadline);
	case OPT_POWER_CAP:
		return plan_goal_cap(cmd, text, &s->goal.cap_mw);
	default:
		s->front = PLAN_FRONT_POINTS;
		o->front = text;
		return 0;
	}
}

static int parse_number(const struct cmd *cmd, struct planner_options *s, int option, const char *text)
{
	uint64_t n, least = option == OPT_SEED ? 0 : 1, most = 1000000000000;
	const char *what = "number of evaluations";

	if (option == OPT_SEED) {
		what = "seed";
		most = UINT64_MAX;
	} else if (option == OPT_THREADS) {
		what = "number of threads";
		most = 1024;
	}
	if (num_u64(text, least, most, &n))
		return cmd_usage(cmd, "'%s' is not a valid %s", text, what);
	if (option == OPT_SEED)
		s->seed = n;
	else if (option == OPT_THREADS)
		s->threads = (uint32_t)n;
	else
		s->evaluations = n;
	return 0;
}

/* A share of the objective in percent, kept in millionths. */
static int parse_worth(const struct cmd *cmd, struct planner_options *s, const char *text)
{
	double percent;

	if (num_double(text, 0, 100, &percent))
		return cmd_usage(cmd, "'%s' is not a valid worth of a trigger: 0 to 100, percent", text);
	s->worth_set = true;
	s->trigger_worth = (uint32_t)(percent * 1e4 + 0.5);
	return 0;
}

/* What is about one run says nothing about several. */
static int check_models(const struct cmd *cmd, const struct plan_options *o)
{
	const char *alone = NULL;

	if (o->n_models > INPUTS_MAX)
		return cmd_usage(cmd, "expected 1 to %d models, got %u", INPUTS_MAX, o->n_models);
	if (o->n_models == 1)
		return 0;
	if (o->search.deadline.ns || o->search.deadline.relative)
		alone = "--deadline";
	else if (o->blocks)
		alone = "--blocks";
	else if (o->export)
		alone = "--export";
	else if (o->search.front)
		alone = "--front";
	else if (o->search.goal.objective == PLAN_EDP)
		alone = "--objective=edp";
	else if (o->search.goal.objective == PLAN_POWER && o->search.over == PLAN_OVER_WORST)
		alone = "--objective=power --over=worst";
	return alone ? cmd_usage(cmd, "%s is for one model, got %u", alone, o->n_models) : 0;
}

/* An option whose value is taken as it is; false: it is not one of those. */
static bool take(struct plan_options *o, int option, const char *value)
{
	const struct {
		int option;
		const char **to;
	} words[] = {
		{'p', &o->platform},      {'o', &o->output},  {OPT_EXPORT, &o->export},
		{OPT_BLOCKS, &o->blocks}, {OPT_LOG, &o->log}, {OPT_WATCH, &o->watch},
	};
	const struct {
		int option;
		bool *to;
	} flags[] = {
		{OPT_NO_EXACT, &o->search.exact_off},
		{OPT_JSON, &o->json},
		{OPT_SENSITIVITY, &o->sensitivity},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].option == option) {
			*words[i].to = value;
			return true;
		}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].option == option) {
			*flags[i].to = true;
			return true;
		}
	return false;
}

/* What perseus analyze writes if nobody names another file. */
static char default_model[] = "model.yaml";
static char *default_models[] = {default_model, NULL};

int plan_options_parse(const struct cmd *cmd, struct plan_options *o, int argc, char **argv)
{
	int c, status = 0;

	*o = (struct plan_options){.platform = "platform.yaml", .output = "plan.yaml", .search = {.seed = 1}};
	opterr = 0;
	optind = 1;
	while (!status && (c = getopt_long(argc, argv, ":p:o:", longs, NULL)) != -1) {
		if (take(o, c, optarg))
			continue;
		switch (c) {
		case OPT_DEADLINE:
		case OPT_PHASE_DEADLINE:
		case OPT_POWER_CAP:
		case OPT_FRONT:
			status = parse_goal(cmd, o, c, optarg);
			break;
		case OPT_WORTH:
			status = parse_worth(cmd, &o->search, optarg);
			break;
		case OPT_OBJECTIVE:
		case OPT_KIND:
		case OPT_OVER:
		case OPT_METHOD:
		case OPT_BASELINE:
			status = parse_word(cmd, &o->search, c, optarg);
			break;
		case OPT_SEED:
		case OPT_EVALUATIONS:
		case OPT_THREADS:
			status = parse_number(cmd, &o->search, c, optarg);
			break;
		default:
			return cmd_bad_option(cmd, c, argv);
		}
	}
	o->models = optind < argc ? argv + optind : default_models;
	o->n_models = optind < argc ? (uint32_t)(argc - optind) : 1;
	return status ? status : check_models(cmd, o);
}
