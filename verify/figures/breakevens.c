/* SPDX-License-Identifier: MIT */
#include "verify/figures/breakevens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/figures/whatif.h"

#define LEAST_GAIN 0.0005 /* below it a plan is not worth setting */
#define MOST       5      /* break-evens in a plan */

/* What is too little to be worth it is at or above the one, and below the other. */
struct limits {
	double least, most;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* ---- in words ---- */

static void put_value(const struct wfigure *f, double value, char *text, size_t size)
{
	static const char *const units[] = {" s", " ms", " us", " ns"};
	double v = value / f->scale, a;
	int i = 0;

	if (*f->unit != 'n') {
		snprintf(text, size, v < 10 ? "%.2f %s" : v < 1000 ? "%.1f %s" : "%.0f %s", v, f->unit);
		return;
	}
	for (v *= 1e-9; i < 3 && v != 0 && fabs(v) < 0.9995; i++)
		v *= 1e3;
	a = fabs(v);
	snprintf(text, size, "%.*f%s", a >= 99.95 || a == 0 ? 0 : a >= 9.995 ? 1 : 2, v, units[i]);
}

/* What the cores of the smallest package that halts draw when they idle. */
static double idle_mw(const struct vplatform *p)
{
	double least = 1e300;

	for (uint32_t k = 0; k < p->n_packages; k++)
		if (p->package[k].halts && p->package[k].n_units)
			least = smaller(least, (double)(p->package[k].n_units * p->floor_mw));
	return least;
}

/* What `turns_on` has to say of a break-even. */
static void put_turn(const struct vplatform *p, const struct wfigure *f, double at, bool loses, char *text,
		     size_t size)
{
	const char *side[] = {"below", "above"};
	bool above = at > f->value;
	char limit[40], has[40];

	put_value(f, at, limit, sizeof(limit));
	put_value(f, f->value, has, sizeof(has));
	if (f->kind == W_HALT && at > idle_mw(p) - 2)
		snprintf(text, size,
			 "%s: the plan gains as long as a halted package draws less than its idle cores, %s; "
			 "the platform has %s",
			 f->name, limit, has);
	else if ((f->kind == W_LINE || f->kind == W_LINE_ALL) && at <= f->value / 100)
		snprintf(text, size, "%s: the plan gains as soon as it costs anything at all", f->name);
	else
		snprintf(text, size, "%s: %s %s the plan gains, %s it %s; the %s has %s", f->name,
			 side[!above], limit, side[above], loses ? "loses" : "is not worth it",
			 f->kind == W_MEMORY ? "model" : "platform", has);
}

/* ... where none turns: which figure moves the gain most; empty if none does. */
static void put_steady(const struct whatif *x, double gain, char *text, size_t size)
{
	const struct wfigure *best = NULL;
	double most = 0;

	*text = 0;
	for (size_t i = 0; i < x->n; i++) {
		const struct wfigure *f = &x->figure[i];
		double step = f->kind == W_MEMORY ? 10 : f->value / 10;
		double less = fabs(whatif_gain(x, f, larger(f->value - step, f->low)) - gain);
		double swing =
			larger(less, fabs(whatif_gain(x, f, smaller(f->value + step, f->high)) - gain));

		if (swing > most) {
			best = f;
			most = swing;
		}
	}
	if (best)
		snprintf(
			text, size,
			"no single figure: none turns the gain to loss; %s moves it most, %.1f points for %s",
			best->name, 100 * most, best->kind == W_MEMORY ? "10 points" : "10 %");
}

/* ---- what the plan says ---- */

/* From the platform's figure towards @end, and as far as a package halts: does the gain stay above @level? */
static bool stays(const struct whatif *x, const struct wfigure *f, double end, double level)
{
	static const double shares[] = {0.05, 0.15, 0.3, 0.45, 0.6, 0.8, 1};
	double halts = f->kind == W_HALT ? idle_mw(x->g->f) : 0;

	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares) && end != f->value; i++)
		if (whatif_gain(x, f, f->value + (end - f->value) * shares[i]) <= level)
			return false;
	return halts <= f->value || halts >= end || whatif_gain(x, f, halts) > level;
}

/* Does the gain fall to @level at @at, to a hundred thousandth of the range, and not before or on the other side as near? */
static bool falls(const struct whatif *x, const struct wfigure *f, double at, double level, double *before)
{
	double sign = at > f->value ? 1 : -1, other;

	for (int i = 1; i <= 5; i += 2) {
		double e = 2e-6 * i * (f->high - f->low);
		double near = (at - e - f->value) * sign > 0 ? at - sign * e : f->value;
		double far = smaller(larger(at + sign * e, f->low), f->high);

		*before = whatif_gain(x, f, near);
		if (*before <= level || whatif_gain(x, f, far) > level + 1e-9)
			continue;
		other = f->kind == W_MEMORY ? 2 * f->value - at : f->value * f->value / larger(at, 1e-30);
		other = f->value + (other - f->value) * 0.99;
		return stays(x, f, near, level) &&
		       stays(x, f, smaller(larger(other, f->low), f->high), level);
	}
	return false;
}

