/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "report/energy/energy.h"

const char *energy_name(struct energy_report *r, char *text)
{
	r->names = mem_resize(r->names, r->n_names + 1, sizeof(*r->names));
	r->names[r->n_names++] = text;
	return text;
}

/* ---- how much, and how that is known ---- */

static void absent(struct energy_report *r, const char *reason, const char *remedy)
{
	r->mode = ENERGY_ABSENT;
	if (!r->reason) {
		r->reason = mem_strdup(reason);
		r->remedy = mem_strdup(remedy);
	}
}

/* The total, and activities of the leaves where a model says them. */
static void settle_total(struct energy_report *r, const struct energy_wanted *w,
			 const struct energy_leaves *l, double *activity)
{
	double watts = 0, idle_watts = 0;

	for (size_t i = 0; i < l->n; i++)
		activity[i] = l->at[i].cpu;
	if (!r->recorded) {
		absent(r, "the run was recorded without --energy", "perseus record --energy PROGRAM");
		return;
	}
	r->by_model = w->model && energy_model_apply(r, w->model, l, activity, &watts, &idle_watts);
	if (r->joules.source) {
		r->mode = ENERGY_MEASURED;
		r->total = r->joules.joules;
		/* A meter's file may begin with the run: then the model's constant is as good. */
		idle_watts = r->joules.idle_watts > 0 ? r->joules.idle_watts : r->by_model ? idle_watts : 0;
		r->idle = fmin(r->total, idle_watts * r->joules.seconds);
		r->error = r->joules.error;
	} else if (r->by_model) {
		r->mode = ENERGY_MODELLED;
		r->total = watts * r->joules.seconds;
		r->idle = idle_watts * r->joules.seconds;
		r->error = r->model_error;
	} else {
		absent(r, r->joules.reason,
		       r->joules.remedy ? r->joules.remedy
					: "perseus report --energy --energy-model=energy.yaml models them");
	}
}

/* ---- tables ---- */

/* What lines are made of. */
struct key {
	const char *name, *file;
	uint32_t line;
	size_t leaf;
};

static int key_order(const struct key *a, const struct key *b)
{
	int c = strcmp(a->name, b->name);

	if (!c)
		c = strcmp(a->file ? a->file : "", b->file ? b->file : "");
	return c ? c : (a->line > b->line) - (a->line < b->line);
}

