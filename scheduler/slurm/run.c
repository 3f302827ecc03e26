/* SPDX-License-Identifier: MIT */
/* Look at Slurm, plan, move, hand in; again and again until all tasks have ended. */
#include "scheduler/slurm/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/spawn/child.h"
#include "scheduler/slurm/plan.h"

#define PATIENCE_S 180 /* for a lock that an sbatch of a killed run may still have */

void run_say(const struct run *r, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	if (r->o->say)
		r->o->say(r->o->arg, text);
	free(text);
}

static enum stage stage_of(enum slurm_state state)
{
	return state == SLURM_DONE        ? STAGE_DONE
	       : state == SLURM_FAILED    ? STAGE_FAILED
	       : state == SLURM_CANCELLED ? STAGE_CANCELLED
					  : STAGE_LOST;
}

/* Task @t has come to its end. */
static int task_ends(struct run *r, size_t t, enum slurm_state state, struct err *err)
{
	state = r->j.task[t].skipped ? SLURM_CANCELLED : state;
	r->now[t].stage = stage_of(state);
	if (state == SLURM_UNKNOWN)
		run_say(r, "task '%s': nobody knows how job %" PRIu64 " ended", r->w->tasks.at[t].name,
			r->now[t].id);
	else if (r->j.task[t].skipped)
		run_say(r, "task '%s' is not run: what it waits for did not end well",
			r->w->tasks.at[t].name);
	else if (state != SLURM_DONE)
		run_say(r, "task '%s' %s (job %" PRIu64 ")", r->w->tasks.at[t].name,
			state == SLURM_FAILED ? "failed" : "was cancelled", r->now[t].id);
	r->j.task[t].is_final = true;
	r->j.task[t].state = state;
	return journal_add(&r->j, err, "state %zu %s\n", t, slurm_states[state]);
}

/* What squeue says of a job. */
static int job_seen(struct run *r, const struct slurm_job *job, struct err *err)
{
	struct task_now *now = &r->now[job->task];
	int ret = 0;

	if (!now->id) {
		/* The run that handed it in ended before it could write that down. */
		now->id = r->j.task[job->task].id = job->id;
		ret = journal_add(&r->j, err, "job %zu %" PRIu64 "\n", job->task, job->id);
	}
	if (now->id != job->id || now->stage >= STAGE_DONE)
		return ret;
	now->seen = true;
	if (job->state == SLURM_WAITS) {
		now->stage = STAGE_WAITS;
	} else if (job->state == SLURM_RUNS) {
		now->since = now->stage == STAGE_RUNS ? now->since : child_clock_ns();
		now->stage = STAGE_RUNS;
	} else if (!ret && job->state != SLURM_UNKNOWN) {
		ret = task_ends(r, job->task, job->state, err);
	}
	return ret;
}

/* A task that was handed in and that squeue does not show: it ended some time ago, or never arrived. */
static int task_unseen(struct run *r, size_t t, struct err *err)
{
	struct journal_task *known = &r->j.task[t];
	enum slurm_state state = SLURM_UNKNOWN;

	if (!known->started && !r->now[t].id) {
		r->now[t].stage = STAGE_NEW;
		known->submitted = false;
		return 0;
	}
	if (known->ended)
		state = known->status ? SLURM_FAILED : SLURM_DONE;
	else if (!known->skipped)
		state = slurm_account(r->now[t].id);
	if (state == SLURM_UNKNOWN && !known->ended && (known->skipped || !known->started))
		state = SLURM_CANCELLED;
	if (state == SLURM_WAITS || state == SLURM_RUNS)
		return 0; /* the next look will tell */
	return task_ends(r, t, state, err);
}

int run_look_at_jobs(struct run *r, struct err *err)
{
	struct slurm_jobs jobs = VEC_INIT;
	int ret = slurm_list(r->j.key, &jobs, err);

	/* Behind the list: a job that has ended in it has written all of its lines. */
	if (!ret)
		ret = journal_read(&r->j, err);
	for (size_t t = 0; t < r->w->tasks.n; t++)
		r->now[t].seen = false;
	for (size_t i = 0; !ret && i < jobs.n; i++)
		if (jobs.at[i].task < r->w->tasks.n)
			ret = job_seen(r, &jobs.at[i], err);
	vec_release(&jobs);
	for (size_t t = 0; !ret && t < r->w->tasks.n; t++)
		if (r->j.task[t].submitted && !r->now[t].seen && r->now[t].stage < STAGE_DONE)
			ret = task_unseen(r, t, err);
	return ret;
}

