/* SPDX-License-Identifier: MIT */
#include "verify/figures/whatif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accesses[] = {"store", "rmw", "atomic", "load"};
static const char *const distances[] = {"same", "smt", "cache", "package", "remote"};

/* ---- which figures there are ---- */

static struct wfigure *whatif_add(struct whatif *x, enum wfigure_kind kind, double value, double scale,
				  const char *unit)
{
	struct wfigure *f;

	x->figure = need_more(x->figure, x->n, sizeof(*x->figure));
	f = &x->figure[x->n];
	*f = (struct wfigure){kind, 0, 0, 0, value, value / 10, value * 10, scale, unit, ""};
	x->n += value > 0;
	return f;
}

static void name(struct wfigure *f, const char *text)
{
	snprintf(f->name, sizeof(f->name), "%s", text);
}

/* One step's watts stay between those of its neighbours where these descend, and idle ones below busy ones. */
static void add_step(struct whatif *x, enum wfigure_kind kind, size_t s)
{
	const struct vplatform *p = x->g->f;
	const struct vplatform_step *at = &p->step[s];
	double mw = (double)(kind == W_BUSY ? at->busy_mw : at->idle_mw);
	struct wfigure *f = whatif_add(x, kind, mw, 1000, "W");
	double low = kind == W_BUSY ? (double)at->idle_mw : 0;
	double high = kind == W_IDLE ? (double)at->busy_mw : f->high;

	if (s) {
		double above = (double)(kind == W_BUSY ? at[-1].busy_mw : at[-1].idle_mw);

		high = above >= mw && above < high ? above : high;
	}
	if (s + 1 < p->n_steps) {
		double below = (double)(kind == W_BUSY ? at[1].busy_mw : at[1].idle_mw);

		low = below <= mw && below > low ? below : low;
	}
	f->step = s;
	f->low = f->low > low ? f->low : low;
	f->high = f->high < high ? f->high : high;
	snprintf(f->name, sizeof(f->name), "%s power at %.0f MHz", kind == W_BUSY ? "busy" : "idle",
		 at->khz / 1e3);
}

static void add_watts(struct whatif *x)
{
	const struct vplatform *p = x->g->f;
	double tightest = 0.1;
	uint64_t top = 0;

	for (size_t s = 0; s < p->n_steps; s++)
		top = p->step[s].busy_mw > top ? p->step[s].busy_mw : top;
	for (size_t s = 0; s < p->n_steps && top; s++) {
		double busy = (double)p->step[s].busy_mw, idle = (double)p->step[s].idle_mw;

		tightest = busy > 0 && idle / busy > tightest ? idle / busy : tightest;
		if (p->n_steps > 1) {
			add_step(x, W_BUSY, s);
			add_step(x, W_IDLE, s);
		}
	}
	for (int idle = 0; idle < 2 && top; idle++) {
		struct wfigure *f = whatif_add(x, idle ? W_IDLE_ALL : W_BUSY_ALL, 100, 1, "%");

		f->low = idle ? f->low : 100 * tightest;
		f->high = idle ? 100 / tightest : f->high;
		name(f, idle ? "idle power at all steps" : "busy power at all steps");
	}
}

static void add_lines(struct whatif *x)
{
	const struct vplatform *p = x->g->f;
	struct wfigure *f = whatif_add(x, W_LINE_ALL, 100, 1, "%");

	f->low = 0;
	name(f, "price of a shared cache line");
	for (int k = 0; k < VACCESS_N; k++)
		for (int d = VDIST_SMT; d < VDIST_N; d++) {
			f = whatif_add(x, W_LINE, (double)vplatform_full_rate(&p->price[k], d), 1000, "ns");
			f->access = k;
			f->distance = d;
			f->low = 0;
			snprintf(f->name, sizeof(f->name), "shared line, %s, %s", accesses[k], distances[d]);
		}
}

/* The part of all work at the top step that no step makes shorter; none known counts as none. */
static void add_memory(struct whatif *x)
{
	const struct ground *g = x->g;
	double memory = 0, work = 0;
	struct wfigure *f;

	for (size_t p = 0; p < g->plan->n_phases; p++)
		for (size_t k = 0; k < g->n_models; k++) {
			struct span s;

			span_make(&g->model[k], 1, g->f, g->span[p].first, g->span[p].last, &s);
			for (size_t i = 0; i < s.n; i++) {
				memory += (double)s.member[i].memory_ns * (double)s.repeats;
				work += (double)s.member[i].top_ns * (double)s.repeats;
			}
			free(s.member);
		}
	if (g->f->n_steps < 2 || work <= 0 || memory >= work)
		return;
	f = whatif_add(x, W_MEMORY, 100 * memory / work, 1, "%");
	f->low = 0;
	f->high = 100;
	name(f, "memory share of the work");
	x->n += memory <= 0;
}

static void add_costs(struct whatif *x)
{
	const struct vplatform *p = x->g->f;

	name(whatif_add(x, W_MIGRATE, (double)p->longest_move_ns, 1, "ns"), "longest migration");
	name(whatif_add(x, W_FREQUENCY, (double)p->frequency_ns, 1, "ns"), "change of frequency");
	name(whatif_add(x, W_TRIGGER, (double)p->trigger_ns, 1, "ns"), "trigger");
	name(whatif_add(x, W_AFFINITY, (double)p->affinity_ns, 1, "ns"), "setting an affinity");
}

