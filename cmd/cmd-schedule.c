/* SPDX-License-Identifier: MIT */
/* perseus schedule: which task runs where and when?  See perseus-schedule(1). */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "scheduler/check/check.h"
#include "scheduler/search/search.h"
#include "scheduler/simulate/simulate.h"

extern const struct cmd cmd_schedule;

#define SMALL       12      /* tasks: the optimum is tried first */
#define TREE_EFFORT 3000000 /* nodes of its tree */
#define FILE_MOST   ((size_t)32 << 20)

static const char *const methods[] = {"auto", "fifo", "heft", "exact", "genetic", NULL};
enum method { METHOD_AUTO, METHOD_FIFO, METHOD_HEFT, METHOD_EXACT, METHOD_GENETIC };

struct schedule_opts {
	enum method method;
	uint64_t effort, seed, tasks, nodes;
	double error, fail;
	const char *output, *swf;
	bool json;
	char **words;
	int n_words;
};

static int schedule_parse(struct schedule_opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_WORD("method", methods, &o->method),
		OPTION_COUNT("effort", &o->effort, 1, 1000000, "rounds"),
		OPTION_COUNT("seed", &o->seed, 0, UINT64_MAX, NULL),
		OPTION_TEXT('o', "output", &o->output),
		OPTION_TEXT(0, "swf", &o->swf),
		OPTION_COUNT("tasks", &o->tasks, 1, 100000, NULL),
		OPTION_COUNT("nodes", &o->nodes, 1, WORK_NODES, NULL),
		OPTION_REAL("error", &o->error, 0, 1000, "percent"),
		OPTION_REAL("failing", &o->fail, 0, 100, "percent"),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_END,
	};
	int status = option_read(&cmd_schedule, rows, argc, argv, OPTION_OPERANDS);

	o->words = argv + optind;
	o->n_words = argc - optind;
	return status;
}

/* Search by @method; the name of what was done, and whether that is the optimum. */
static const char *schedule_search(const struct schedule_opts *o, const struct workflow *w,
				   struct schedule *s, bool *proven)
{
	enum method method = o->method;

	*proven = false;
	if (method == METHOD_FIFO)
		search_fifo(w, s);
	else
		search_heft(w, s);
	if (method == METHOD_AUTO || method == METHOD_GENETIC)
		search_genetic(w, s, o->seed, &(struct search_limit){.effort = o->effort});
	if (method == METHOD_EXACT || (method == METHOD_AUTO && w->tasks.n <= SMALL))
		*proven = search_exact(w, s, TREE_EFFORT);
	*proven = *proven || s->cost <= work_bound(w) * (1 + 1e-9);
	return method == METHOD_AUTO ? (w->tasks.n <= SMALL ? "exact" : "genetic") : methods[method];
}

static void schedule_text(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
			  struct strbuf *out)
{
	double bound = proven ? s->cost : work_bound(w);

	strbuf_printf(out, "makespan: %.6g s of %zu tasks on %zu nodes (%s)", s->makespan, w->tasks.n,
		      w->nodes.n, method);
	if (proven)
		strbuf_puts(out, "; the optimum");
	else
		strbuf_printf(out, "; at most %.2g %% above the optimum", 100 * (s->cost / bound - 1));
	strbuf_puts(out, "\n");
	if (s->late > 0)
		strbuf_printf(out, "late: %.6g s behind deadlines, in all\n", s->late);
}

