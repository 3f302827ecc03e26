/* SPDX-License-Identifier: MIT */
#include "verify/figures/ends.h"

#include <stdio.h>
#include <stdlib.h>

/* Move the conflicts of unknown phases behind the others; returns how many those are. */
static size_t keep_known(struct vmodel *m)
{
	size_t known = 0;

	for (size_t i = 0; i < m->n_conflicts; i++) {
		struct vmodel_conflict c = m->conflict[i];

		if (c.unknown)
			continue;
		m->conflict[i] = m->conflict[known];
		m->conflict[known++] = c;
	}
	return known;
}

/* The run without them, into @sums; returns how many there are. */
static size_t without_unknown(const struct vplan *p, struct vmodel *m, size_t n_models,
			      const struct vplatform *f, struct vcost sums[2])
{
	size_t *all = need(n_models, sizeof(*all)), unknown = 0;
	struct findings none = {0};
	struct result r;

	for (size_t k = 0; k < n_models; k++) {
		all[k] = m[k].n_conflicts;
		m[k].n_conflicts = keep_known(&m[k]);
		unknown += all[k] - m[k].n_conflicts;
	}
	recompute(p, m, n_models, f, &r, &none);
	sums[0] = r.base;
	sums[1] = r.plan;
	result_release(p, &r);
	findings_release(&none);
	for (size_t k = 0; k < n_models; k++)
		m[k].n_conflicts = all[k];
	free(all);
	return unknown;
}

double ends_saving(const struct vplan *p, struct vcost base, struct vcost c)
{
	double whole = (double)cost_figure(p, base);

	return whole > 0 ? (whole - (double)cost_figure(p, c)) / whole * 100 : 0;
}

/* Why the models' conflicts may not be all there are. */
static void print_doubts(const struct vmodel *m, size_t n_models)
{
	struct findings doubts = {0};

	for (size_t k = 0; k < n_models; k++)
		for (size_t i = 0; i < m[k].n_doubts; i++)
			findings_add(&doubts, "%s", m[k].doubt[i]);
	if (doubts.n)
		printf("caution: conflicts may be missing, or cost something else\n");
	findings_print(&doubts);
	findings_release(&doubts);
}

void ends_print(const struct vplan *p, struct vmodel *m, size_t n_models, const struct vplatform *f,
		const struct vcost sums[2])
{
	double all = ends_saving(p, sums[0], sums[1]), none;
	struct vcost other[2];
	size_t unknown = without_unknown(p, m, n_models, f, other);

	if (!unknown) {
		printf("saving: %.2f %% of the %s confirmed\n", all, p->objective);
	} else {
		none = ends_saving(p, other[0], other[1]);
		printf("saving: %.2f to %.2f %% of the %s confirmed\n", none < all ? none : all,
		       none < all ? all : none, p->objective);
		printf("caution: it is not known in which phases the threads of %zu conflict%s meet: in all "
		       "%.2f %%, in none %.2f %%\n",
		       unknown, unknown == 1 ? "" : "s", all, none);
	}
	print_doubts(m, n_models);
}
