/* SPDX-License-Identifier: MIT */
/* Joules of phases: the power in their time, or what was modelled by the CPU time in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/time/clock.h"
#include "analyzer/time/phases.h"
#include "report/energy/energy.h"

/* Integral over [from, to] of values in windows; @per: a value is of the whole window, not of a second. */
static double integral(const double *value, size_t n, double window, double from, double to, double whole,
		       bool per)
{
	double sum = 0;

	for (size_t i = (size_t)fmax(0, from / window); i < n && (double)i * window < to; i++) {
		double a = (double)i * window, b = fmin(a + window, whole);
		double part = fmin(b, to) - fmax(a, from);

		if (part > 0 && b > a)
			sum += value[i] * (per ? part / (b - a) : part);
	}
	return sum;
}

/* A joules of the whole that is in [from, to]. */
static double part_of_run(const struct energy_report *r, double from, double to)
{
	const struct joules *j = &r->joules;
	double all, share, idle;

	if (r->mode == ENERGY_MEASURED && j->n_power) {
		all = integral(j->power, j->n_power, j->window, 0, j->seconds, j->seconds, false);
		if (all > 0)
			return r->total *
			       integral(j->power, j->n_power, j->window, from, to, j->seconds, false) / all;
	}
	all = j->n_busy ? integral(j->busy, j->n_busy, j->window, 0, j->seconds, j->seconds, true) : 0;
	share = (to - from) / j->seconds;
	idle = r->idle * share;
	if (all > 0)
		share = integral(j->busy, j->n_busy, j->window, from, to, j->seconds, true) / all;
	return idle + (r->total - r->idle) * share;
}

/* The bounds of process @p as seconds of the run. */
struct clock_line {
	double begin; /* of the process */
	const struct run_process *p;
};

static double second_of(const struct energy_report *r, const struct clock_line *c, uint64_t tick)
{
	double t = c->begin + (double)(tick - c->p->header->tsc_start) * c->p->ns_per_tick * 1e-9;

	return fmin(fmax(t, 0), r->joules.seconds);
}

/* At each end a reading may be of one phase or the other. */
static double edge_error(const struct energy_report *r, double seconds, uint64_t times)
{
	double edges = (double)times * (r->joules.interval + r->joules.alignment_error);

	return r->mode != ENERGY_MEASURED ? 0 : seconds > 0 ? fmin(1, r->error + edges / seconds) : 1;
}

static void add_phases(struct energy_report *r, const struct phase_classes *classes, const struct bounds *b,
		       const struct clock_line *c, double scale)
{
	double *joules = mem_new(classes->n + 1, sizeof(*joules)),
	       *seconds = mem_new(classes->n + 1, sizeof(*seconds));
	double rest = r->total * scale, time = r->joules.seconds;
	uint64_t *times = mem_new(classes->n + 1, sizeof(*times));

	for (size_t i = 0; i < b->n; i++) {
		uint32_t class = classes->of_first[i];
		double from = second_of(r, c, b->at[i].tick);
		double to = second_of(r, c, i + 1 < b->n ? b->at[i + 1].tick : c->p->end), part;

		if (class >= classes->n || to <= from)
			continue;
		part = fmin(part_of_run(r, from, to) * scale, rest);
		joules[class] += part;
		seconds[class] += to - from;
		times[class]++;
		rest -= part;
		time -= to - from;
	}
	for (size_t i = 0; i < classes->n; i++) {
		const struct phase_class *k = &classes->at[i];
		char text[512], name[600];

		phase_opening(text, sizeof(text), k->kind, k->opener);
		snprintf(name, sizeof(name), "phase %zu %s", i, text);
		vec_push(&r->phases, ((struct energy_line){.name = energy_name(r, mem_strdup(name)),
							   .joules = joules[i],
							   .cpu = seconds[i],
							   .error = edge_error(r, seconds[i], times[i]),
							   .count = times[i]}));
	}
	vec_push(&r->phases, ((struct energy_line){.name = "(before and after the phases)",
						   .joules = fmax(rest, 0),
						   .cpu = fmax(time, 0),
						   .error = edge_error(r, time, 1),
						   .count = 1}));
	free(joules);
	free(seconds);
	free(times);
}

void energy_phases_make(struct energy_report *r)
{
	const struct run *run = r->s->run;
	const struct run_process *p = run->processes;
	double scale = r->total > 0 ? (r->total - r->others) / r->total : 1;
	struct clock_line c = {0, p};
	struct phase_classes classes;
	struct instances names;
	struct intervals iv;
	struct timeline tl;
	struct bounds b;
	struct notes notes = {0};
	bool calibrated;

	if (!run->n_processes || r->joules.raw <= 0 || r->joules.seconds <= 0)
		return;
	c.begin = (double)p->header->mono_start_ns * 1e-9 - r->joules.raw;
	instances_match(&names, &run, &p, 1);
	timeline_make(&tl, run, p, &names, 0);
	bounds_find(&b, &tl, &notes);
	intervals_make(&iv, &tl, &b, core_khz(run, &calibrated), "run");
	phases_fold(&classes, &iv, 1, &names, &notes);
	if (iv.n == b.n)
		add_phases(r, &classes, &b, &c, scale);
	phases_release(&classes);
	intervals_release(&iv);
	bounds_release(&b);
	timeline_release(&tl);
	instances_release(&names);
	notes_release(&notes);
}