static void schedule_json(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
			  struct strbuf *out)
{
	double bound = proven ? s->cost : work_bound(w);
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "method", method);
	json_u64(&j, "tasks", w->tasks.n);
	json_u64(&j, "nodes", w->nodes.n);
	json_double(&j, "makespan", s->makespan);
	json_double(&j, "late", s->late);
	json_double(&j, "bound", bound);
	json_double(&j, "gap_percent", 100 * (s->cost / bound - 1));
	json_bool(&j, "optimal", proven);
	json_end(&j);
	strbuf_puts(out, "\n");
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
	if (!ret) {
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

static int schedule_check(const struct schedule_opts *o)
{
	struct strbuf work = STRBUF_INIT, plan = STRBUF_INIT;
	struct err err = ERR_INIT;
	int ret = fs_read(o->words[1], FILE_MOST, &work, &err), status = CMD_OK;

	if (!ret)
		ret = fs_read(o->words[2], FILE_MOST, &plan, &err);
	if (!ret)
		ret = check_schedule(work.s, work.len, plan.s, plan.len, &err);
	if (ret > 0)
		status = cmd_fail(&cmd_schedule, &err, CMD_FINDINGS);
	else if (ret)
		status = cmd_fail(&cmd_schedule, &err, cmd_status(&err));
	else
		cmd_put(stdout,
			"the schedule is right: each task once, on its nodes, in its turn; sums and bound\n");
	strbuf_release(&work);
	strbuf_release(&plan);
	return status;
}

static void simulated_json(struct json *j, enum policy p, const struct simulated *s)
{
	json_object(j, NULL);
	json_string(j, "policy", policies[p]);
	json_double(j, "makespan", s->makespan);
	json_double(j, "wait", s->wait);
	json_double(j, "idle_percent", 100 * s->idle);
	json_u64(j, "ended", s->ended);
	json_u64(j, "runs", s->runs);
	json_end(j);
}

/* All policies, one after the other. */
static void simulated_put(const struct schedule_opts *o, const struct load *l)
{
	struct strbuf out = STRBUF_INIT;
	struct json j;

	json_init(&j, &out);
	if (o->json) {
		json_object(&j, NULL);
		json_u64(&j, "schema", 1);
		json_array(&j, "policies");
	}
	for (int p = 0; p < POLICIES; p++) {
		struct simulated s = simulate(l, (enum policy)p, o->seed, o->effort);

		if (o->json)
			simulated_json(&j, (enum policy)p, &s);
		else
			strbuf_printf(
				&out,
				"%-9s makespan %.0f s, wait %.0f s, idle %.1f %%, %zu tasks in %zu runs\n",
				policies[p], s.makespan, s.wait, 100 * s.idle, s.ended, s.runs);
	}
	if (o->json) {
		json_end(&j);
		json_end(&j);
		strbuf_puts(&out, "\n");
	}
	cmd_put(stdout, out.s);
	strbuf_release(&out);
}

static int schedule_simulate(const struct schedule_opts *o)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct load l;
	int ret = o->swf ? fs_read(o->swf, 0, &text, &err) : 0;

	if (!ret && o->swf)
		ret = load_read(&l, text.s, text.len, o->swf, o->tasks, o->nodes, &err);
	else if (!ret)
		load_make(&l, o->seed, o->tasks, o->nodes, o->error / 100, o->fail / 100);
	strbuf_release(&text);
	if (ret)
		return cmd_fail(&cmd_schedule, &err, cmd_status(&err));
	simulated_put(o, &l);
	load_release(&l);
	return CMD_OK;
}

static int cmd_schedule_run(int argc, char **argv)
{
	struct schedule_opts o = {.effort = 100, .seed = 1, .tasks = 60, .nodes = 16, .error = 20, .fail = 5};
	int status = schedule_parse(&o, argc, argv);

	if (status)
		return status;
	if (!o.n_words)
		return cmd_usage(&cmd_schedule, "which workflow?");
	if (!strcmp(o.words[0], "simulate"))
		return o.n_words == 1 ? schedule_simulate(&o)
				      : cmd_usage(&cmd_schedule, "unexpected argument '%s'", o.words[1]);
	if (!strcmp(o.words[0], "check"))
		return o.n_words == 3 ? schedule_check(&o)
				      : cmd_usage(&cmd_schedule, "'check' needs a workflow and a schedule");
	if (o.n_words > 1)
		return cmd_usage(&cmd_schedule, "unexpected argument '%s'", o.words[1]);
	return schedule_make_one(&o);
}

const struct cmd cmd_schedule = {
	.name = "schedule",
	.summary = "say which task of a workflow runs where and when",
	.reads = "a workflow",
	.writes = "a schedule",
	.usage = "usage: perseus schedule [OPTION...] WORKFLOW\n"
		 "       perseus schedule check WORKFLOW SCHEDULE\n"
		 "       perseus schedule simulate [OPTION...]\n\n"
		 "Reads tasks with their predicted times and the nodes that there are (YAML) and says on "
		 "which\n"
		 "nodes each of them runs and when, with a bound that no schedule can beat.  'check' looks "
		 "at\n"
		 "a schedule by code of its own; 'simulate' runs a made-up cluster by FIFO, EASY backfill,\n"
		 "HEFT and the genetic algorithm.\n\n"
		 "  --method=NAME     fifo, heft, exact, genetic, or auto (default): the optimum of small\n"
		 "                    workflows, the genetic algorithm for large ones\n"
		 "  --effort=ROUNDS   of the genetic algorithm (default 100)\n"
		 "  --seed=N          the same seed, the same schedule (default 1)\n"
		 "  -o, --output=FILE  the schedule (default: standard output)\n"
		 "  --swf=FILE        simulate the jobs of a log in the standard workload format\n"
		 "  --tasks=N         simulate so many tasks (default 60)\n"
		 "  --nodes=N         ... on so many nodes (default 16)\n"
		 "  --error=PERCENT   by which predictions are off on average (default 20)\n"
		 "  --failing=PERCENT  of the tasks fail once (default 5)\n"
		 "  --json            figures as JSON, schema 1\n\n"
		 "Exit status: 0 done, or the schedule is right; 1 it is wrong; 2 usage; 3 a file cannot be\n"
		 "written; 4 a file is wrong.\n",
	.run = cmd_schedule_run,
};
