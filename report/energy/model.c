/* SPDX-License-Identifier: MIT */
/*
 * A model of power on what the run counted: events of perf, and the run's own counts, which
 * are there where no counter is: calls, CPU seconds, in all or of each core, page faults,
 * context switches, and in sharing runs line transfers and memory accesses.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/energy/estimate.h"
#include "report/counters/counters.h"
#include "report/energy/energy.h"

/* A measured frequency is a step if it is as near to it. */
#define SAME_STEP 0.03

enum own_count { OWN_CPU, OWN_CALLS, OWN_FAULTS, OWN_SWITCHES, OWN_TRANSFERS, OWN_ACCESSES, OWN_COUNTS };

static const char *const own_names[] = {"cpu-seconds",      "calls",     "page-faults",
					"context-switches", "transfers", "accesses"};

static int own_count_called(const char *name)
{
	for (int i = 0; i < OWN_COUNTS; i++)
		if (!strcmp(own_names[i], name))
			return i;
	return -1;
}

/* Memory accesses that a sharing run counted. */
static double accesses_of(const struct run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];

		for (size_t m = 0; m < p->header->n_mems; m++) {
			sum += p->exited_counts ? (double)p->exited_counts[m] : 0;
			for (size_t t = 0; t < p->n_threads; t++)
				sum += p->threads[t].mem_counts ? (double)p->threads[t].mem_counts[m] : 0;
		}
	}
	return sum;
}

/* Of each leaf; the sum is what the run counted. */
static void own_counts(const struct energy_report *r, const struct energy_leaves *l, int which, double *count)
{
	double cpu = 0, whole = which == OWN_FAULTS     ? (double)r->joules.page_faults
				: which == OWN_SWITCHES ? (double)r->joules.context_switches
				: which == OWN_ACCESSES ? accesses_of(r->s->run)
							: (double)r->s->transfers;

	for (size_t i = 0; i < l->n; i++)
		cpu += l->at[i].cpu;
	for (size_t i = 0; i < l->n; i++)
		count[i] = which == OWN_CPU     ? l->at[i].cpu
			   : which == OWN_CALLS ? (double)l->at[i].calls
			   : cpu > 0            ? whole * l->at[i].cpu / cpu
						: whole / (double)l->n;
}

static double self_of(const struct energy_leaves *l, const char *function)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].self_ns > 0 && !strcmp(l->at[i].function, function))
			sum += l->at[i].self_ns;
	return sum;
}

/* Counts of event @e: of a function by its self time in each thread, of no function by CPU time. */
static void perf_counts(const struct energy_report *r, const struct energy_leaves *l, size_t e, double *count)
{
	const struct report_counters *c = r->s->counters;
	double left = c->totals[e], cpu = 0;

	for (size_t i = 0; i < l->n; i++)
		count[i] = 0;
	for (size_t f = 0; f < c->n_functions; f++) {
		const struct report_counted *k = &c->functions[f];
		double self = k->name ? self_of(l, k->name) : 0;

		for (size_t i = 0; self > 0 && i < l->n; i++)
			if (!strcmp(l->at[i].function, k->name))
				count[i] = k->counts[e] * l->at[i].self_ns / self;
		left -= self > 0 ? k->counts[e] : 0;
	}
	for (size_t i = 0; i < l->n; i++)
		cpu += l->at[i].cpu;
	for (size_t i = 0; i < l->n && left > 0; i++)
		count[i] += cpu > 0 ? left * l->at[i].cpu / cpu : left / (double)l->n;
}

/* Counts of the event called @name of each leaf; false: the run did not count it. */
static bool counts_of(const struct energy_report *r, const struct energy_leaves *l, const char *name,
		      double *count)
{
	int own = own_count_called(name), e;
	uint32_t core;

	if (energy_core_of(name, &core))
		return energy_on_time(r, l, core, count);
	if (own >= 0 && (own < OWN_TRANSFERS || r->s->sharing)) {
		own_counts(r, l, own, count);
		return true;
	}
	e = r->s->counters ? run_event_find(r->s->counters->how, name) : -1;
	if (e < 0 || !r->s->counters->how->events[e].counted)
		return false;
	perf_counts(r, l, (size_t)e, count);
	return true;
}

