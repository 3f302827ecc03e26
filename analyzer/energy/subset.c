/* SPDX-License-Identifier: MIT */
/*
 * A node of the search is a set of terms of which the first `fixed` stay.  With
 * the inverse of its correlations, dropping term j adds b_j^2 / c_jj to the
 * residual sum, and the inverse without j takes n^2 steps.  Dropping more terms can
 * only add, so a node is cut where all sizes that it leads to are already better
 * served.  A set of size m drops r terms of the free ones, so what it adds is at
 * least the r-th smallest that one of them would add alone.
 */
#include "analyzer/energy/subset.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define N ENERGY_MAX_SUBSET

struct node {
	size_t n, fixed;
	uint8_t at[N];  /* terms, by their number among the candidates */
	double c[N][N]; /* inverse of the correlations, lower and upper */
	double b[N];    /* weights */
	double rss;     /* of standardised power, from 0 to 1 */
};

struct search {
	const struct energy_normal *normal;
	size_t term[N]; /* of each candidate */
	size_t largest;
	energy_countable *countable;
	void *context;
	struct energy_subsets *out;
	struct node stack[N + 1]; /* by depth */
};

static uint64_t set_of(const struct search *s, const struct node *node)
{
	uint64_t set = 0;

	for (size_t i = 0; i < node->n; i++)
		set |= (uint64_t)1 << s->term[node->at[i]];
	return set;
}

/* Take the set of @node if it is the best of its size. */
static void offer(struct search *s, const struct node *node)
{
	struct energy_subset *best = &s->out->best[node->n];
	uint64_t set;

	if (!node->n || node->n > s->largest || node->rss >= best->rss)
		return;
	set = set_of(s, node);
	if (s->countable && !s->countable(s->context, set))
		return;
	*best = (struct energy_subset){set, node->rss};
}

/* @to is @from without the term at place @j. */
static void drop(const struct node *from, size_t j, struct node *to)
{
	size_t n = 0;

	to->rss = from->rss + from->b[j] * from->b[j] / from->c[j][j];
	for (size_t i = 0; i < from->n; i++) {
		double f = from->c[i][j] / from->c[j][j];
		size_t m = 0;

		if (i == j)
			continue;
		to->at[n] = from->at[i];
		to->b[n] = from->b[i] - f * from->b[j];
		for (size_t k = 0; k < from->n; k++)
			if (k != j)
				to->c[n][m++] = from->c[i][k] - f * from->c[j][k];
		n++;
	}
	to->n = n;
}

static void swap_places(struct node *node, size_t i, size_t j)
{
	uint8_t at = node->at[i];
	double b = node->b[i];

	if (i == j)
		return;
	node->at[i] = node->at[j];
	node->at[j] = at;
	node->b[i] = node->b[j];
	node->b[j] = b;
	for (size_t k = 0; k < node->n; k++) {
		double c = node->c[i][k];

		node->c[i][k] = node->c[j][k];
		node->c[j][k] = c;
	}
	for (size_t k = 0; k < node->n; k++) {
		double c = node->c[k][i];

		node->c[k][i] = node->c[k][j];
		node->c[k][j] = c;
	}
}

static double added(const struct node *node, size_t i)
{
	return node->b[i] * node->b[i] / node->c[i][i];
}

/* Put the free terms in order: those that add most when dropped first.  adds[] is by place. */
static void sort_free(struct node *node, double *adds)
{
	for (size_t i = node->fixed; i < node->n; i++) {
		size_t most = i;

		for (size_t j = i + 1; j < node->n; j++)
			if (added(node, j) > added(node, most))
				most = j;
		swap_places(node, i, most);
		adds[i] = added(node, i);
	}
}

/*
 * May a set without the free term at @place, with all before it, be better than what is
 * known?  Of size m it drops n - m terms from @place on, of which the smallest
 * additions stand last.
 */
static bool may_improve(const struct search *s, const struct node *node, const double *adds, size_t place)
{
	size_t most = node->n - 1 < s->largest ? node->n - 1 : s->largest;

	for (size_t m = place ? place : 1; m <= most; m++) {
		size_t drops = node->n - m;
		double least = fmax(adds[place], adds[node->n - drops]);

		if (node->rss + least < s->out->best[m].rss)
			return true;
	}
	return false;
}

