/* SPDX-License-Identifier: MIT */
/* The plan as Slurm has it: nodes, and dependencies on what is in front on them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scheduler/slurm/plan.h"

/* The last task on each node, so far in the order of the plan; tasks + 1, 0: none. */
struct front {
	const struct run *r;
	size_t *last;
};

static bool still_counts(const struct run *r, size_t t)
{
	return r->now[t].id && (r->now[t].stage == STAGE_WAITS || r->now[t].stage == STAGE_RUNS);
}

/* Append ":ID" of task @other, behind the word for "when it has ended" if it is the first. */
static void depend(const struct run *r, size_t other, struct strbuf *out)
{
	strbuf_printf(out, "%s:%" PRIu64, out->len ? "" : "afterany", r->now[other].id);
}

/*
 * What task @t waits for, as sbatch and scontrol take it; @order: what is in front of it on its nodes as well.  For the
 * end of each, good or bad: a job that Slurm cancels because of another's failure would let go at once what stands
 * behind it.  The job itself looks how they ended.
 */
static void dependency(const struct front *f, size_t t, bool order, struct strbuf *out)
{
	const struct run *r = f->r;
	const struct work_task *task = &r->w->tasks.at[t];
	const char *nodes = order ? r->j.plan.nodes[t] : NULL;
	size_t before = 0;

	strbuf_puts(out, "");
	for (size_t k = 0; k < task->after.n; k++)
		if (still_counts(r, task->after.at[k]))
			depend(r, task->after.at[k], out);
	for (size_t node; run_next_node(r, &nodes, &node);) {
		size_t last = node == NAMES_NONE ? 0 : f->last[node];

		if (!last || last == before || !still_counts(r, last - 1))
			continue;
		before = last;
		depend(r, last - 1, out);
	}
}

/* Task @t is the last on its nodes, unless it has ended. */
static void stand_on(struct front *f, size_t t)
{
	const char *nodes = f->r->j.plan.nodes[t];

	if (f->r->now[t].stage >= STAGE_DONE)
		return;
	for (size_t node; run_next_node(f->r, &nodes, &node);)
		if (node != NAMES_NONE)
			f->last[node] = t + 1;
}

/*
 * The command, behind it what the journal has to know where Slurm has forgotten the job, and in front a look at how those
 * have ended that it waits for: in the journal, or where its node cannot read that, by what Slurm still knows.
 */
static void make_script(const struct run *r, size_t t, struct strbuf *out)
{
	const struct work_task *task = &r->w->tasks.at[t];

	strbuf_puts(out, "journal=");
	strbuf_word(out, r->j.path);
	strbuf_printf(out, "\nprintf '\\nstarted %zu 0\\n' >>\"$journal\"\nfor other in", t);
	for (size_t k = 0; k < task->after.n; k++)
		strbuf_printf(out, " %zu:%" PRIu64, task->after.at[k], r->now[task->after.at[k]].id);
	strbuf_printf(out,
		      "; do\nif [ -r \"$journal\" ]; then\n"
		      "grep -qx \"ended ${other%%:*} 0\" \"$journal\" && continue\nelse\n"
		      "case $(scontrol --oneliner show job \"${other#*:}\" 2>/dev/null) in\n"
		      "''|*JobState=COMPLETED*) continue ;;\nesac\nfi\n"
		      "printf '\\nskipped %zu 0\\n' >>\"$journal\"\nexit 1\ndone\n",
		      t);
	strbuf_printf(out, "(\n%s\n)\nstatus=$?\nprintf '\\nended %zu %%d\\n' \"$status\" >>\"$journal\"\n",
		      task->command, t);
	strbuf_puts(out, "exit \"$status\"\n");
}

static int submit_task(struct run *r, const struct front *f, size_t t, struct err *err)
{
	struct strbuf after = STRBUF_INIT, script = STRBUF_INIT;
	uint64_t id = 0;
	int ret = journal_add(&r->j, err, "submit %zu\n", t);

	dependency(f, t, true, &after);
	make_script(r, t, &script);
	if (!ret)
		ret = slurm_submit(&(struct slurm_order){.key = r->j.key,
							 .name = r->w->tasks.at[t].name,
							 .task = t,
							 .width = r->w->tasks.at[t].width,
							 .nodes = r->j.plan.nodes[t],
							 .dependency = after.s,
							 .script = script.s},
				   &id, err);
	if (!ret)
		ret = journal_add(&r->j, err, "job %zu %" PRIu64 "\n", t, id);
	if (!ret) {
		r->j.task[t] = (struct journal_task){.submitted = true, .id = id};
		r->now[t] = (struct task_now){.stage = STAGE_WAITS, .id = id, .seen = true};
	}
	strbuf_release(&after);
	strbuf_release(&script);
	return ret;
}