static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = key_order(x, y);

	return c ? c : (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

static int by_joules(const void *a, const void *b)
{
	const struct energy_line *x = a, *y = b;

	return x->joules != y->joules ? (x->joules < y->joules) - (x->joules > y->joules)
				      : strcmp(x->name, y->name);
}

/* Leaves with equal keys become one line; the leaf behind the last one is all other programs. */
static void group(struct energy_lines *out, struct key *key, size_t n, const struct energy_part *part,
		  const struct energy_leaves *l, double others_cpu)
{
	struct energy_line *line = NULL;

	qsort(key, n, sizeof(*key), by_key);
	for (size_t i = 0; i < n; i++) {
		size_t leaf = key[i].leaf;

		if (!i || key_order(&key[i - 1], &key[i])) {
			line = vec_add(out);
			line->name = key[i].name;
			line->file = key[i].file;
			line->line = key[i].line;
		}
		line->joules += part[leaf].joules;
		line->idle += part[leaf].idle;
		if (leaf < l->n) {
			line->cpu += l->at[leaf].cpu;
			line->count += l->at[leaf].calls;
		} else {
			line->cpu += others_cpu;
		}
	}
	qsort(out->at, out->n, sizeof(*out->at), by_joules);
}

/* The programs of a run: its processes by name, and all others. */
static const char *program_of(const struct energy_report *r, const struct energy_leaf *leaf)
{
	const struct run *run = r->s->run;

	if (leaf->thread >= r->s->n_threads_listed || r->s->threads[leaf->thread].process == run->processes)
		return run->manifest.program;
	return r->s->threads[leaf->thread].process->file;
}

/* The part of other programs is no line of functions and threads: their sum is the program's. */
static void make_tables(struct energy_report *r, const struct energy_leaves *l,
			const struct energy_part *part)
{
	struct key *key = mem_new(l->n + 1, sizeof(*key));
	size_t n_threads = r->s->n_threads_listed;

	for (size_t i = 0; i < l->n; i++)
		key[i] = (struct key){program_of(r, &l->at[i]), NULL, 0, i};
	if (r->others > 0)
		key[l->n] = (struct key){"(other programs)", NULL, 0, l->n};
	group(&r->programs, key, l->n + (r->others > 0), part, l,
	      r->joules.machine_seconds - r->joules.cpu_seconds);
	for (size_t i = 0; i < l->n; i++) {
		size_t t = l->at[i].thread;

		key[i] = (struct key){t < n_threads ? r->s->threads[t].full : "(not recorded)", NULL, 0, i};
	}
	group(&r->threads, key, l->n, part, l, 0);
	for (size_t i = 0; i < l->n; i++)
		key[i] = (struct key){l->at[i].function, l->at[i].file, l->at[i].line, i};
	group(&r->functions, key, l->n, part, l, 0);
	for (size_t i = 0; i < l->n; i++)
		key[i] = (struct key){l->at[i].site, l->at[i].site_file, l->at[i].site_line, i};
	group(&r->sites, key, l->n, part, l, 0);
	free(key);
}

/* What other programs caused meanwhile, by their CPU time: in units of the leaves' activity. */
static double activity_of_others(const struct energy_report *r, const double *activity, size_t n)
{
	double cpu = r->joules.cpu_seconds, other = r->joules.machine_seconds - cpu, sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fmax(activity[i], 0);
	return r->mode == ENERGY_MEASURED && r->joules.machine_seconds > 0 && cpu > 0 && other > 0
		       ? sum * other / cpu
		       : 0;
}

static void deal(struct energy_report *r, const struct energy_leaves *l, const double *activity)
{
	struct energy_part *part = mem_new(l->n + 1, sizeof(*part));
	size_t n_threads = r->s->n_threads_listed, n = l->n;

	for (size_t i = 0; i < l->n; i++)
		part[i] = (struct energy_part){
			.thread = l->at[i].thread, .activity = activity[i], .time = l->at[i].time_ns};
	part[n] = (struct energy_part){.thread = n_threads, .activity = activity_of_others(r, activity, n)};
	n += part[n].activity > 0;
	if (n)
		energy_account(part, n, n_threads, r->total, r->idle, r->rule);
	r->others = n > l->n ? part[l->n].joules : 0;
	make_tables(r, l, part);
	energy_phases_make(r);
	free(part);
}

void energy_report_make(struct energy_report *r, struct report_summary *s, struct joules *joules,
			const struct energy_wanted *wanted)
{
	struct energy_leaves leaves;
	double *activity;

	memset(r, 0, sizeof(*r));
	r->s = s;
	r->rule = wanted->rule;
	r->recorded = joules != NULL;
	if (joules) {
		r->joules = *joules;
		memset(joules, 0, sizeof(*joules));
	}
	energy_leaves_make(&leaves, r);
	activity = mem_new(leaves.n + 1, sizeof(*activity));
	settle_total(r, wanted, &leaves, activity);
	if (r->mode != ENERGY_ABSENT)
		deal(r, &leaves, activity);
	free(activity);
	vec_release(&leaves);
}

void energy_report_release(struct energy_report *r)
{
	joules_release(&r->joules);
	free(r->reason);
	free(r->remedy);
	free(r->outside);
	vec_release(&r->programs);
	vec_release(&r->threads);
	vec_release(&r->functions);
	vec_release(&r->sites);
	vec_release(&r->phases);
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i]);
	free(r->names);
	memset(r, 0, sizeof(*r));
}
