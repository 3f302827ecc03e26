/* SPDX-License-Identifier: MIT */
#include "predictor/probe/choose.h"

#include <math.h>
#include <string.h>

#define MOST_SIZES 24
#define TELLS      0.01 /* of the variance at the target, or it is not worth a probe */
#define FARTHER    1.5  /* times the largest so far: a probe that may show another regime */

size_t next_levels(size_t params)
{
	static const size_t of[GROWTH_PARAMS + 1] = {0, NEXT_GRID, 8, 4, 3};

	return of[params];
}

double next_level(const struct next_plan *p, size_t j, size_t level, size_t most)
{
	return round(p->from[j] * pow(p->target[j] / p->from[j], (double)level / (double)most));
}

const struct growth_size *next_size(const struct growth_sizes *s, const double *x)
{
	for (size_t i = 0; i < s->n; i++)
		if (!memcmp(s->at[i].x, x, s->params * sizeof(*x)))
			return &s->at[i];
	return NULL;
}

/* What is asked of the models, and the best answer so far. */
struct choice {
	const struct next_plan *p;
	const struct growth_sizes *s;
	const struct growth_fit *fit;
	double left;
	struct growth_fit time;          /* by count; no models: asked is the figure itself */
	double at_target[GROWTH_PARAMS]; /* of @time: the count */
	double slope;                    /* of ln time by ln count there */
	double score, tells, x[GROWTH_PARAMS];
	double farthest, far[GROWTH_PARAMS]; /* the most that can be paid for */
};

/* What a count takes: a model of its own, whose runs have the count of their size as parameter. */
static void fit_time(struct choice *c, const struct next_state *st)
{
	struct growth_run *runs = mem_new(st->n + 1, sizeof(*runs));
	struct growth_sizes times;

	for (size_t i = 0; i < st->n; i++) {
		runs[i].x[0] = next_size(c->s, st->runs[i].x)->y;
		runs[i].y = st->time[i];
	}
	c->at_target[0] = growth_estimate(c->fit, c->p->target, 0).middle;
	if (!growth_sizes_make(&times, 1, runs, st->n, NULL) &&
	    !growth_fit(&c->time, &times, c->at_target, GROWTH_LINEAR, NULL))
		c->slope = growth_slope(&c->time, c->at_target, 0);
	free(runs);
}

/* The variance at the target that one more run of what @v sees takes away. */
static double taken(const struct growth_view *v, const struct growth_fit *f, double runs)
{
	return v->covariance * v->covariance / (v->at_x + (v->own + f->noise) * (1 + runs));
}

/* ... as a part of all, with the time of counts; a count that repeats exactly says nothing new. */
static double part_taken(const struct choice *c, const struct growth_view *v, double runs)
{
	double count = runs > 0 && growth_exact(c->s) ? 0 : taken(v, c->fit, runs),
	       square = c->slope * c->slope;
	struct growth_view time;

	if (!c->time.models.n)
		return count / v->at_target;
	time = growth_view(&c->time, (double[GROWTH_PARAMS]){v->middle}, c->at_target);
	return (square * count + taken(&time, &c->time, runs)) / (square * v->at_target + time.at_target);
}

/* One place of the grid: is it worth more than the best? */
static void consider(struct choice *c, const double *x)
{
	const struct growth_size *there = next_size(c->s, x);
	double runs = there ? (double)there->runs : 0, cost, tells;
	struct growth_view v;

	if (runs >= NEXT_CHEAP_RUNS || (there && growth_exact(c->s) && !c->time.models.n))
		return;
	v = growth_view(c->fit, x, c->p->target);
	cost = c->p->start + (there ? there->y : v.middle);
	if (!(cost <= NEXT_OF_LEFT * c->left))
		return;
	if (cost > c->farthest) {
		c->farthest = cost;
		memcpy(c->far, x, c->p->params * sizeof(*x));
	}
	if (!there && c->s->n >= MOST_SIZES)
		return;
	tells = part_taken(c, &v, runs);
	if (!(tells / sqrt(cost) > c->score))
		return;
	c->score = tells / sqrt(cost);
	c->tells = tells;
	memcpy(c->x, x, c->p->params * sizeof(*x));
}

enum next_end next_choose(const struct next_plan *p, const struct next_state *st,
			  const struct growth_sizes *s, const struct growth_fit *fit, double left, double *x)
{
	size_t most = p->params == 1 ? NEXT_FINE : next_levels(p->params), all = 1;
	struct choice c = {.p = p, .s = s, .fit = fit, .left = left};

	if (!fit->models.n)
		return NEXT_ENOUGH;
	if (st->time)
		fit_time(&c, st);
	for (size_t j = 0; j < p->params; j++)
		all *= most + 1;
	/* The last place is the target itself. */
	for (size_t code = 0; code + 1 < all; code++) {
		for (size_t j = 0, rest = code; j < p->params; j++, rest /= most + 1)
			x[j] = next_level(p, j, rest % (most + 1), most);
		consider(&c, x);
	}
	growth_fit_release(&c.time);
	memcpy(x, c.x, p->params * sizeof(*x));
	if (c.tells >= TELLS)
		return NEXT_PROBE;
	/* No model wants to know more; but a probe farther out may show another regime. */
	memcpy(x, c.far, p->params * sizeof(*x));
	if (c.farthest > FARTHER * s->at[s->n - 1].y)
		return NEXT_PROBE;
	return c.score > 0 ? NEXT_ENOUGH : NEXT_SPENT;
}