static void visit(struct search *s, size_t depth)
{
	struct node *node = &s->stack[depth], *child = node + 1;
	double adds[N];

	s->out->tried++;
	if (s->out->tried > ENERGY_SUBSET_LIMIT)
		s->out->exact = false;
	if (node->n <= node->fixed || node->n < 2 || !s->out->exact)
		return;
	sort_free(node, adds);
	/* From behind: what is dropped last there is least needed, so good sets are met early. */
	for (size_t i = node->n; i-- > node->fixed;) {
		if (i > s->largest || !may_improve(s, node, adds, i))
			continue;
		drop(node, i, child);
		child->fixed = i;
		offer(s, child);
		visit(s, depth + 1);
	}
}

/* Invert the correlations of the candidates by Gauss and Jordan; they are few and scaled. */
static int invert(const struct search *s, struct node *node, struct err *err)
{
	double a[N][2 * N];

	for (size_t i = 0; i < node->n; i++)
		for (size_t j = 0; j < node->n; j++) {
			a[i][j] = s->normal->r[s->term[i]][s->term[j]];
			a[i][node->n + j] = i == j;
		}
	for (size_t i = 0; i < node->n; i++) {
		double pivot = a[i][i];

		if (pivot < 1e-10)
			return err_set(err, -EINVAL, "candidates depend on one another (term %zu)",
				       s->term[i]);
		for (size_t j = 0; j < 2 * node->n; j++)
			a[i][j] /= pivot;
		for (size_t k = 0; k < node->n; k++) {
			double f = a[k][i];

			for (size_t j = 0; k != i && j < 2 * node->n; j++)
				a[k][j] -= f * a[i][j];
		}
	}
	for (size_t i = 0; i < node->n; i++)
		for (size_t j = 0; j < node->n; j++)
			node->c[i][j] = a[i][node->n + j];
	return 0;
}

static void set_weights(const struct search *s, struct node *node)
{
	size_t y = s->normal->n;

	node->rss = 1;
	for (size_t i = 0; i < node->n; i++) {
		node->b[i] = 0;
		node->at[i] = (uint8_t)i;
		for (size_t j = 0; j < node->n; j++)
			node->b[i] += node->c[i][j] * s->normal->r[s->term[j]][y];
		node->rss -= node->b[i] * s->normal->r[s->term[i]][y];
	}
}

/* Drop the least needed term until one is left: a first answer for each size. */
static void descend(struct search *s)
{
	double adds[N];

	for (size_t depth = 0; s->stack[depth].n > 1; depth++) {
		struct node *node = &s->stack[depth];

		sort_free(node, adds);
		drop(node, node->n - 1, node + 1);
		node[1].fixed = 0;
		offer(s, node + 1);
	}
}

int energy_subsets_find(const struct energy_normal *normal, uint64_t candidates, size_t largest,
			energy_countable *countable, void *context, struct energy_subsets *out,
			struct err *err)
{
	static _Thread_local struct search s;
	struct node *root = &s.stack[0];
	double scale = normal->rows * normal->sd[normal->n] * normal->sd[normal->n];
	int ret;

	memset(out, 0, sizeof(*out));
	s = (struct search){.normal = normal, .countable = countable, .context = context, .out = out};
	for (size_t i = 0; i < normal->n; i++) {
		if (!(candidates >> i & 1) || normal->sd[i] <= 0)
			continue;
		if (root->n == N)
			return err_set(err, -E2BIG, "more than %d candidates: too many for an exact search",
				       N);
		s.term[root->n++] = i;
	}
	s.largest = out->largest = largest < root->n ? largest : root->n;
	ret = invert(&s, root, err);
	if (ret)
		return ret;
	for (size_t m = 1; m <= out->largest; m++)
		out->best[m].rss = INFINITY;
	out->exact = true;
	set_weights(&s, root);
	offer(&s, root);
	descend(&s);
	visit(&s, 0);
	for (size_t m = 1; m <= out->largest; m++)
		out->best[m].rss *= scale;
	return 0;
}
