/* SPDX-License-Identifier: MIT */
/* From probes to the question that the models are asked. */
#include <string.h>

#include "predictor/probe/log.h"

struct growth_run *probe_runs(const struct task *t, const struct probes *probes, struct next_plan *plan,
			      struct next_state *state)
{
	struct growth_run *runs = mem_new(probes->n + 1, sizeof(*runs));
	double *count = mem_new(probes->n + 1, sizeof(*count)), *time = mem_new(probes->n + 1, sizeof(*time));
	size_t n = 0;

	*state = (struct next_state){.runs = runs};
	for (size_t i = 0; i < probes->n; i++) {
		const struct probe *p = &probes->at[i];

		if (p->end != PROBE_OK)
			continue;
		memcpy(runs[n].x, p->x, plan->params * sizeof(p->x[0]));
		count[n] = p->count;
		time[n] = p->figure;
		runs[n].y = t->count ? p->count : p->figure;
		state->spent += runs[n++].y;
	}
	state->n = n;
	plan->start = t->count ? next_start(count, time, n) : 0;
	state->spent += plan->start * (double)n;
	free(count);
	free(time);
	return runs;
}

int probe_judge(struct judgement *j, const struct task *t, const struct probes *probes, const double *target,
		struct err *err)
{
	struct growth_run *runs = mem_new(probes->n + 1, sizeof(*runs));
	double *count = mem_new(probes->n + 1, sizeof(*count)),
	       *value = mem_new((probes->n + 1) * PROBE_WATCHES, sizeof(*value));
	struct judge_watch watch[PROBE_WATCHES];
	struct judge_question q = {.params = t->params,
				   .names = (const char *const *)t->name,
				   .runs = runs,
				   .watch = watch,
				   .watches = t->watches,
				   .count = t->count ? count : NULL};
	int ret;

	for (size_t k = 0; k < t->watches; k++) {
		watch[k] = t->watch[k];
		watch[k].value = value + k * (probes->n + 1);
	}
	for (size_t i = 0; i < probes->n; i++) {
		const struct probe *p = &probes->at[i];

		if (p->end != PROBE_OK)
			continue;
		memcpy(runs[q.n].x, p->x, sizeof(p->x));
		runs[q.n].y = p->figure;
		count[q.n] = p->count;
		for (size_t k = 0; k < t->watches; k++)
			value[k * (probes->n + 1) + q.n] = p->watch[k];
		q.n++;
	}
	memcpy(q.target, target, sizeof(q.target));
	ret = judge(j, &q, err);
	free(runs);
	free(count);
	free(value);
	return ret;
}