/* What task @t waits for and did not end well; NULL: nothing. */
static const char *hopeless(const struct run *r, size_t t)
{
	const struct work_task *task = &r->w->tasks.at[t];

	for (size_t k = 0; k < task->after.n; k++)
		if (r->now[task->after.at[k]].stage > STAGE_DONE)
			return r->w->tasks.at[task->after.at[k]].name;
	return NULL;
}

/* A task that waits for one that did not end well is never run. */
static void skip_hopeless(struct run *r)
{
	for (size_t i = 0; i < r->w->tasks.n; i++) {
		size_t t = r->w->topological[i];
		const char *other = r->now[t].stage == STAGE_NEW ? hopeless(r, t) : NULL;

		if (!other)
			continue;
		r->now[t].stage = STAGE_SKIPPED;
		run_say(r, "task '%s' is not run: '%s' did not end well", r->w->tasks.at[t].name, other);
	}
}

int run_submit(struct run *r, struct err *err)
{
	struct front f = {r, mem_new(r->w->nodes.n, sizeof(*f.last))};
	int ret = 0;

	skip_hopeless(r);
	for (size_t i = 0; !ret && i < r->j.plan.n; i++) {
		size_t t = r->j.plan.order[i];

		if (r->now[t].stage == STAGE_NEW)
			ret = submit_task(r, &f, t, err);
		stand_on(&f, t);
	}
	free(f.last);
	return ret;
}

/* Nodes, and dependencies with what is in front of a job or without, of all that wait. */
static int move_all(struct run *r, bool order, struct err *err)
{
	struct front f = {r, mem_new(r->w->nodes.n, sizeof(*f.last))};
	int ret = 0;

	for (size_t i = 0; !ret && i < r->j.plan.n; i++) {
		size_t t = r->j.plan.order[i];
		struct strbuf after = STRBUF_INIT;

		dependency(&f, t, order, &after);
		if (r->now[t].stage == STAGE_WAITS)
			ret = slurm_move(r->now[t].id, order ? NULL : r->j.plan.nodes[t], after.s, err);
		/* It runs or has ended meanwhile: then nothing is to be moved. */
		ret = ret == -EINVAL ? 0 : ret;
		stand_on(&f, t);
		strbuf_release(&after);
	}
	free(f.last);
	return ret;
}

int run_hold(const struct run *r, bool hold, size_t *n, struct err *err)
{
	struct strbuf ids = STRBUF_INIT;
	int ret = 0;

	*n = 0;
	for (size_t t = 0; t < r->w->tasks.n; t++)
		if (r->now[t].stage == STAGE_WAITS && r->now[t].id)
			strbuf_printf(&ids, "%s%" PRIu64, (*n)++ ? "," : "", r->now[t].id);
	if (*n)
		ret = slurm_hold(ids.s, hold, err);
	strbuf_release(&ids);
	return ret;
}

/*
 * All are held meanwhile: none starts by half of the old and half of the new plan.  First nobody waits for what is in
 * front of it: of old and new orders together circles could come, which Slurm refuses.
 */
int run_move(struct run *r, struct err *err)
{
	size_t n = 0;
	int ret = 0;

	if (!r->j.moving)
		return 0;
	ret = run_hold(r, true, &n, err);
	if (!ret)
		ret = move_all(r, false, err);
	/* What is not there yet may be in front of what is. */
	if (!ret)
		ret = run_submit(r, err);
	if (!ret)
		ret = move_all(r, true, err);
	if (!ret)
		ret = run_hold(r, false, &n, err);
	if (!ret)
		ret = journal_add(&r->j, err, "moved %zu\n", n);
	if (!ret)
		r->j.moving = false;
	if (!ret && n)
		run_say(r, "moved: %zu jobs that wait", n);
	return ret;
}
