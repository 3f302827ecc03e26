/* SPDX-License-Identifier: MIT */
#include "planner/result/sensitivity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/strbuf.h"
#include "planner/result/regret.h"

#define LEAST_GAIN  0.0005 /* below it nothing is worth setting (judge.c) */
#define MAX_EMITTED 5      /* break-evens in a plan */
#define MAX_STEPS   60     /* of one search for a break-even */
#define PRECISION   1e-6   /* of the figure, as a share of the range */

struct sense {
	const struct outcome *o;
	struct whatif w;
	struct evaluation base, plan;
};

/* Do they break deadlines or the cap by the same? */
static bool same_limits(const struct cost *a, const struct cost *b, const struct goal *goal)
{
	return cost_late_ns(a, goal) == cost_late_ns(b, goal) && a->over_mw == b->over_mw;
}

/*
 * Share of the baseline that the plan saves in the problem as it is set.  Where
 * only one of the two keeps to the limits, that alone decides about the sign.
 */
static double gain_now(struct sense *x)
{
	const struct goal *goal = &x->o->goal;
	struct cost base, plan;
	double b, gain;

	whatif_eval(&x->w, &x->o->base, &x->base);
	whatif_eval(&x->w, &x->o->best, &x->plan);
	base = regret_cost(x->o, &x->base);
	plan = regret_cost(x->o, &x->plan);
	b = (double)cost_primary(&base, goal);
	gain = b > 0 ? (b - (double)cost_primary(&plan, goal)) / b : 0;
	if (same_limits(&base, &plan, goal))
		return gain;
	return cost_compare(&plan, &base, goal) < 0 ? fabs(gain) + DBL_EPSILON : -fabs(gain) - DBL_EPSILON;
}

/* ... with @f at @value. */
static double gain_at(struct sense *x, const struct figure *f, double value)
{
	whatif_set(&x->w, f, value);
	return gain_now(x);
}

/*
 * Where the gain falls to @level between @good, where it is above, and @bad.
 * Energy is linear in watts, and nearly so in prices: the secant hits it at
 * once.  Where it does not, the interval is halved.
 */
static double crossing(struct sense *x, const struct figure *f, double level, double good, double bad)
{
	double end = PRECISION * (f->high - f->low);
	double above = gain_at(x, f, good) - level, below = gain_at(x, f, bad) - level;

	for (int i = 0; i < MAX_STEPS && fabs(bad - good) > end; i++) {
		double share = i % 2 ? 0.5 : above / (above - below);
		double middle = good + (bad - good) * share;
		double gain = gain_at(x, f, middle) - level;

		/* Where the gain stays at the level, that begins nearer to @good. */
		if (i % 2 == 0 && fabs(gain) < 1e-12 &&
		    gain_at(x, f, middle + (good > bad ? end : -end)) > level)
			return middle;
		if (gain > 0) {
			good = middle;
			above = gain;
		} else {
			bad = middle;
			below = gain;
		}
	}
	return bad;
}

/* What the cores of the smallest package that halts draw when they idle: more does not halt. */
static double idle_mw(const struct outcome *o)
{
	const struct machine *m = o->machine;
	double least = INFINITY;

	for (uint32_t k = 0; k < m->n_packages; k++) {
		double mw = (double)(m->packages[k].last - m->packages[k].first) *
			    (double)m->idle_mw[m->idle_step];

		if (m->packages[k].halts && mw < least)
			least = mw;
	}
	return least;
}

/* The value nearest to @good, towards @end, at which the gain falls to @level. */
static bool find_between(struct sense *x, const struct figure *f, double level, double good, double end,
			 double *at)
{
	static const double shares[] = {0.05, 0.15, 0.3, 0.45, 0.6, 0.8, 1};
	double begin = good;

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		double next = begin + (end - begin) * shares[i];

		if (next == good)
			continue;
		if (gain_at(x, f, next) <= level) {
			*at = crossing(x, f, level, good, next);
			return true;
		}
		good = next;
	}
	return false;
}

/* From the platform's value; up to where a package still halts, and beyond. */
static bool find_towards(struct sense *x, const struct figure *f, double level, double end, double *at)
{
	double halts = f->kind == FIGURE_HALT ? idle_mw(x->o) : INFINITY;

	if (halts <= f->value || halts >= end)
		return find_between(x, f, level, f->value, end, at);
	return find_between(x, f, level, f->value, halts, at) || find_between(x, f, level, halts, end, at);
}

/* How far @at is from the platform's figure: a half is half of it, or twice. */
static double distance(const struct figure *f, double at)
{
	if (f->kind == FIGURE_MEMORY)
		return fabs(at - f->value) / 100;
	return fabs(at - f->value) / fmax(at, f->value);
}