static bool has_ended(const struct run *r)
{
	for (size_t t = 0; t < r->w->tasks.n; t++)
		if (r->now[t].stage < STAGE_DONE)
			return false;
	return true;
}

/* One look, and what follows from it. */
static int run_step(struct run *r, struct err *err)
{
	int ret = run_look_at_nodes(r, err);

	if (!ret)
		ret = run_look_at_jobs(r, err);
	if (!ret)
		ret = run_plan(r, err);
	if (!ret)
		ret = run_move(r, err);
	if (!ret)
		ret = run_submit(r, err);
	return ret;
}

static int run_loop(struct run *r, struct err *err)
{
	bool away = false;

	for (;;) {
		int ret = run_step(r, err);

		if (ret && ret != -EAGAIN)
			return ret;
		if (ret && !away)
			run_say(r, "Slurm does not answer (%s): asked again and again", err->msg);
		else if (!ret && away)
			run_say(r, "Slurm answers again");
		away = ret != 0;
		if (!ret && has_ended(r))
			return 0;
		usleep(r->o->poll_ms * 1000);
	}
}

/* What the journal knows is where it goes on. */
static void run_remember(struct run *r)
{
	for (size_t t = 0; t < r->w->tasks.n; t++) {
		const struct journal_task *known = &r->j.task[t];

		r->now[t].id = known->id;
		if (known->is_final)
			r->now[t].stage = stage_of(known->state);
		else if (known->submitted)
			r->now[t].stage = STAGE_WAITS;
	}
}

/* The journal; an sbatch that a killed run left behind may have it for some time still. */
static int run_open(struct run *r, struct err *err)
{
	for (int waited = 0;; waited++) {
		int ret = journal_open(&r->j, r->o->journal, r->w, err);

		if (ret != -EWOULDBLOCK || waited == PATIENCE_S)
			return ret;
		if (!waited)
			run_say(r, "%s: waiting up to %d s for its end", err->msg, PATIENCE_S);
		journal_close(&r->j);
		sleep(1);
	}
}

static int check_commands(const struct workflow *w, struct err *err)
{
	for (size_t t = 0; t < w->tasks.n; t++)
		if (!w->tasks.at[t].command)
			return err_set(err, -EINVAL, "task '%s' has no command", w->tasks.at[t].name);
	return 0;
}

/* A job that was cancelled behind one that did not end well was skipped. */
static void run_count(struct run *r, struct slurm_result *out)
{
	for (size_t i = 0; i < r->w->tasks.n; i++) {
		size_t t = r->w->topological[i];
		const struct work_task *task = &r->w->tasks.at[t];

		for (size_t k = 0; r->now[t].stage == STAGE_CANCELLED && k < task->after.n; k++)
			if (r->now[task->after.at[k]].stage > STAGE_DONE)
				r->now[t].stage = STAGE_SKIPPED;
		out->done += r->now[t].stage == STAGE_DONE;
		out->failed += r->now[t].stage == STAGE_FAILED || r->now[t].stage == STAGE_CANCELLED;
		out->skipped += r->now[t].stage == STAGE_SKIPPED;
		out->lost += r->now[t].stage == STAGE_LOST;
	}
}

int slurm_run(const struct workflow *w, const struct slurm_options *o, struct slurm_result *out,
	      struct err *err)
{
	struct run r = {
		.w = w,
		.o = o,
		.j = {.fd = -1},
		.now = mem_new(w->tasks.n, sizeof(*r.now)),
		.usable = mem_new(w->nodes.n, sizeof(*r.usable)),
		.before = mem_new(w->nodes.n, sizeof(*r.before)),
	};
	int ret = check_commands(w, err);

	*out = (struct slurm_result){0};
	for (size_t i = 0; i < w->nodes.n; i++)
		names_add(&r.nodes, w->nodes.at[i].name, i);
	if (!ret) {
		ret = run_open(&r, err);
		if (!ret) {
			run_remember(&r);
			ret = run_loop(&r, err);
		}
		journal_close(&r.j);
	}
	run_count(&r, out);
	names_release(&r.nodes);
	slurm_nodes_release(&r.slurm);
	free(r.now);
	free(r.usable);
	free(r.before);
	return ret;
}
