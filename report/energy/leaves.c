/* SPDX-License-Identifier: MIT */
/*
 * The time of all threads, each nanosecond in one leaf: functions by call site, waiting, and
 * what belongs to no function.  CPU time is that of the kernel, dealt inside of a
 * thread by the self time of its functions.
 */
#include <math.h>

#include "report/energy/energy.h"
#include "report/time/collect.h"

#define WAITING "(waiting)"
#define OUTSIDE "(outside of functions)"

static struct energy_leaf *add_leaf(struct energy_leaves *out, size_t thread, const char *function)
{
	struct energy_leaf *leaf = vec_add(out);

	leaf->thread = thread;
	leaf->function = function;
	leaf->site = "(no call site)";
	return leaf;
}

/* The lines of threads are by process and index: that of the first thread of @p. */
static size_t first_of(const struct report_summary *s, const struct run_process *p)
{
	size_t i = 0;

	while (i < s->n_threads_listed && s->threads[i].process != p)
		i++;
	return i;
}

static void leaves_add_row(struct energy_leaves *out, struct report_summary *s, const struct call_row *row,
			   size_t first)
{
	const struct run_function *known = collect_function(s->run, row->home, row->callee);
	struct energy_leaf *leaf = add_leaf(out, first + row->thread, pretty_name(s, row->callee));

	leaf->self_ns = leaf->time_ns = fmax(row->self_ns, 0);
	leaf->calls = row->calls;
	if (known && known->file && strcmp(known->file, "-")) {
		leaf->file = known->file;
		leaf->line = known->line;
	}
	if (row->site) {
		leaf->site = leaf->function;
		leaf->site_file = row->site->file;
		leaf->site_line = row->site->line;
	}
}

/* The CPU time of a thread to its functions; what is left over is of none. */
static void deal_cpu(struct energy_leaves *out, size_t begin, const struct report_thread *t, size_t thread)
{
	double self = 0, wait, rest;

	for (size_t i = begin; i < out->n; i++)
		self += out->at[i].self_ns;
	for (size_t i = begin; i < out->n; i++)
		out->at[i].cpu = out->at[i].self_ns * 1e-9 *
				 (t->cpu_known && self > 0 ? fmin(1, t->cpu_ns / self) : 1);
	wait = fmin(t->wait_ns, fmax(0, t->life_ns - self));
	if (wait > 0)
		add_leaf(out, thread, WAITING)->time_ns = wait;
	rest = t->life_ns - self - wait;
	if (rest > 0 || (t->cpu_known && t->cpu_ns > self)) {
		struct energy_leaf *leaf = add_leaf(out, thread, OUTSIDE);

		leaf->time_ns = fmax(rest, 0);
		leaf->cpu = t->cpu_known ? fmax(0, t->cpu_ns - self) * 1e-9 : 0;
	}
}

/* CPU time of what was not recorded: loading, processes without probes. */
static void add_unrecorded(struct energy_leaves *out, const struct energy_report *r)
{
	double cpu = r->joules.cpu_seconds;

	for (size_t i = 0; i < out->n; i++)
		cpu -= out->at[i].cpu;
	if (cpu > 0)
		add_leaf(out, r->s->n_threads_listed, "(not recorded)")->cpu = cpu;
}

void energy_leaves_make(struct energy_leaves *out, const struct energy_report *r)
{
	struct report_summary *s = r->s;

	*out = (struct energy_leaves)VEC_INIT;
	for (size_t k = 0; k < s->n_threads_listed; k++) {
		size_t begin = out->n, first = first_of(s, s->threads[k].process);

		for (size_t i = 0; i < s->n_rows; i++)
			if (s->rows[i].process == s->threads[k].process && first + s->rows[i].thread == k)
				leaves_add_row(out, s, &s->rows[i], first);
		deal_cpu(out, begin, &s->threads[k], k);
	}
	add_unrecorded(out, r);
}
