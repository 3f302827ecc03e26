/* SPDX-License-Identifier: MIT */
#include "cmd/base/option.h"
#include "cmd/plan/options.h"

#include <getopt.h>
#include <string.h>

#include "cmd/plan/goal.h"
#include "cmd/plan/print/front.h"
#include "lib/num.h"

static int take_over(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	static const char *const words[] = {"mean", "worst", NULL};
	int i = option_choice(cmd, name, value, words);

	((struct planner_options *)to)->over = i == 1 ? PLAN_OVER_WORST : PLAN_OVER_MEAN;
	return i < 0 ? CMD_USAGE : 0;
}

static int take_kind(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct planner_options *s = to;

	s->kind = plan_kind_of(value);
	return s->kind == PLAN_KINDS ? cmd_usage(cmd, "--%s=%s: expected start, phase or call", name, value)
				     : 0;
}

static int take_baseline(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct planner_options *s = to;
	int i = baseline_find(value);

	if (i < 0)
		return cmd_usage(cmd, "--%s=%s: expected spread, pack, os or random", name, value);
	s->baseline = (enum baseline)i;
	return 0;
}

static int take_limit(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	return plan_goal_limit(cmd, name, value, to);
}

static int take_cap(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	(void)name;
	return plan_goal_cap(cmd, value, to);
}

static int take_front(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct plan_options *o = to;

	(void)cmd, (void)name;
	o->search.front = PLAN_FRONT_POINTS;
	o->front = value;
	return 0;
}

static int take_layouts(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	(void)cmd, (void)name;
	((struct plan_options *)to)->layouts = value ? value : "layouts.yaml";
	return 0;
}

static int take_threads(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	uint64_t n = 0;
	int ret = option_count(cmd, name, value, 1, 1024, NULL, &n);

	((struct planner_options *)to)->threads = (uint32_t)n;
	return ret;
}

/* A share of the objective in percent, kept in millionths. */
static int take_worth(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct planner_options *s = to;
	double percent = 0;
	int ret = option_real(cmd, name, value, 0, 100, "percent", &percent);

	s->worth_set = true;
	s->trigger_worth = (uint32_t)(percent * 1e4 + 0.5);
	return ret;
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
	else if (o->layouts)
		alone = "--layouts";
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

/* What a layout saves is time, and each set of them would have limits of its own. */
static int check_layouts(const struct cmd *cmd, const struct plan_options *o)
{
	const struct planner_options *s = &o->search;

	if (!o->layouts && (o->weigh.max_bytes || o->weigh.any_cache))
		return cmd_usage(cmd, "%s goes with --layouts",
				 o->weigh.max_bytes ? "--max-bytes" : "--any-cache");
	if (!o->layouts)
		return CMD_OK;
	if (s->goal.objective != PLAN_TIME)
		return cmd_usage(cmd, "--layouts is for --objective=time");
	if (s->front || s->deadline.ns || s->deadline.relative || s->phase_deadline.ns ||
	    s->phase_deadline.relative || s->goal.cap_mw)
		return cmd_usage(cmd, "--layouts does not go with --front, deadlines or --power-cap");
	return CMD_OK;
}

/* What perseus analyze writes if nobody names another file. */
static char default_model[] = "model.yaml";
static char *default_models[] = {default_model, NULL};

int plan_options_parse(const struct cmd *cmd, struct plan_options *o, int argc, char **argv)
{
	struct planner_options *s = &o->search;
	static const char *const objectives[] = {"time", "energy", "edp", "power", NULL};
	static const char *const methods[] = {"auto", "exact", "genetic", NULL};
	const struct option_row rows[] = {
		OPTION_TEXT('p', "platform", &o->platform),
		OPTION_TEXT('o', "output", &o->output),
		OPTION_WORD("objective", objectives, &s->goal.objective),
		OPTION_CALL("baseline", take_baseline, s),
		OPTION_COUNT("seed", &s->seed, 0, UINT64_MAX, NULL),
		OPTION_WORD("method", methods, &s->method),
		OPTION_COUNT("evaluations", &s->evaluations, 1, 1000000000000, NULL),
		OPTION_CALL("threads", take_threads, s),
		OPTION_TEXT(0, "log", &o->log),
		OPTION_TEXT(0, "watch", &o->watch),
		OPTION_CALL("deadline", take_limit, &s->deadline),
		OPTION_CALL("phase-deadline", take_limit, &s->phase_deadline),
		OPTION_CALL("power-cap", take_cap, &s->goal.cap_mw),
		OPTION_FLAG(0, "no-exact", &s->exact_off),
		OPTION_MAYBE("front", take_front, o),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_CALL("kind", take_kind, s),
		OPTION_CALL("over", take_over, s),
		OPTION_CALL("trigger-worth", take_worth, s),
		OPTION_FLAG(0, "sensitivity", &o->sensitivity),
		OPTION_TEXT(0, "export", &o->export),
		OPTION_TEXT(0, "blocks", &o->blocks),
		OPTION_MAYBE("layouts", take_layouts, o),
		OPTION_COUNT("max-bytes", &o->weigh.max_bytes, 1, UINT64_MAX, NULL),
		OPTION_FLAG(0, "any-cache", &o->weigh.any_cache),
		OPTION_END,
	};
	int status;

	*o = (struct plan_options){.platform = "platform.yaml", .output = "plan.yaml", .search = {.seed = 1}};
	status = option_read(cmd, rows, argc, argv, OPTION_OPERANDS);
	o->models = optind < argc ? argv + optind : default_models;
	o->n_models = optind < argc ? (uint32_t)(argc - optind) : 1;
	status = status ? status : check_models(cmd, o);
	return status ? status : check_layouts(cmd, o);
}
