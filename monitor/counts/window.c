/* SPDX-License-Identifier: MIT */
#include "monitor/counts/window.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Sums over slices: values, time counted, time wanted, and the products that the error needs. */
struct cell {
	double v, r, e, vv, vr, rr;
	unsigned n; /* slices in which it was counted */
};

struct window_thread {
	struct counts_thread is;
	struct count *last;
	struct cell *cell;
	bool there; /* in this look */
};

void rates_release(struct rates *r)
{
	vec_release(&r->threads);
	vec_release(&r->at);
}

void window_init(struct window *w, const struct counts_events *events)
{
	*w = (struct window){.n_events = events->n};
	for (size_t i = 0; i < events->n; i++)
		vec_push(&w->by_clock, counts_by_clock(events->at[i]));
}

static void thread_free(struct window_thread *t)
{
	free(t->last);
	free(t->cell);
	free(t);
}

void window_release(struct window *w)
{
	for (size_t i = 0; i < w->threads.n; i++)
		thread_free(w->threads.at[i]);
	vec_release(&w->threads);
	vec_release(&w->by_clock);
}

/* Looks have threads in one order as a rule: it is where the one before it was. */
static struct window_thread *thread_of(struct window *w, uint32_t tid, size_t *hint)
{
	size_t n = w->threads.n;

	for (size_t k = 0; k < n; k++) {
		size_t i = (*hint + k) % n;

		if (w->threads.at[i]->is.tid == tid) {
			*hint = i + 1;
			return w->threads.at[i];
		}
	}
	return NULL;
}

static void cell_add(struct cell *c, const struct count *now, const struct count *last)
{
	double v, r, e;

	if (now->value < last->value || now->enabled < last->enabled || now->running < last->running)
		return;
	v = (double)(now->value - last->value);
	r = (double)(now->running - last->running);
	e = (double)(now->enabled - last->enabled);
	c->e += e;
	if (r <= 0)
		return;
	c->v += v;
	c->r += r;
	c->vv += v * v;
	c->vr += v * r;
	c->rr += r * r;
	c->n++;
}

void window_add(struct window *w, const struct counts_look *look)
{
	size_t kept = 0, hint = 0;

	for (size_t i = 0; i < w->threads.n; i++)
		w->threads.at[i]->there = false;
	for (size_t i = 0; i < look->threads.n; i++) {
		const struct count *now = &look->counts.at[i * w->n_events];
		struct window_thread *t = thread_of(w, look->threads.at[i].tid, &hint);

		for (size_t k = 0; t && k < w->n_events; k++)
			cell_add(&t->cell[k], &now[k], &t->last[k]);
		if (!t) {
			t = mem_new(1, sizeof(*t));
			t->last = mem_new(w->n_events, sizeof(*t->last));
			t->cell = mem_new(w->n_events, sizeof(*t->cell));
			vec_push(&w->threads, t);
		}
		memcpy(t->last, now, w->n_events * sizeof(*now));
		t->is = look->threads.at[i];
		t->there = true;
	}
	for (size_t i = 0; i < w->threads.n; i++)
		if (w->threads.at[i]->there)
			w->threads.at[kept++] = w->threads.at[i];
		else
			thread_free(w->threads.at[i]);
	w->threads.n = kept;
	if (!w->from_ns)
		w->from_ns = look->ns;
	w->to_ns = look->ns;
}

/* The error of the count, README.md. */
static double cell_error(const struct cell *c, double rate)
{
	double f = c->r / c->e, n = c->n, rest;

	if (f >= 1)
		return 0;
	if (c->n < 2)
		return RATE_UNKNOWN;
	rest = c->vv - 2 * rate * c->vr + rate * rate * c->rr;
	rest = rest > 0 ? rest : 0;
	return gsl_cdf_tdist_Pinv(0.975, n - 1) * c->e / c->r * sqrt((1 - f) * n / (n - 1) * rest);
}

/* @ever: it was wanted at some time. */
static struct rate rate_of(const struct cell *c, bool ever, double units)
{
	struct rate out = {RATE_UNKNOWN, RATE_UNKNOWN, RATE_UNKNOWN, 0};
	double error;

	if (c->r <= 0) {
		/* It did not run: then it did nothing.  Wanted, and never on a counter: not known. */
		if (c->e <= 0 && ever)
			out = (struct rate){0, 0, 0, 1};
		return out;
	}
	out.seen = c->r / c->e;
	out.count = out.seen >= 1 ? c->v : c->v / c->r * c->e;
	out.per_10ms = out.count / units;
	error = cell_error(c, c->v / c->r);
	out.error = error < 0 ? RATE_UNKNOWN : error / units;
	return out;
}

void window_end(struct window *w, struct rates *out)
{
	out->ns = w->to_ns;
	out->seconds = (double)(w->to_ns - w->from_ns) * 1e-9;
	out->n_events = w->n_events;
	out->threads.n = out->at.n = 0;
	for (size_t i = 0; i < w->threads.n; i++) {
		struct window_thread *t = w->threads.at[i];

		vec_push(&out->threads, t->is);
		for (size_t k = 0; k < w->n_events; k++) {
			bool clock = w->by_clock.at[k];

			vec_push(&out->at, rate_of(&t->cell[k], t->last[k].enabled && !clock,
						   clock ? t->cell[k].e * 1e-7 : out->seconds * 100));
			t->cell[k] = (struct cell){.n = 0};
		}
	}
	w->from_ns = w->to_ns;
}