static struct wfigure *breakevens_find(struct whatif *x, const char *parameter)
{
	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->figure[i].name, parameter))
			return &x->figure[i];
	return NULL;
}

/* Does the plan lose at @at?  If not, it must gain too little to be worth it there, the same for all. */
static bool check_place(const struct whatif *x, struct limits *l, const struct wfigure *f, double at,
			struct findings *list)
{
	double gain = whatif_gain(x, f, at), least = larger(gain, LEAST_GAIN), before = 0;
	bool within = at >= f->low && at <= f->high;

	if (within && falls(x, f, at, 0, &before))
		return true;
	if (!within || !falls(x, f, at, least, &before) || least >= l->most || before <= l->least ||
	    !stays(x, f, f->low, 0) || !stays(x, f, f->high, 0))
		findings_add(
			list,
			"breakevens: `%s` at %.9g %s is not where the plan stops gaining, it saves %.4f %% "
			"there",
			f->name, at / f->scale, f->unit, 100 * gain);
	l->least = larger(l->least, least);
	l->most = smaller(l->most, before);
	return false;
}

/* The plan does not stop gaining where a figure is another one, of those that it does not name. */
static void check_others(const struct whatif *x, const bool *named, double gain, struct findings *list)
{
	double level = gain > LEAST_GAIN ? LEAST_GAIN : 0;

	/* A gain that is below the noise of recorded runs is worth nothing anywhere. */
	for (size_t k = 0; k < x->g->n_models; k++)
		level = x->g->model[k].deviation_ns ? 0 : level;
	for (size_t i = 0; i < x->n; i++) {
		const struct wfigure *f = &x->figure[i];

		if (named[i] || (whatif_gain(x, f, f->low) == gain && whatif_gain(x, f, f->high) == gain))
			continue;
		if (!stays(x, f, f->low, level) || !stays(x, f, f->high, level))
			findings_add(list, "breakevens: `%s` is missing, with which the plan stops gaining",
				     f->name);
	}
}

static void check_turns_on(const struct vplan *p, const char *text, struct findings *list)
{
	if (strcmp(p->turns_on ? p->turns_on : "", text))
		findings_add(list, "turns_on: the plan says `%s`, recomputed `%s`",
			     p->turns_on ? p->turns_on : "nothing", *text ? text : "nothing");
}

static void check_all(struct whatif *x, double gain, struct findings *list)
{
	const struct vplan *p = x->g->plan;
	bool *named = need(x->n, sizeof(*named));
	struct limits l = {LEAST_GAIN, 1};
	char text[512] = "";

	for (size_t i = 0; i < p->n_breakevens; i++) {
		const struct vplan_breakeven *b = &p->breakeven[i];
		struct wfigure *f = breakevens_find(x, b->parameter);

		if (!f || named[f - x->figure] || strcmp(f->unit, b->unit) ||
		    b->value != f->value / f->scale) {
			findings_add(list, "breakevens: `%s` is no figure of the platform, or not %.9g %s",
				     b->parameter, b->value, b->unit);
		} else {
			bool loses = check_place(x, &l, f, b->at * f->scale, list);

			named[f - x->figure] = true;
			if (!i)
				put_turn(x->g->f, f, b->at * f->scale, loses, text, sizeof(text));
		}
	}
	if (p->n_breakevens < MOST)
		check_others(x, named, gain, list);
	if (!p->n_breakevens)
		put_steady(x, gain, text, sizeof(text));
	check_turns_on(p, text, list);
	free(named);
}

static bool is_judged(const struct vplan *p)
{
	bool limits = p->deadline || p->cap;

	for (size_t i = 0; i < p->n_phases; i++)
		limits |= p->phase[i].deadline != 0;
	return !limits;
}

void breakevens_check(const struct ground *g, const struct result *r, struct findings *list)
{
	const struct vplan *p = g->plan;
	double base = (double)cost_figure(p, r->base), plan = (double)cost_figure(p, r->plan);
	bool set = vplan_thread_starts(p) || p->n_triggers;
	struct whatif x = {.g = g};

	if (!is_judged(p) || list->n)
		return;
	if (set && plan < base) {
		whatif_list(&x, r);
		check_all(&x, (base - plan) / base, list);
	} else if (p->n_breakevens || p->turns_on) {
		findings_add(list, "breakevens, turns_on: the plan gains nothing that could stop");
	}
	free(x.figure);
}

void breakevens_print_unchecked(const struct vplan *p)
{
	printf("not checked: breakevens.at: to less than a hundred thousandth of the range; where the plan "
	       "still gains, that so "
	       "little is not worth it; nor where it would not be worth it, if recorded runs differ\n");
	if (!is_judged(p))
		printf("not checked: breakevens, turns_on: of a plan that has to keep to a deadline or a "
		       "cap\n");
	if (p->n_breakevens >= MOST)
		printf("not checked: breakevens: that no others are nearer\n");
}
