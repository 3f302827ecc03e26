/* SPDX-License-Identifier: MIT */
#include "predictor/model/judge.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNFORESEEN 0.002 /* probability of the largest probe, on its side */
#define FEWEST     6     /* sizes that stay when the smallest are left out: the last two are foreseen by 4 */

const char *const judge_refusals[] = {"none",         "few-sizes",   "appears",  "threshold", "not-converged",
				      "not-foreseen", "two-regimes", "too-wide", "no-model",  "falls",
				      "flat",         "unlike",      NULL};

__attribute__((format(printf, 3, 4))) static bool judge_refuse(struct judgement *j, enum judge_refusal what,
							       const char *fmt, ...)
{
	va_list ap;

	j->refusal = what;
	va_start(ap, fmt);
	vsnprintf(j->reason, sizeof(j->reason), fmt, ap);
	va_end(ap);
	return false;
}

/* "n=64, steps=10" */
static const char *judge_place(const struct judge_question *q, const double *x, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t k = 0; k < q->params && len < size; k++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s=%.6g", k ? ", " : "", q->names[k], x[k]);
	return buf;
}

static bool passes_appears(struct judgement *j, const struct judge_question *q, const struct judge_watch *w)
{
	size_t zero = SIZE_MAX, some = SIZE_MAX;
	char a[120], b[120];

	for (size_t i = 0; i < q->n; i++) {
		if (isnan(w->value[i]))
			continue;
		if (w->value[i] == 0)
			zero = zero == SIZE_MAX || q->runs[i].y > q->runs[zero].y ? i : zero;
		else
			some = some == SIZE_MAX || q->runs[i].y < q->runs[some].y ? i : some;
	}
	if (zero == SIZE_MAX || some == SIZE_MAX)
		return true;
	return judge_refuse(j, JUDGE_APPEARED,
			    "%s is 0 at %s and %.6g at %s: from there on other work is done", w->name,
			    judge_place(q, q->runs[zero].x, a, sizeof(a)), w->value[some],
			    judge_place(q, q->runs[some].x, b, sizeof(b)));
}

static bool passes_converged(struct judgement *j, const struct judge_question *q, const struct judge_watch *w)
{
	char a[120];

	for (size_t i = 0; i < q->n; i++)
		if (w->value[i] == 0)
			return judge_refuse(
				j, JUDGE_NOT_CONVERGED,
				"the probe at %s did not converge (%s 0): what it takes is its limit, "
				"not the task",
				judge_place(q, q->runs[i].x, a, sizeof(a)), w->name);
	return true;
}

/* Where the model of a level is at the target; NAN: nobody knows. */
static double level_high(const struct judge_question *q, const struct judge_watch *w)
{
	struct growth_run *runs = mem_new(q->n + 1, sizeof(*runs));
	struct growth_sizes sizes;
	struct growth_fit fit = {0};
	double high = NAN;
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++) {
		if (!(w->value[i] > 0))
			continue;
		runs[n] = q->runs[i];
		runs[n++].y = w->value[i];
	}
	if (!growth_sizes_make(&sizes, q->params, runs, n, NULL) &&
	    !growth_fit(&fit, &sizes, q->target, GROWTH_ANY, NULL))
		high = growth_estimate(&fit, q->target, 0).high;
	growth_fit_release(&fit);
	free(runs);
	return high;
}

static bool passes_level(struct judgement *j, const struct judge_question *q, const struct judge_watch *w)
{
	size_t below = 0, beyond = 0;
	double most = 0, high;
	char a[120];

	for (size_t i = 0; i < q->n; i++) {
		below += w->value[i] < w->limit;
		beyond += w->value[i] >= w->limit;
		most = fmax(most, w->value[i]);
	}
	if (!below)
		return true;
	if (beyond)
		return judge_refuse(j, JUDGE_THRESHOLD,
				    "%s passes %.6g between the probes: those beyond it cost something else",
				    w->name, w->limit);
	high = level_high(q, w);
	if (high < w->limit)
		return true;
	judge_place(q, q->target, a, sizeof(a));
	if (isnan(high))
		return judge_refuse(j, JUDGE_THRESHOLD,
				    "%s has no model: nobody knows if it passes %.6g up to %s", w->name,
				    w->limit, a);
	return judge_refuse(
		j, JUDGE_THRESHOLD,
		"%s is %.6g at most in the probes and may be %.6g at %s: beyond %.6g no probe was made",
		w->name, most, high, a, w->limit);
}

static bool passes_watches(struct judgement *j, const struct judge_question *q)
{
	for (size_t i = 0; i < q->watches; i++) {
		const struct judge_watch *w = &q->watch[i];
		bool passes = w->kind == JUDGE_APPEARS     ? passes_appears(j, q, w)
			      : w->kind == JUDGE_CONVERGED ? passes_converged(j, q, w)
							   : passes_level(j, q, w);

		if (!passes)
			return false;
	}
	return true;
}

