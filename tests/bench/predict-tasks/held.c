/* SPDX-License-Identifier: MIT */
/* Tasks whose work hangs on their data, by which nothing of the predictor was chosen. */
#include <math.h>
#include <stdlib.h>

#include "tasks.h"

enum { PEAKS = 6 };

/* A landscape: waves, narrow peaks, and a step along a circle, all of which @seed chooses. */
struct landscape {
	double x[PEAKS], y[PEAKS], width[PEAKS], height[PEAKS];
	double wave, at_x, at_y, radius, step;
};

static double height_at(const struct landscape *l, double x, double y)
{
	double sum = sin(l->wave * (x + 0.3 * y)) + cos(l->wave * 0.7 * (y - x)), dx = x - l->at_x, dy = y - l->at_y;

	for (size_t k = 0; k < PEAKS; k++) {
		double px = (x - l->x[k]) / l->width[k], py = (y - l->y[k]) / l->width[k];

		sum += l->height[k] / (1 + px * px + py * py);
	}
	return sum + (dx * dx + dy * dy < l->radius * l->radius ? l->step : 0);
}

/* A cell of @h, whose middle is worth @middle, is cut in four as long as that changes its volume by @most. */
static double volume(const struct landscape *l, double x, double y, double h, double middle, double most, double *calls)
{
	double part[4], fine = 0;

	for (int k = 0; k < 4; k++) {
		part[k] = height_at(l, x + (k & 1 ? h / 4 : -h / 4), y + (k & 2 ? h / 4 : -h / 4));
		fine += part[k] / 4;
	}
	*calls += 4;
	if (fabs(fine - middle) * h * h < most && h < 0.1)
		return fine * h * h;
	fine = 0;
	for (int k = 0; k < 4; k++)
		fine += volume(l, x + (k & 1 ? h / 4 : -h / 4), y + (k & 2 ? h / 4 : -h / 4), h / 2, part[k], most,
			       calls);
	return fine;
}

/* Adaptive quadrature over the unit square, to 1 / n^2 in each cell. */
void task_quadrature(size_t n, uint64_t seed, struct task_out *out)
{
	struct landscape l = {.wave = pow(40, task_random(seed, 1)),
			      .at_x = task_random(seed, 2),
			      .at_y = task_random(seed, 3),
			      .radius = 0.4 * task_random(seed, 4),
			      .step = pow(10, -3 * task_random(seed, 5))};

	for (size_t k = 0; k < PEAKS; k++) {
		l.x[k] = task_random(seed, 10 + 4 * k);
		l.y[k] = task_random(seed, 11 + 4 * k);
		l.width[k] = pow(10, -3 * task_random(seed, 12 + 4 * k));
		l.height[k] = 5 * task_random(seed, 13 + 4 * k);
	}
	out->result = volume(&l, 0.5, 0.5, 1, height_at(&l, 0.5, 0.5), 1 / ((double)n * (double)n), &out->operations);
}

/* Ways from one corner of a grid of n x n to all others: whoever got nearer tells its neighbours, in turn. */
void task_paths(size_t n, uint64_t seed, struct task_out *out)
{
	size_t all = n * n, head = 0, waiting = 1, *queue = calloc(all, sizeof(*queue)), *far = calloc(all, sizeof(*far));
	double *way = malloc(all * sizeof(*way)), rough = 4 * task_random(seed, 1), jumps = 0.02 * task_random(seed, 2);
	char *waits = calloc(all, 1);

	for (size_t i = 0; i < all; i++) {
		way[i] = INFINITY;
		far[i] = task_random(seed + 3, 2 * i) < jumps ? (size_t)((double)all * task_random(seed + 3, 2 * i + 1)) : i;
	}
	way[0] = 0;
	while (waiting) {
		size_t at = queue[head], row = at / n, column = at % n;
		size_t to[5] = {row ? at - n : at, row + 1 < n ? at + n : at, column ? at - 1 : at, column + 1 < n ? at + 1 : at,
				far[at]};

		head = (head + 1) % all;
		waiting--;
		waits[at] = 0;
		for (size_t k = 0; k < 5; k++) {
			double there = way[at] + exp(rough * task_random(seed + 5, 5 * at + k));

			out->operations++;
			if (!(there < way[to[k]]))
				continue;
			way[to[k]] = there;
			if (!waits[to[k]])
				queue[(head + waiting++) % all] = to[k];
			waits[to[k]] = 1;
		}
	}
	out->result = way[all - 1];
	free(queue);
	free(far);
	free(way);
	free(waits);
}

