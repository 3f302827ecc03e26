/* SPDX-License-Identifier: MIT */
/* From the end of a run back to its start, through who ended each wait. */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "report/critical/parts.h"

struct step_vec VEC(struct crit_step);

struct walker {
	struct report_critical *c;
	const struct crit_graph *g;
	struct step_vec steps; /* the last one first */
	size_t *left;          /* waits of each thread that were not passed yet: each is passed once */
	uint32_t thread;
	double at;
};

/* Go back in the thread to @to; the stretch is a step. */
static void back(struct walker *w, double to, enum crit_kind kind, const struct crit_wait *wait)
{
	struct crit_step s = {.thread = w->thread, .kind = kind, .begin = to, .end = w->at};

	if (wait)
		s.wait = *wait;
	if (w->at > to || kind == CRIT_HAND) {
		vec_push(&w->steps, s);
		w->c->kind_ns[kind] += w->at - to;
		w->at = to;
	}
}

/* The thread began: go on in who made it. */
static bool leave_start(struct walker *w)
{
	const struct crit_thread *t = &w->g->threads[w->thread];

	back(w, t->begin, CRIT_WORK, NULL);
	if (t->creator == PRS_NO_THREAD)
		return false;
	back(w, t->created, CRIT_START, NULL);
	w->thread = t->creator;
	return true;
}

static void pass(struct walker *w, const struct crit_wait *wait)
{
	back(w, wait->end, CRIT_WORK, NULL);
	if (wait->by == PRS_NO_THREAD || wait->release > w->at) {
		back(w, wait->begin, wait->late ? CRIT_HAND : CRIT_WAIT, wait);
		return;
	}
	back(w, wait->release, CRIT_HAND, wait);
	w->thread = wait->by;
}

void crit_walk(struct report_critical *c, const struct crit_graph *g)
{
	struct walker w = {.c = c, .g = g, .thread = g->last, .at = g->threads[g->last].end};
	bool more = true;

	w.left = mem_new(g->n_threads + 1, sizeof(*w.left));
	for (size_t i = 0; i < g->n_threads; i++)
		w.left[i] = g->threads[i].n_waits;
	for (size_t turns = 0; more; turns++) {
		const struct crit_thread *t = &g->threads[w.thread];
		size_t n = crit_waits_until(t, w.at);

		n = n < w.left[w.thread] ? n : w.left[w.thread];
		w.left[w.thread] = n ? n - 1 : 0;
		if (n)
			pass(&w, &t->waits[n - 1]);
		else
			more = leave_start(&w) && turns < 1u << 26;
	}
	for (size_t i = 0; i < w.steps.n / 2; i++) {
		struct crit_step s = w.steps.at[i];

		w.steps.at[i] = w.steps.at[w.steps.n - 1 - i];
		w.steps.at[w.steps.n - 1 - i] = s;
	}
	for (size_t i = 0; i < CRIT_KINDS; i++)
		c->ns += c->kind_ns[i];
	c->steps = w.steps.at;
	c->n_steps = w.steps.n;
	free(w.left);
}