void whatif_list(struct whatif *x, const struct result *r)
{
	const struct vplatform *p = x->g->f;
	double ns = (double)(r->base.time > r->plan.time ? r->base.time : r->plan.time), most, times;
	uint64_t top = 0;

	for (uint32_t k = 0; k < p->n_packages; k++)
		if (p->package[k].halts && p->package[k].n_units) {
			name(whatif_add(x, W_HALT, (double)p->halt_mw, 1000, "W"), "package halt power");
			break;
		}
	add_watts(x);
	add_lines(x);
	add_costs(x);
	add_memory(x);
	for (size_t s = 0; s < p->n_steps; s++)
		top = p->step[s].busy_mw > top ? p->step[s].busy_mw : top;
	/* Ten times as much must still fit into the sums. */
	most = ns * ((double)(top * p->n_units) + 1);
	times = (double)UINT64_MAX / 2 / (most > 1 ? most : 1);
	for (size_t i = 0; i < x->n; i++)
		if (x->figure[i].kind != W_MEMORY && x->figure[i].high > x->figure[i].value * times)
			x->figure[i].high = x->figure[i].value * (times > 1 ? times : 1);
}

/* ---- the platform with another figure ---- */

static uint64_t rounded(double x)
{
	return x < 0 ? 0 : (uint64_t)(x + 0.5);
}

uint64_t whatif_work_ns(const struct vplatform *f, const struct member *m, size_t step)
{
	double now = f->memory_is, asked = f->memory_asked, top = (double)m->top_ns,
	       memory = (double)m->memory_ns;
	uint64_t rest;

	if (asked > now)
		memory += (top - memory) * (asked - now) / (1 - now);
	else if (now > 0)
		memory *= asked / now;
	rest = rounded(memory < top ? memory : top);
	return rest + rounded((double)(m->top_ns - rest) * f->step[0].khz / f->step[step].khz);
}

static void set_watts(struct vplatform *p, const struct wfigure *f, double value)
{
	bool busy = f->kind == W_BUSY || f->kind == W_BUSY_ALL,
	     all = f->kind == W_BUSY_ALL || f->kind == W_IDLE_ALL;

	for (size_t s = 0; s < p->n_steps; s++) {
		struct vplatform_step *at = &p->step[s];
		uint64_t *mw = busy ? &at->busy_mw : &at->idle_mw;

		if (all)
			*mw = rounded((double)*mw * (value / f->value));
		else if (s == f->step)
			*mw = rounded(value);
		if (at->idle_mw > at->busy_mw)
			*mw = busy ? at->idle_mw : at->busy_mw;
	}
}

static void set_moves(struct vplatform *p, double times)
{
	for (int d = 0; d < VDIST_N; d++)
		p->migrate_ns[d] = rounded((double)p->migrate_ns[d] * times);
	for (size_t i = 0; p->matrix_ns && i < p->n_cores * p->n_cores; i++)
		p->matrix_ns[i] = rounded((double)p->matrix_ns[i] * times);
	p->longest_move_ns = rounded((double)p->longest_move_ns * times);
}

static void set_lines(struct vplatform *p, const struct wfigure *f, double times)
{
	for (int k = 0; k < VACCESS_N; k++)
		for (int d = 0; d < VDIST_N; d++)
			if (f->kind == W_LINE_ALL || (k == f->access && d == f->distance))
				p->times[k][d] = times;
}

static void set_figure(struct vplatform *p, const struct wfigure *f, double value)
{
	if (f->kind == W_HALT)
		p->halt_mw = rounded(value);
	else if (f->kind == W_LINE || f->kind == W_LINE_ALL)
		set_lines(p, f, value / f->value);
	else if (f->kind == W_MIGRATE)
		set_moves(p, value / f->value);
	else if (f->kind == W_FREQUENCY)
		p->frequency_ns = rounded(value);
	else if (f->kind == W_TRIGGER)
		p->trigger_ns = rounded(value);
	else if (f->kind == W_AFFINITY)
		p->affinity_ns = rounded(value);
	else if (f->kind == W_MEMORY) {
		p->memory_is = f->value / 100;
		p->memory_asked = value / 100;
	} else
		set_watts(p, f, value);
}

static void *copy_of(const void *from, size_t n, size_t bytes)
{
	return memcpy(need(n, bytes), from, n * bytes);
}

/* Share of the baseline that the plan saves if figure @f were @value. */
double whatif_gain(const struct whatif *x, const struct wfigure *f, double value)
{
	const struct ground *g = x->g;
	struct vplatform p = *g->f;
	struct findings none = {0};
	struct result r;
	double base, plan;

	p.step = copy_of(p.step, p.n_steps, sizeof(*p.step));
	p.matrix_ns = p.matrix_ns ? copy_of(p.matrix_ns, p.n_cores * p.n_cores, sizeof(*p.matrix_ns)) : NULL;
	p.package = NULL;
	set_figure(&p, f, value);
	vplatform_watts(&p);
	recompute(g->plan, g->model, g->n_models, &p, &r, &none);
	base = (double)cost_figure(g->plan, r.base);
	plan = (double)cost_figure(g->plan, r.plan);
	result_release(g->plan, &r);
	findings_release(&none);
	free(p.step);
	free(p.matrix_ns);
	free(p.package);
	return base > 0 ? (base - plan) / base : 0;
}