static char *missing(const struct energy *model, const char *name, char **remedy)
{
	struct strbuf sb = STRBUF_INIT, list = STRBUF_INIT;
	uint32_t core;

	if (energy_core_of(name, &core)) {
		free(*remedy);
		*remedy = mem_strdup(
			"perseus doctor says whether perf can be used; or a model without that event");
		strbuf_printf(&sb,
			      "the model needs the event %s, and the recorder could not look on which cores "
			      "threads were",
			      name);
		return strbuf_detach(&sb);
	}
	strbuf_printf(&sb, "the model needs the event %s, which this run did not count", name);
	for (size_t i = 0; i < model->n_events; i++)
		if (model->events[i].used && own_count_called(model->events[i].name) < 0 &&
		    !energy_core_of(model->events[i].name, &core))
			strbuf_printf(&list, "%s%s", list.len ? "," : "", model->events[i].name);
	free(*remedy);
	if (list.len) {
		struct strbuf r = STRBUF_INIT;

		strbuf_printf(&r, "perseus record --energy --events=%s PROGRAM", list.s);
		*remedy = strbuf_detach(&r);
	} else {
		*remedy = mem_strdup(
			"perseus record --energy --purpose=sharing PROGRAM counts transfers and accesses");
	}
	strbuf_release(&list);
	return strbuf_detach(&sb);
}

/* The step of the model that the cores of the run had. */
static double mhz_of(const struct energy_report *r, const struct energy *model)
{
	double mhz = (double)r->s->run->manifest.core_khz * 1e-3;

	if (model->n_models == 1 && !model->models[0].mhz && !model->models[0].scaled)
		return 0; /* of whatever frequency there was */
	for (size_t i = 0; i < model->n_models; i++)
		if (model->models[i].mhz > 0 && fabs(mhz / model->models[i].mhz - 1) < SAME_STEP)
			return model->models[i].mhz;
	return mhz;
}

/* Why the interval is not claimed. */
static char *why_outside(const struct energy_estimate *e, const struct energy *model)
{
	struct strbuf sb = STRBUF_INIT;
	size_t n = 0;

	if (e->untested) {
		strbuf_puts(&sb, "the model was not tested on other programs");
	} else if (e->other_frequency) {
		strbuf_puts(&sb, "the model knows no such frequency");
	} else if (e->term != SIZE_MAX) {
		for (size_t i = 0; i < model->n_events; i++)
			if (model->events[i].used && n++ == e->term)
				strbuf_printf(&sb, "%s is beyond its range in training",
					      model->events[i].name);
	} else {
		strbuf_printf(&sb, "the counts together are unlike those of training (distance %.1f)",
			      e->distance);
	}
	if (!sb.len)
		strbuf_puts(&sb, "voltages are beyond their range in training");
	return strbuf_detach(&sb);
}

bool energy_model_apply(struct energy_report *r, const struct energy *model,
			const struct energy_leaves *leaves, double *activity, double *watts,
			double *idle_watts)
{
	struct energy_row row = {.mhz = mhz_of(r, model), .seconds = r->joules.seconds, .cores = 1};
	double *count = mem_new(leaves->n, sizeof(*count));
	struct energy_estimate e;
	const struct energy_model *m;
	size_t n = 0;
	bool exact;

	m = energy_model_for(model, row.mhz, 0, &exact);
	for (size_t i = 0; i < leaves->n; i++)
		activity[i] = 0;
	for (size_t k = 0; k < model->n_events; k++) {
		if (!model->events[k].used)
			continue;
		if (!counts_of(r, leaves, model->events[k].name, count)) {
			free(r->reason);
			r->reason = missing(model, model->events[k].name, &r->remedy);
			free(count);
			return false;
		}
		for (size_t i = 0; i < leaves->n; i++) {
			row.x[n] += count[i] / row.seconds;
			activity[i] += m->weights[n] * count[i];
		}
		n++;
	}
	free(count);
	e = energy_estimate_row(model, &row);
	*watts = e.watts;
	*idle_watts = fmax(0, fmin(m->constant, e.watts));
	r->model_error = e.extrapolated ? 0 : m->interval;
	r->outside = e.extrapolated ? why_outside(&e, model) : NULL;
	return true;
}
