/* SPDX-License-Identifier: MIT */
/* `perseus predict measure`: probes are made within the budget, judged, and the target is run if asked for. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/predict/predict.h"
#include "lib/fs.h"
#include "lib/num.h"

/* One task that is measured. */
struct measured {
	const struct cmd *cmd;
	const struct predict_opts *o;
	struct next_plan *plan;
	struct task task;
	struct predict_lab lab;
	struct probe_log log;
	double target[GROWTH_PARAMS];
	struct finished history;
	struct finished_choice choice;
	bool chosen; /* the history has a size from which the whole is foreseen */
};

int predict_show(const struct predict_finding *f,
		 void (*form)(const struct predict_finding *, struct strbuf *))
{
	struct strbuf out = STRBUF_INIT;

	form(f, &out);
	cmd_put(stdout, out.s);
	strbuf_release(&out);
	return f->j->refusal ? CMD_INCONCLUSIVE : CMD_OK;
}

/* Judge what was measured so far; @f points to @j. */
static int measured_judge(const struct measured *m, struct judgement *j, struct predict_finding *f,
			  struct err *err)
{
	*f = (struct predict_finding){.task = &m->task,
				      .probes = m->log.probes,
				      .target = m->target,
				      .j = j,
				      .history = m->o->history ? &m->history : NULL,
				      .choice = m->chosen ? &m->choice : NULL};
	return m->chosen ? finished_judge(j, &m->task, &m->log.probes, &m->history, &m->choice, err)
			 : probe_judge(j, &m->task, &m->log.probes, m->target, err);
}

/* One of a stream of predictions. */
static void measured_line(const struct measured *m)
{
	struct judgement j = {0};
	struct predict_finding f;
	struct err ignored = ERR_INIT; /* the last one of the stream says it */

	if (!measured_judge(m, &j, &f, &ignored))
		predict_show(&f, predict_line);
	judgement_release(&j);
}

static void measured_progress(const struct measured *m, const double *x)
{
	if (!isatty(STDERR_FILENO))
		return;
	cmd_again(stderr);
	cmd_say(stderr, "probe %zu: %.6g of %.6g", m->log.probes.n + 1, x[0], m->target[0]);
}

/* One run at @x into the log. */
static int measured_run(struct measured *m, const double *x, struct err *err)
{
	struct probe p = {.end = PROBE_OK};
	int ret;

	memcpy(p.x, x, m->lab.sizes * sizeof(*x));
	measured_progress(m, x);
	ret = predict_probe(&m->lab, &p, err);
	if (!ret)
		ret = probe_log_add(&m->log, &p, err);
	if (!ret && p.end != PROBE_OK) {
		predict_failure(&m->task, &p, m->o, err);
		ret = err->code;
	}
	return ret;
}

/* Runs of exactly @x in the log. */
static size_t measured_runs(const struct measured *m, const double *x)
{
	size_t n = 0;

	for (size_t i = 0; i < m->log.probes.n; i++)
		n += m->log.probes.at[i].end == PROBE_OK &&
		     !memcmp(m->log.probes.at[i].x, x, m->lab.sizes * sizeof(*x));
	return n;
}

/* The size that the history asks for: once where counts are exact, or where twice costs too much. */
static int measure_chosen(struct measured *m, struct err *err)
{
	bool twice = !m->task.count && 200 * m->choice.share <= m->o->budget;
	size_t runs = measured_runs(m, m->choice.x);
	int ret = 0;

	for (; !ret && runs < (twice ? 2u : 1u); runs++)
		ret = measured_run(m, m->choice.x, err);
	return ret;
}

/* Sizes by @next until it says that there is none. */
static int measure_sizes(struct measured *m,
			 enum next_end (*next)(const struct next_plan *, const struct next_state *, double *),
			 struct err *err)
{
	int ret = 0;

	while (!ret) {
		struct next_state st;
		double x[GROWTH_PARAMS];
		enum next_end end;

		probe_state(&st, &m->task, &m->log.probes, m->plan);
		end = next(m->plan, &st, x);
		probe_state_release(&st);
		if (end != NEXT_PROBE)
			break;
		ret = measured_run(m, x, err);
		if (!ret && m->o->stream)
			measured_line(m);
	}
	return ret;
}

/* All probes: the one that the history asks for, else those that tell most of this task alone. */
static int measure_probes(struct measured *m, struct err *err)
{
	struct probe first = {.end = PROBE_OK};
	int ret = 0;

	/* The first time a program and its libraries are read and not run: a time that nobody wants. */
	memcpy(first.x, m->plan->from, sizeof(first.x));
	if (!m->task.figure && !m->log.probes.n)
		ret = predict_probe(&m->lab, &first, err);
	if (!ret && m->chosen) {
		ret = measure_chosen(m, err);
	} else if (!ret) {
		if (m->o->history)
			ret = measure_sizes(m, next_rung, err);
		if (!ret)
			ret = measure_sizes(m, next_probe, err);
	}
	if (isatty(STDERR_FILENO))
		cmd_again(stderr);
	return ret;
}