/* Sizes [@from, @to) alone. */
static struct growth_sizes part_of(const struct growth_sizes *all, size_t from, size_t to)
{
	struct growth_sizes part = *all;

	memmove(part.at, all->at + from, (to - from) * sizeof(part.at[0]));
	part.n = to - from;
	return part;
}

/* Do the smaller sizes foresee size @which, the largest or the one before it? */
static bool is_foreseen(const struct growth_sizes *s, size_t which, enum growth_space space,
			struct growth_estimate *said)
{
	struct growth_sizes smaller = part_of(s, 0, which);
	struct growth_fit fit;
	double below = 0.5;

	if (which < GROWTH_LEAST || growth_fit(&fit, &smaller, s->at[which].x, space, NULL))
		return true;
	below = growth_below(&fit, s->at[which].x, 0, s->at[which].y);
	*said = growth_estimate(&fit, s->at[which].x, 0);
	growth_fit_release(&fit);
	return fmin(below, 1 - below) >= UNFORESEEN;
}

/* A figure that falls is refused: what it does at the target no model of growth can say. */
static bool passes_growth(struct judgement *j, const struct judge_question *q, const struct growth_sizes *s,
			  enum growth_space space)
{
	struct growth_fall fall;
	char a[120], b[120];

	if (!growth_falls(s, &fall))
		return true;
	if (space == GROWTH_LINEAR)
		return judge_refuse(j, JUDGE_FALLS,
				    "more counts take less: %.4g at %.6g of them, %.4g at %.6g", fall.from.y,
				    fall.from.x[0], fall.to.y, fall.to.x[0]);
	return judge_refuse(
		j, JUDGE_FALLS,
		"it falls as %s grows, from %.4g at %s to %.4g at %s: where that ends no probe tells",
		q->names[fall.param], fall.from.y, judge_place(q, fall.from.x, a, sizeof(a)), fall.to.y,
		judge_place(q, fall.to.x, b, sizeof(b)));
}

/* Fit @s; false with the refusal said. */
static bool passes_fit(struct judgement *j, const struct judge_question *q, const struct growth_sizes *s,
		       const double *target, enum growth_space space, struct growth_fit *fit)
{
	struct err err = ERR_INIT;
	struct growth_estimate said = {0};
	char a[120], b[120];

	if (!passes_growth(j, q, s, space))
		return false;
	if (growth_fit(fit, s, target, space, &err))
		return judge_refuse(j, err.code == -ENODATA ? JUDGE_FEW : JUDGE_NO_MODEL, "%s", err.msg);
	if (fit->two_regimes > 0.5) {
		const double *at = s->at[fit->step].x, *before = s->at[fit->step - 1].x;

		if (space == GROWTH_LINEAR)
			return judge_refuse(j, JUDGE_TWO_REGIMES,
					    "what a count takes changes between %.6g and %.6g of them",
					    before[0], at[0]);
		if (s->params == 1 && before[0] > at[0]) {
			const double *larger = before;

			before = at;
			at = larger;
		}
		return judge_refuse(j, JUDGE_TWO_REGIMES, "costs change by a factor between %s and %s",
				    judge_place(q, before, a, sizeof(a)), judge_place(q, at, b, sizeof(b)));
	}
	for (size_t which = s->n - 1; which + 2 >= s->n && which > 0; which--) {
		if (is_foreseen(s, which, space, &said))
			continue;
		if (space == GROWTH_LINEAR)
			snprintf(a, sizeof(a), "%.6g counts", s->at[which].x[0]);
		else
			judge_place(q, s->at[which].x, a, sizeof(a));
		return judge_refuse(j, JUDGE_NOT_FORESEEN,
				    "the probe at %s is %.4g, and smaller ones foresee %.4g to %.4g", a,
				    s->at[which].y, said.low, said.high);
	}
	return true;
}

/* passes_fit(), without the smallest sizes if they are what does not fit. */
static bool passes_shorter(struct judgement *j, const struct judge_question *q, const struct growth_sizes *s,
			   const double *target, enum growth_space space, struct growth_fit *fit)
{
	char reason[sizeof(j->reason)] = "";
	enum judge_refusal refusal = JUDGE_NONE;
	size_t most = s->n > FEWEST ? s->n - FEWEST : 0;

	for (size_t skip = 0; skip <= most && skip <= s->n / 3; skip++) {
		struct growth_sizes rest = part_of(s, skip, s->n);

		growth_fit_release(fit);
		if (passes_fit(j, q, &rest, target, space, fit)) {
			j->refusal = JUDGE_NONE;
			j->left_out = skip > j->left_out ? skip : j->left_out;
			return true;
		}
		if (!skip) {
			refusal = j->refusal;
			memcpy(reason, j->reason, sizeof(reason));
		}
		if (j->refusal != JUDGE_TWO_REGIMES && j->refusal != JUDGE_NOT_FORESEEN)
			break;
	}
	j->refusal = refusal;
	memcpy(j->reason, reason, sizeof(reason));
	return false;
}

