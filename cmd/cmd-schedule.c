/* SPDX-License-Identifier: MIT */
/* perseus schedule: which task runs where and when?  See perseus-schedule(1). */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cmd/schedule/schedule.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/spawn/child.h"
#include "scheduler/check/check.h"
#include "scheduler/simulate/simulate.h"

extern const struct cmd cmd_schedule;

#define SMALL       12      /* tasks: the optimum is tried first */
#define TREE_EFFORT 3000000 /* nodes of its tree */
#define FILE_MOST   ((size_t)32 << 20)

static const char *const methods[] = {"auto", "fifo", "heft", "exact", "genetic", "search", NULL};

static int schedule_parse(struct schedule_opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_WORD("method", methods, &o->method),
		OPTION_COUNT("effort", &o->effort, 1, 1000000, "rounds"),
		OPTION_COUNT("timeout", &o->timeout_s, 0, 1000000, "seconds"),
		OPTION_COUNT("seed", &o->seed, 0, UINT64_MAX, NULL),
		OPTION_TEXT('o', "output", &o->output),
		OPTION_FLAG(0, "slurm", &o->slurm),
		OPTION_TEXT(0, "log", &o->log),
		OPTION_TEXT(0, "swf", &o->swf),
		OPTION_WORD("policy", policies, &o->policy),
		OPTION_COUNT("tasks", &o->tasks, 1, 100000, NULL),
		OPTION_COUNT("nodes", &o->nodes, 1, WORK_NODES, NULL),
		OPTION_REAL("error", &o->error, 0, 1000, "percent"),
		OPTION_REAL("failing", &o->fail, 0, 100, "percent"),
		OPTION_WORD("load", schedule_loads, &o->load),
		OPTION_REAL("probe-cost", &o->probe_cost, 0.01, 1000, "percent"),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_END,
	};
	int status = option_read(&cmd_schedule, rows, argc, argv, OPTION_OPERANDS);

	o->words = argv + optind;
	o->n_words = argc - optind;
	return status;
}

static bool is_late(void *arg)
{
	const uint64_t *end = arg;

	return child_clock_ns() >= *end;
}

/* Search by @method; the name of what was done, and whether that is the optimum. */
static const char *schedule_search(const struct schedule_opts *o, const struct workflow *w,
				   struct schedule *s, bool *proven)
{
	uint64_t end = child_clock_ns() + o->timeout_s * 1000000000u;
	const struct search_limit limit = {o->effort, o->timeout_s ? is_late : NULL, &end};
	enum method method = o->method;

	*proven = false;
	if (method == METHOD_FIFO)
		search_fifo(w, s);
	else
		search_heft(w, s);
	if (method == METHOD_GENETIC)
		search_genetic(w, s, o->seed, &limit);
	if (method == METHOD_AUTO || method == METHOD_SEARCH)
		search_local(w, s, o->seed, &limit);
	if (method == METHOD_EXACT || (method == METHOD_AUTO && w->tasks.n <= SMALL))
		*proven = search_exact(w, s, TREE_EFFORT);
	*proven = *proven || s->cost <= work_bound(w) * (1 + 1e-9);
	return method == METHOD_AUTO ? (w->tasks.n <= SMALL ? "exact" : "search") : methods[method];
}

static int schedule_make_one(const struct schedule_opts *o)
{
	struct strbuf text = STRBUF_INIT, file = STRBUF_INIT, out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct workflow w = {0};
	struct schedule s = {0};
	const char *method;
	bool proven;
	int status = CMD_OK, ret = fs_read(o->words[0], FILE_MOST, &text, &err);

	if (!ret)
		ret = work_parse(&w, text.s, text.len, o->words[0], &err);
	if (!ret && o->slurm) {
		status = schedule_slurm(&cmd_schedule, o, &w);
	} else if (!ret) {
		schedule_make(&s, &w);
		method = schedule_search(o, &w, &s, &proven);
		schedule_write(&w, &s, method, proven, &file);
		if (o->output && fs_write(o->output, file.s, file.len, &err))
			ret = status = cmd_fail(&cmd_schedule, &err, cmd_write_status(&err));
		(o->json ? schedule_json : schedule_text)(&w, &s, method, proven, &out);
		if (!ret)
			cmd_put(stdout, out.s);
		if (!ret && !o->output && !o->json)
			cmd_put(stdout, file.s);
	}
	schedule_release(&s);
	work_release(&w);
	strbuf_release(&text);
	strbuf_release(&file);
	strbuf_release(&out);
	return status ? status : ret ? cmd_fail(&cmd_schedule, &err, cmd_status(&err)) : CMD_OK;
}

/* What the check found; @wrong NULL: nothing. */
static void checked_put(const struct schedule_opts *o, enum check_optimum optimum, const char *wrong)
{
	static const char *const words[] = {
		[CHECK_NOT_CLAIMED] = "that nothing beats its bound is not proven here",
		[CHECK_SHOWN] = "it is the optimum: all others were tried",
		[CHECK_NOT_SHOWN] = "that it is the optimum, as it says, is not shown here: too many to try",
	};
	struct strbuf out = STRBUF_INIT;
	struct json j;

	if (!o->json) {
		if (!wrong)
			cmd_say(stdout,
				"the schedule is right: each task once, on its nodes, in its turn, and "
				"the sums; %s\n",
				words[optimum]);
		return;
	}
	json_init(&j, &out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "verdict", wrong ? "wrong" : "right");
	json_string(&j, "reason", wrong);
	json_bool(&j, "bound_proven", !wrong && optimum == CHECK_SHOWN);
	json_end(&j);
	strbuf_puts(&out, "\n");
	cmd_put(stdout, out.s);
	strbuf_release(&out);
}