/* The log: of --log, or in the folder of the history, named by the task. */
static int measured_open(struct measured *m, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int ret = m->o->history ? fs_mkdirs(m->o->history, err) : 0;

	if (!ret && m->o->history)
		ret = finished_read(&m->history, m->o->history, &m->task, m->lab.sizes, m->target, err);
	if (!ret && m->o->history)
		m->chosen = finished_choose(&m->history, &m->task, m->plan->share, &m->choice);
	if (m->o->log)
		strbuf_puts(&path, m->o->log);
	else if (m->o->history)
		strbuf_printf(&path, "%s/%.16s.log", m->o->history, m->task.key);
	if (!ret)
		ret = probe_log_open(&m->log, path.s, &m->task, err);
	strbuf_release(&path);
	return ret;
}

/* The target itself, unless the log has it: *@took; then the sizes by which the next tasks may be foretold. */
static int measured_target(struct measured *m, double *took, struct err *err)
{
	double x[GROWTH_PARAMS];
	int ret = 0;

	memcpy(x, m->target, sizeof(x));
	if (!measured_runs(m, x))
		ret = measured_run(m, x, err);
	for (size_t i = 0; !ret && !*took && i < m->log.probes.n; i++)
		if (!memcmp(m->log.probes.at[i].x, m->target, m->lab.sizes * sizeof(*x)))
			*took = m->log.probes.at[i].figure;
	while (!ret && m->o->history && finished_want(&m->history, &m->task, &m->log.probes, m->plan, x))
		ret = measured_run(m, x, err);
	return ret;
}

/* What the target took, beside what was said. */
static void measured_took(const struct predict_finding *f)
{
	double said = predict_said(f), off = 100 * fabs(said / f->took - 1);
	char took[64], share[64];

	cmd_print("took: %s", f->task->figure ? f->task->figure : num_time(took, sizeof(took), f->took));
	if (f->task->figure)
		cmd_print(" %.4g", f->took);
	predict_share(off, share, sizeof(share));
	if (!f->j->refusal && off < 0.1)
		cmd_print(", as predicted within 0.1 %%");
	else if (!f->j->refusal)
		cmd_print(", the prediction is %s %s", share, said < f->took ? "less" : "more");
	cmd_print("\n");
}

/* Print what is judged; the target is run behind the words, but in front of JSON, which has what it took. */
static int measured_say(struct measured *m, struct predict_finding *f, int *status, struct err *err)
{
	size_t probes = m->log.probes.n;
	char share[64];
	int ret = 0;

	if (!m->o->json)
		*status = predict_show(f, predict_text);
	predict_share(predict_cost(f), share, sizeof(share));
	if (predict_cost(f) > m->o->budget)
		cmd_say(stderr,
			"perseus predict: the probes took %s of what is predicted, above --budget=%g\n",
			share, m->o->budget);
	if (m->o->run)
		ret = measured_target(m, &f->took, err);
	f->probes = m->log.probes; /* they may have moved */
	f->probes.n = probes;
	if (m->o->json)
		*status = predict_show(f, predict_json);
	else if (f->took > 0)
		measured_took(f);
	return ret;
}

/* Probes, prediction and target, with the log open; *@status is what was found. */
static int measured_all(struct measured *m, int *status, struct err *err)
{
	struct judgement j = {0};
	struct predict_finding f;
	int ret = measure_probes(m, err);

	if (ret)
		return ret;
	ret = measured_judge(m, &j, &f, err);
	if (ret) {
		*status = cmd_fail(m->cmd, err, CMD_DATA);
		return 0;
	}
	ret = measured_say(m, &f, status, err);
	judgement_release(&j);
	return ret;
}

int predict_by_probes(const struct cmd *cmd, const struct predict_opts *o,
		      const struct predict_values *target, struct next_plan *plan)
{
	struct measured m = {.cmd = cmd, .o = o, .plan = plan, .lab = {.null = -1, .out = -1}};
	struct err err = ERR_INIT;
	int status = CMD_OK, opened = 0, ret = predict_task(o, target, &m.task, &err);

	memcpy(m.target, target->value, target->n * sizeof(m.target[0]));
	plan->models = m.task.params;
	if (!ret)
		ret = predict_lab_open(&m.lab, o, &m.task, &err);
	if (!ret)
		ret = predict_features(&m.lab, m.target, &err);
	if (!ret)
		opened = ret = measured_open(&m, &err);
	if (!ret) {
		ret = measured_all(&m, &status, &err);
		if (ret && (o->log || o->history) && m.lab.received)
			err_advise(&err, "the same command goes on");
		probe_log_close(&m.log);
	}
	if (ret)
		status = cmd_fail(cmd, &err,
				  m.lab.received ? 128 + m.lab.received
				  : opened       ? cmd_write_status(&err)
						 : cmd_status(&err));
	finished_release(&m.history);
	predict_lab_close(&m.lab);
	task_release(&m.task);
	return status;
}