/* The runs with another figure, and, for @counts, with the count of their size as parameter. */
static int sizes_of(struct growth_sizes *s, const struct judge_question *q, const double *figure,
		    const struct growth_sizes *counts, struct err *err)
{
	struct growth_run *runs = mem_new(q->n + 1, sizeof(*runs));
	int ret;

	for (size_t i = 0; i < q->n; i++) {
		runs[i] = q->runs[i];
		runs[i].y = figure ? figure[i] : q->runs[i].y;
		for (size_t k = 0; counts && k < counts->n; k++)
			if (!memcmp(counts->at[k].x, q->runs[i].x, q->params * sizeof(double))) {
				memset(runs[i].x, 0, sizeof(runs[i].x));
				runs[i].x[0] = counts->at[k].y;
			}
	}
	ret = growth_sizes_make(s, counts ? 1 : q->params, runs, q->n, err);
	free(runs);
	return ret;
}

/* The count at the target, and what so many of them take. */
static bool judge_by_count(struct judgement *j, const struct judge_question *q,
			   const struct growth_sizes *counts, const struct growth_sizes *times)
{
	struct growth_estimate count;
	double at[GROWTH_PARAMS] = {0}, slope;

	if (!passes_shorter(j, q, counts, q->target, GROWTH_ANY, &j->fit))
		return false;
	count = growth_estimate(&j->fit, q->target, 0);
	j->count = at[0] = count.middle;
	if (!passes_shorter(j, q, times, at, GROWTH_LINEAR, &j->by_count))
		return false;
	slope = growth_slope(&j->by_count, at, 0);
	j->estimate = growth_estimate(&j->by_count, at, slope * slope * count.sd * count.sd);
	return true;
}

void judge_width(struct judgement *j, const char *why)
{
	if (j->estimate.high > JUDGE_WIDEST * j->estimate.low)
		judge_refuse(j, JUDGE_TOO_WIDE, "%s say %.3g to %.3g, too far apart for a prediction", why,
			     j->estimate.low, j->estimate.high);
}

/* A figure that shows no growth: the interval holds what may hide in its spread, or nothing is said. */
static void judge_flat(struct judgement *j, const struct judge_question *q, const struct growth_sizes *s)
{
	double hidden, largest = 0;
	char at[120], from[120];

	if (!growth_flat(s, q->target, &hidden))
		return;
	for (size_t i = 0; i < s->n; i++)
		largest = fmax(largest, s->at[i].x[0]);
	j->estimate.high = fmax(j->estimate.high, hidden);
	if (j->estimate.high > JUDGE_WIDEST * j->estimate.low)
		judge_refuse(
			j, JUDGE_FLAT,
			"no growth is seen up to %s, and what may hide in the spread of the probes is up "
			"to %.3g at %s: larger probes would tell (--least, --budget), or a figure of less "
			"spread (--cpu, --figure)",
			judge_place(q, &largest, from, sizeof(from)), hidden,
			judge_place(q, q->target, at, sizeof(at)));
}

int judge_watched(struct judgement *j, const struct judge_question *q, struct err *err)
{
	struct growth_sizes sizes;
	int ret;

	memset(j, 0, sizeof(*j));
	ret = sizes_of(&sizes, q, NULL, NULL, err);
	if (ret)
		return ret;
	j->sizes = sizes.n;
	j->runs = q->n;
	j->noise = sizes.noise;
	j->spare = sizes.spare;
	passes_watches(j, q);
	return 0;
}

int judge(struct judgement *j, const struct judge_question *q, struct err *err)
{
	struct growth_sizes times, counts = {0}, by_count;
	char why[200], at[120];
	bool passed;
	int ret = judge_watched(j, q, err);

	if (!ret)
		ret = sizes_of(&times, q, NULL, NULL, err);
	if (!ret && q->count)
		ret = sizes_of(&counts, q, q->count, NULL, err);
	if (!ret && q->count)
		ret = sizes_of(&by_count, q, NULL, &counts, err);
	if (ret)
		return ret;
	if (j->refusal)
		return 0;
	if (q->count) {
		passed = judge_by_count(j, q, &counts, &by_count);
	} else {
		passed = passes_shorter(j, q, &times, q->target, GROWTH_ANY, &j->fit);
		if (passed)
			j->estimate = growth_estimate(&j->fit, q->target, 0);
		if (passed)
			judge_flat(j, q, &times);
	}
	if (!passed || j->refusal)
		return 0;
	j->beyond = j->estimate.middle / times.at[times.n - 1].y;
	j->sizes -= j->left_out;
	snprintf(why, sizeof(why), "%zu models explain the probes, and at %s they", j->fit.models.n,
		 judge_place(q, q->target, at, sizeof(at)));
	judge_width(j, why);
	return 0;
}

void judgement_release(struct judgement *j)
{
	growth_fit_release(&j->fit);
	growth_fit_release(&j->by_count);
}