static bool find_nearest(struct sense *x, const struct figure *f, double level, double *at)
{
	double low, high;
	bool below = find_towards(x, f, level, f->low, &low);
	bool above = find_towards(x, f, level, f->high, &high);

	if (below && above)
		*at = distance(f, low) <= distance(f, high) ? low : high;
	else
		*at = below ? low : high;
	return below || above;
}

/* The most that the gain moves for a figure off by a tenth. */
static double swing(struct sense *x, const struct figure *f, double gain)
{
	double step = f->kind == FIGURE_MEMORY ? 10 : f->value / 10;
	double less = gain_at(x, f, fmax(f->value - step, f->low)) - gain;
	double more = gain_at(x, f, fmin(f->value + step, f->high)) - gain;

	return fmax(fabs(less), fabs(more));
}

static void examine(struct sense *x, struct breakeven *b)
{
	const struct figure *f = &b->figure;
	double gain = gain_at(x, f, f->value);
	double least = x->o->noise > LEAST_GAIN ? x->o->noise : LEAST_GAIN;

	b->distance = 1;
	b->matters = gain_at(x, f, f->low) != gain || gain_at(x, f, f->high) != gain;
	if (!b->matters)
		return;
	b->swing = swing(x, f, gain);
	/* A plan that gains nothing, as points of a front may, has nothing to stop gaining. */
	b->turns = gain > 0 && find_nearest(x, f, 0, &b->at);
	b->refused = gain > least && find_nearest(x, f, least, &b->refused_at);
	if (b->turns)
		b->distance = distance(f, b->at);
	if (b->refused && distance(f, b->refused_at) < b->distance)
		b->distance = distance(f, b->refused_at);
}

/* Closest first, by whole percents; those that do not turn by how much they move the gain. */
static bool sensitivity_before(const struct breakeven *a, const struct breakeven *b)
{
	bool x = a->turns || a->refused, y = b->turns || b->refused;

	if (x != y)
		return x;
	if (x)
		return floor(100 * a->distance) < floor(100 * b->distance);
	return a->swing > b->swing;
}

static void sort(struct breakeven *b, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct breakeven one = b[i];
		uint32_t k = i;

		for (; k > 0 && sensitivity_before(&one, &b[k - 1]); k--)
			b[k] = b[k - 1];
		b[k] = one;
	}
}

/*
 * Ten times a watt and ten times a nanosecond must still fit into the sums;
 * what is that long is looked at as far as it goes.
 */
static void narrow(const struct outcome *o, struct figure *f)
{
	const struct cost *a = &o->base_ev.total, *b = &o->best_ev.total;
	double ns = (double)(a->time_ns > b->time_ns ? a->time_ns : b->time_ns);
	double most = ns * ((double)o->machine->full_mw + 1);
	double times = (double)UINT64_MAX / 2 / (most > 1 ? most : 1);

	if (f->kind != FIGURE_MEMORY && f->high > f->value * times)
		f->high = f->value * (times > 1 ? times : 1);
}

static void sense_init(struct sense *x, const struct outcome *o)
{
	x->o = o;
	whatif_init(&x->w, o->problem);
	evaluation_init(&x->base, o->problem, false);
	evaluation_init(&x->plan, o->problem, true);
}

static void sense_release(struct sense *x)
{
	evaluation_release(&x->base);
	evaluation_release(&x->plan);
	whatif_release(&x->w);
}

struct breakeven *planner_breakevens(const struct outcome *o, uint32_t *n)
{
	struct figure *figures = figure_list(o->problem, n);
	struct breakeven *b = mem_new(*n + 1, sizeof(*b));
	struct sense x;

	sense_init(&x, o);
	for (uint32_t i = 0; i < *n; i++) {
		b[i].figure = figures[i];
		narrow(o, &b[i].figure);
		examine(&x, &b[i]);
	}
	sense_release(&x);
	free(figures);
	sort(b, *n);
	return b;
}

/* ---- in words ---- */

static void put_value(struct strbuf *sb, const struct figure *f, double value)
{
	double scale, shown;
	const char *unit = figure_unit(f, &scale);

	if (*unit == 'n') {
		char text[32];

		strbuf_puts(sb, num_time(text, sizeof(text), value / scale * 1e-9));
		return;
	}
	shown = value / scale;
	strbuf_printf(sb, shown < 10 ? "%.2f %s" : shown < 1000 ? "%.1f %s" : "%.0f %s", shown, unit);
}

char *breakeven_value(const struct figure *f, double value)
{
	struct strbuf sb = STRBUF_INIT;

	put_value(&sb, f, value);
	return strbuf_detach(&sb);
}

