/* SPDX-License-Identifier: MIT */
/* From probes to the question that the models are asked. */
#include <string.h>

#include "predictor/probe/log.h"

void probe_state(struct next_state *state, const struct task *t, const struct probes *probes,
		 struct next_plan *plan)
{
	double *count = mem_new(probes->n + 1, sizeof(*count)), *time = mem_new(probes->n + 1, sizeof(*time));
	size_t n = 0;

	*state = (struct next_state){.runs = mem_new(probes->n + 1, sizeof(*state->runs))};
	for (size_t i = 0; i < probes->n; i++) {
		const struct probe *p = &probes->at[i];

		if (p->end != PROBE_OK)
			continue;
		memcpy(state->runs[n].x, p->x, plan->params * sizeof(p->x[0]));
		count[n] = p->count;
		time[n] = p->figure;
		state->runs[n].y = t->count ? p->count : p->figure;
		state->spent += state->runs[n++].y;
	}
	state->n = n;
	plan->start = t->count ? next_start(count, time, n) : 0;
	state->spent += plan->start * (double)n;
	free(count);
	if (t->count)
		state->time = time;
	else
		free(time);
}

void probe_state_release(struct next_state *state)
{
	free(state->runs);
	free(state->time);
}

/* A question with what it points to. */
struct asked {
	struct judge_question q;
	struct judge_watch watch[PROBE_WATCHES];
	struct growth_run *runs;
	double *count, *value;
};

static void asked_make(struct asked *a, const struct task *t, const struct probes *probes,
		       const double *target)
{
	size_t room = probes->n + 1;

	*a = (struct asked){.runs = mem_new(room, sizeof(*a->runs)),
			    .count = mem_new(room, sizeof(*a->count)),
			    .value = mem_new(room * PROBE_WATCHES, sizeof(*a->value))};
	a->q = (struct judge_question){.params = t->params,
				       .names = (const char *const *)t->name,
				       .runs = a->runs,
				       .watch = a->watch,
				       .watches = t->watches,
				       .count = t->count ? a->count : NULL};
	for (size_t k = 0; k < t->watches; k++) {
		a->watch[k] = t->watch[k];
		a->watch[k].value = a->value + k * room;
	}
	for (size_t i = 0; i < probes->n; i++) {
		const struct probe *p = &probes->at[i];
		size_t n = a->q.n;

		if (p->end != PROBE_OK)
			continue;
		memcpy(a->runs[n].x, p->x, sizeof(p->x));
		a->runs[n].y = p->figure;
		a->count[n] = p->count;
		for (size_t k = 0; k < t->watches; k++)
			a->value[k * room + n] = p->watch[k];
		a->q.n++;
	}
	memcpy(a->q.target, target, sizeof(a->q.target));
}

/* Judge all probes by @how. */
static int ask(struct judgement *j, const struct task *t, const struct probes *probes, const double *target,
	       int (*how)(struct judgement *, const struct judge_question *, struct err *), struct err *err)
{
	struct asked a;
	int ret;

	asked_make(&a, t, probes, target);
	ret = how(j, &a.q, err);
	free(a.runs);
	free(a.count);
	free(a.value);
	return ret;
}

int probe_judge(struct judgement *j, const struct task *t, const struct probes *probes, const double *target,
		struct err *err)
{
	return ask(j, t, probes, target, judge, err);
}

int probe_watch(struct judgement *j, const struct task *t, const struct probes *probes, const double *target,
		struct err *err)
{
	return ask(j, t, probes, target, judge_watched, err);
}