static int schedule_check(const struct schedule_opts *o)
{
	struct strbuf work = STRBUF_INIT, plan = STRBUF_INIT;
	struct err err = ERR_INIT;
	enum check_optimum optimum = CHECK_NOT_CLAIMED;
	int ret = fs_read(o->words[1], FILE_MOST, &work, &err), status = CMD_OK;

	if (!ret)
		ret = fs_read(o->words[2], FILE_MOST, &plan, &err);
	if (!ret)
		ret = check_schedule(work.s, work.len, plan.s, plan.len, &optimum, &err);
	if (ret >= 0)
		checked_put(o, optimum, ret ? err.msg : NULL);
	if (ret)
		status = cmd_fail(&cmd_schedule, &err, ret > 0 ? CMD_FINDINGS : cmd_status(&err));
	strbuf_release(&work);
	strbuf_release(&plan);
	return status;
}

static int cmd_schedule_run(int argc, char **argv)
{
	struct schedule_opts o = SCHEDULE_NOTHING_GIVEN;
	int status = schedule_parse(&o, argc, argv);
	const char *word = !status && o.n_words ? o.words[0] : "";
	unsigned call = !strcmp(word, "simulate") ? SCHEDULE_SIMULATES
			: !strcmp(word, "check")  ? SCHEDULE_CHECKS
						  : SCHEDULE_MAKES;

	if (!status)
		status = schedule_fits(&cmd_schedule, &o, call);
	if (status)
		return status;
	schedule_defaults(&o);
	if (!o.n_words)
		return cmd_usage(&cmd_schedule, "which workflow?");
	if (call == SCHEDULE_CHECKS)
		return o.n_words == 3 ? schedule_check(&o)
				      : cmd_usage(&cmd_schedule, "'check' needs a workflow and a schedule");
	if (o.n_words > 1)
		return cmd_usage(&cmd_schedule, "unexpected argument '%s'", o.words[1]);
	if (call == SCHEDULE_SIMULATES)
		return schedule_simulate(&cmd_schedule, &o);
	if (o.output && fs_same(o.output, o.words[0]))
		return cmd_usage(&cmd_schedule, "the workflow '%s' would be written over", o.words[0]);
	return schedule_make_one(&o);
}

const struct cmd cmd_schedule = {
	.name = "schedule",
	.summary = "say which task of a workflow runs where and when",
	.reads = "a workflow",
	.writes = "a schedule",
	.usage = "usage: perseus schedule [OPTION...] WORKFLOW\n"
		 "       perseus schedule --slurm [OPTION...] WORKFLOW\n"
		 "       perseus schedule check [--json] WORKFLOW SCHEDULE\n"
		 "       perseus schedule simulate [OPTION...]\n\n"
		 "Reads tasks with their predicted times and the nodes that there are (YAML) and says on "
		 "which\n"
		 "nodes each of them runs and when, with a bound that no schedule can beat.  With --slurm it "
		 "runs\n"
		 "them as jobs of Slurm.  'check' looks at a schedule by code of its own; 'simulate' runs a\n"
		 "made-up cluster by FIFO, EASY backfill, HEFT, the genetic algorithm and local search.\n\n"
		 "  --method=NAME     fifo, heft, exact, genetic, search, or auto (default): the optimum of\n"
		 "                    small workflows, local search for large ones\n"
		 "  --effort=ROUNDS   of a search, 64 schedules each (default 100)\n"
		 "  --timeout=S       ... and not longer than S seconds (default 10; 0: for ever)\n"
		 "  --seed=N          the same seed, the same schedule if time allows (default 1)\n"
		 "  -o, --output=FILE  the schedule (default: standard output)\n"
		 "  --slurm           run the commands of the tasks, or go on with a run that was ended\n"
		 "  --log=FILE        its journal (default: WORKFLOW.journal)\n"
		 "  --swf=FILE        simulate the jobs of a log in the standard workload format\n"
		 "  --policy=NAME     simulate fifo, backfill, heft, genetic or search alone\n"
		 "  --tasks=N         simulate so many tasks (default 60)\n"
		 "  --nodes=N         ... on so many nodes (default 16)\n"
		 "  --error=PERCENT   by which predictions are off on average (default 20)\n"
		 "  --failing=PERCENT  of the tasks fail once (default 5)\n"
		 "  --load=NAME       simulate mixed tasks (default), or the registrations of atlas or\n"
		 "                    registrations, which run on any number of nodes, with probes and "
		 "without\n"
		 "  --probe-cost=PERCENT  of a registration that a probe of it takes (default 4)\n"
		 "  --json            figures as JSON, schema 1\n\n"
		 "Exit status: 0 done, or the schedule is right; 1 it is wrong, or a task failed; 2 usage; 3 "
		 "a\n"
		 "file cannot be written, or Slurm is not here; 4 a file is wrong; 128 + N stopped by signal "
		 "N.\n",
	.run = cmd_schedule_run,
};
