/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/folds.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/energy/subset.h"
#include "lib/strbuf.h"

const char *energy_grouping_name(enum energy_grouping by)
{
	static const char *const names[] = {"program", "family", "cores", "given"};

	return names[by];
}

static bool is_named(const struct energy_names *names, const char *name)
{
	for (size_t i = 0; names && i < names->n; i++)
		if (!strcmp(names->at[i], name))
			return true;
	return false;
}

/* Are two cells of one group? */
static bool are_grouped(const struct energy_cells *c, const struct energy_table *t, enum energy_grouping by,
			size_t i, size_t j)
{
	const struct energy_cell *a = &c->cell.at[i], *b = &c->cell.at[j];

	switch (by) {
	case ENERGY_BY_PROGRAM:
		return a->program == b->program;
	case ENERGY_BY_FAMILY:
		return text_equal(t->families.at[a->program], t->families.at[b->program]);
	case ENERGY_BY_CORES:
		return a->cores == b->cores;
	default:
		return true;
	}
}

struct energy_groups energy_groups_make(const struct energy_cells *c, const struct energy_table *t,
					enum energy_grouping by, const struct energy_names *test)
{
	struct energy_groups g = {.by = by, .of = mem_new(c->cell.n, sizeof(*g.of))};

	for (size_t i = 0; i < c->cell.n; i++) {
		size_t j = 0;

		g.of[i] = ENERGY_NO_GROUP;
		if (c->cell.at[i].aside ||
		    (by == ENERGY_BY_GIVEN && !is_named(test, t->programs.at[c->cell.at[i].program])))
			continue;
		while (j < i && (g.of[j] == ENERGY_NO_GROUP || !are_grouped(c, t, by, i, j)))
			j++;
		g.of[i] = j < i ? g.of[j] : g.n++;
	}
	return g;
}

void energy_groups_release(struct energy_groups *g)
{
	free(g->of);
	memset(g, 0, sizeof(*g));
}

void energy_slice_normal(const struct energy_cells *c, const struct energy_slice *slice,
			 const struct energy_groups *g, uint32_t without, struct energy_normal *out)
{
	bool plain = slice->design == ENERGY_PLAIN;
	struct energy_gram sum = energy_gram_new(energy_terms(slice->design, c->events));

	for (size_t i = 0; i < c->cell.n; i++) {
		const struct energy_cell *cell = &c->cell.at[i];

		if (cell->aside || (g && g->of[i] == without) || (plain && cell->mhz != slice->mhz))
			continue;
		energy_gram_sum(&sum, plain ? &cell->plain : &cell->scaled, 1);
	}
	energy_gram_normal(
		&sum, plain ? &c->frequency.at[energy_frequency_find(c, slice->mhz)].scaling : &c->scaling,
		out);
	energy_gram_release(&sum);
}

int energy_plan_fit(const struct energy_plan *plan, const struct energy_slice *slice,
		    const struct energy_normal *normal, struct energy_weights *out, uint64_t *set,
		    struct err *err)
{
	uint64_t voltage = slice->design == ENERGY_SCALED ? UINT64_C(3) << (normal->n - 2) : 0;
	struct energy_subsets *best;
	int ret;

	*set = plan->use | voltage;
	if (!plan->largest || voltage)
		return energy_fit(normal, plan->method, *set, out, err);
	best = mem_new(1, sizeof(*best));
	ret = energy_subsets_find(normal, plan->use, plan->largest, NULL, NULL, best, err);
	if (!ret) {
		*set = best->best[best->largest].set | voltage;
		ret = energy_fit(normal, plan->method, *set, out, err);
	}
	free(best);
	return ret;
}