double breakeven_error(const struct breakeven *b)
{
	const struct figure *f = &b->figure;

	double at = b->turns ? b->at : b->refused_at;

	if (b->refused && fabs(b->refused_at - f->value) < fabs(at - f->value))
		at = b->refused_at;
	return f->kind == FIGURE_MEMORY || f->value <= 0 ? b->distance : fabs(at - f->value) / f->value;
}

char *breakeven_side(const struct breakeven *b, double at)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, at > b->figure.value ? "above " : "below ");
	put_value(&sb, &b->figure, at);
	return strbuf_detach(&sb);
}

/* No figure turns the gain: say which one moves it most. */
static void steady_sentence(struct strbuf *sb, const char *name, const struct breakeven *b)
{
	strbuf_printf(sb,
		      "no single figure: none turns the gain to loss; %s moves it most, %.1f points for %s",
		      name, 100 * b->swing, b->figure.kind == FIGURE_MEMORY ? "10 points" : "10 %");
}

static bool is_line(const struct figure *f)
{
	return f->kind == FIGURE_LINE || f->kind == FIGURE_LINE_ALL;
}

static void turn_sentence(const struct outcome *o, struct strbuf *sb, const char *name,
			  const struct breakeven *b)
{
	double at = b->turns ? b->at : b->refused_at;
	char *limit = breakeven_value(&b->figure, at), *has = breakeven_value(&b->figure, b->figure.value);
	bool above = at > b->figure.value;

	if (b->figure.kind == FIGURE_HALT && at > idle_mw(o) - 2)
		strbuf_printf(sb,
			      "%s: the plan gains as long as a halted package draws less than its idle "
			      "cores, %s; the platform has %s",
			      name, limit, has);
	else if (is_line(&b->figure) && at <= b->figure.value / 100)
		strbuf_printf(sb, "%s: the plan gains as soon as it costs anything at all", name);
	else
		strbuf_printf(sb, "%s: %s %s the plan gains, %s it %s; the %s has %s", name,
			      above ? "below" : "above", limit, above ? "above" : "below",
			      b->turns ? "loses" : "is not worth it",
			      b->figure.kind == FIGURE_MEMORY ? "model" : "platform", has);
	free(limit);
	free(has);
}

char *breakeven_sentence(const struct outcome *o, const struct breakeven *b)
{
	struct strbuf sb = STRBUF_INIT;
	char *name = figure_name(o->problem, &b->figure);

	if (b->turns || b->refused)
		turn_sentence(o, &sb, name, b);
	else if (b->matters)
		steady_sentence(&sb, name, b);
	free(name);
	return sb.len ? strbuf_detach(&sb) : NULL;
}

double planner_gain_never(const struct outcome *o)
{
	struct sense x;
	double gain;

	sense_init(&x, o);
	whatif_set_never(&x.w);
	gain = gain_now(&x);
	sense_release(&x);
	return gain;
}

/* ---- into the plan ---- */

static void put_breakeven(const struct outcome *o, const struct breakeven *b, struct plan *plan)
{
	double scale, at = b->turns ? b->at : b->refused_at;
	const char *unit = figure_unit(&b->figure, &scale);

	plan->breakevens[plan->n_breakevens++] =
		(struct plan_breakeven){.parameter = figure_name(o->problem, &b->figure),
					.value = b->figure.value / scale,
					.at = at / scale,
					.unit = mem_strdup(unit)};
}

static void put_regret(const struct outcome *o, struct plan *plan)
{
	struct regret r[BASELINE_N];

	planner_regret(o, r);
	plan->regret = mem_new(BASELINE_N, sizeof(*plan->regret));
	for (int k = 0; k < BASELINE_N; k++)
		plan->regret[plan->n_regret++] =
			(struct plan_regret){.baseline = mem_strdup(baseline_name(r[k].baseline)),
					     .time_ns = r[k].time_ns,
					     .energy_nj = r[k].energy_pj / 1000};
}

/* Points of a front may need more of the objective than the baseline. */
static bool gains(const struct outcome *o)
{
	const struct cost base = regret_cost(o, &o->base_ev), best = regret_cost(o, &o->best_ev);

	return o->verdict == PLANNER_GAIN && cost_compare(&best, &base, &o->goal) < 0;
}

void planner_emit_sense(const struct outcome *o, struct plan *plan)
{
	uint32_t n;
	struct breakeven *b;

	put_regret(o, plan);
	if (!gains(o))
		return;
	b = planner_breakevens(o, &n);
	plan->turns_on = n ? breakeven_sentence(o, &b[0]) : NULL;
	plan->breakevens = mem_new(MAX_EMITTED, sizeof(*plan->breakevens));
	for (uint32_t i = 0; i < n && i < MAX_EMITTED && (b[i].turns || b[i].refused); i++)
		put_breakeven(o, &b[i], plan);
	free(b);
}