/* Clauses of three of n variables, all true for one assignment that is hidden: a broken one is mended by chance. */
struct clauses {
	size_t n, broken, *list, *where; /* of broken ones; place of each in the list */
	unsigned (*of)[3];		 /* variable, and in the lowest bit what makes it true */
	size_t *begin, *in;		 /* clauses that each variable is in */
	unsigned char *value, *trues;	 /* of each variable; how many make each clause true */
};

static void clauses_make(struct clauses *c, size_t n, size_t clauses, uint64_t seed)
{
	size_t *fill = calloc(n + 1, sizeof(*fill));

	*c = (struct clauses){.n = clauses, .list = calloc(clauses, sizeof(*c->list)), .where = calloc(clauses, sizeof(*c->where)),
			      .of = calloc(clauses, sizeof(*c->of)), .begin = calloc(n + 2, sizeof(*c->begin)),
			      .in = calloc(3 * clauses, sizeof(*c->in)), .value = calloc(n, 1), .trues = calloc(clauses, 1)};
	for (size_t i = 0; i < clauses; i++) {
		unsigned good = 0;

		for (unsigned k = 0; k < 3; k++) {
			unsigned v = (unsigned)((k + task_random(seed, 8 * i + k)) * (double)n / 3), sign = task_random(seed, 8 * i + 3 + k) < 0.5;

			good |= sign == (task_random(seed + 9, v) < 0.5);
			c->of[i][k] = 2 * v + sign;
			c->begin[v + 1]++;
		}
		if (!good)
			c->of[i][0] ^= 1;
	}
	for (size_t v = 0; v < n; v++) {
		c->begin[v + 1] += c->begin[v];
		c->value[v] = task_random(seed + 1, v) < 0.5;
	}
	for (size_t i = 0; i < clauses; i++)
		for (unsigned k = 0; k < 3; k++) {
			unsigned v = c->of[i][k] / 2;

			c->in[c->begin[v] + fill[v]++] = i;
			c->trues[i] += c->value[v] == (c->of[i][k] & 1);
		}
	for (size_t i = 0; i < clauses; i++)
		if (!c->trues[i]) {
			c->where[i] = c->broken;
			c->list[c->broken++] = i;
		}
	free(fill);
}

/* How many clauses break if @v changes; with @really it does. */
static size_t change(struct clauses *c, unsigned v, int really)
{
	size_t breaks = 0;

	for (size_t at = c->begin[v]; at < c->begin[v + 1]; at++) {
		size_t i = c->in[at];

		for (unsigned k = 0; k < 3; k++) {
			if (c->of[i][k] / 2 != v)
				continue;
			if ((c->of[i][k] & 1) == c->value[v]) {
				breaks += c->trues[i] == 1;
				c->trues[i] -= really != 0;
				if (really && !c->trues[i]) {
					c->where[i] = c->broken;
					c->list[c->broken++] = i;
				}
			} else if (really && !c->trues[i]++) {
				c->list[c->where[i]] = c->list[--c->broken];
				c->where[c->list[c->where[i]]] = c->where[i];
			}
			break;
		}
	}
	c->value[v] ^= really != 0;
	return breaks;
}

/* A walk from an assignment by chance: in a broken clause the variable that breaks fewest, or any. */
void task_sat(size_t n, uint64_t seed, struct task_out *out)
{
	struct clauses c;
	uint64_t die = 0;

	clauses_make(&c, n, (size_t)((2.5 + task_random(seed, 1u << 30)) * (double)n), seed + 100);
	while (c.broken && out->iterations < 2000.0 * (double)n) {
		size_t i = c.list[(size_t)((double)c.broken * task_random(seed + 2, die++))], least = SIZE_MAX;
		unsigned v = 0;

		for (unsigned k = 0; k < 3; k++) {
			size_t breaks = change(&c, c.of[i][k] / 2, 0);

			if (breaks >= least)
				continue;
			least = breaks;
			v = c.of[i][k] / 2;
		}
		if (least && task_random(seed + 2, die++) < 0.5)
			v = c.of[i][(size_t)(3 * task_random(seed + 2, die++))] / 2;
		change(&c, v, 1);
		out->iterations++;
	}
	out->converged = !c.broken;
	out->operations = out->iterations;
	out->result = (double)c.broken;
	free(c.list);
	free(c.where);
	free(c.of);
	free(c.begin);
	free(c.in);
	free(c.value);
	free(c.trues);
}
