/* SPDX-License-Identifier: MIT */
#include "planner/exact/symmetry.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

void touched_init(struct touched *t, const struct machine *m)
{
	t->unit = mem_new(m->n_units, sizeof(*t->unit));
	t->group = mem_new(m->n_groups, sizeof(*t->group));
	t->package = mem_new(m->n_packages, sizeof(*t->package));
}

void touched_release(struct touched *t)
{
	free(t->unit);
	free(t->group);
	free(t->package);
	*t = (struct touched){0};
}

void touched_add(struct touched *t, const struct machine *m, uint32_t unit, int by)
{
	t->unit[unit] += (uint32_t)by;
	t->group[m->units[unit].group] += (uint32_t)by;
	t->package[m->units[unit].package] += (uint32_t)by;
}

bool symmetry_canonical(const struct touched *t, const struct machine *m, uint32_t unit)
{
	const struct unit *u = &m->units[unit];
	const struct machine_package *pkg = &m->packages[u->package];

	if (!m->symmetric || t->unit[unit])
		return true;
	for (uint32_t v = pkg->first; v < unit; v++) {
		uint32_t g = m->units[v].group;

		if (g == u->group && !t->unit[v])
			return false;
		if (g != u->group && !t->group[u->group] && !t->group[g] &&
		    m->group_class[g] == m->group_class[u->group])
			return false;
	}
	for (uint32_t k = 0; k < u->package && !t->package[u->package]; k++)
		if (!t->package[k] && m->packages[k].class == pkg->class)
			return false;
	return true;
}

/* ---- permutations ---- */

struct builder {
	const struct machine *m;
	struct permutations *out;
	uint32_t limit;
	uint16_t *to;
	bool *taken;
};

/* May @unit stand at @image, given where the units before it stand? */
static bool symmetry_fits(const struct builder *b, uint32_t unit, uint32_t image)
{
	const struct unit *u = &b->m->units[unit], *v = &b->m->units[image];

	if (b->taken[image] || b->m->group_class[u->group] != b->m->group_class[v->group] ||
	    b->m->packages[u->package].class != b->m->packages[v->package].class)
		return false;
	for (uint32_t w = 0; w < unit; w++) {
		const struct unit *x = &b->m->units[w], *y = &b->m->units[b->to[w]];

		if ((x->package == u->package) != (y->package == v->package) ||
		    (x->group == u->group) != (y->group == v->group))
			return false;
	}
	return true;
}

static void extend(struct builder *b, uint32_t unit)
{
	uint32_t n = b->m->n_units;

	if (b->out->n == b->limit) {
		b->out->complete = false;
		return;
	}
	if (unit == n) {
		memcpy(b->out->to + (size_t)b->out->n++ * n, b->to, n * sizeof(*b->to));
		return;
	}
	for (uint32_t image = 0; image < n && b->out->complete; image++) {
		if (!symmetry_fits(b, unit, image))
			continue;
		b->to[unit] = (uint16_t)image;
		b->taken[image] = true;
		extend(b, unit + 1);
		b->taken[image] = false;
	}
}

void permutations_init(struct permutations *p, const struct machine *m, uint32_t limit)
{
	struct builder b = {m, p, m->symmetric ? limit : 1, NULL, NULL};

	*p = (struct permutations){mem_new((size_t)limit * m->n_units, sizeof(*p->to)), 0, true};
	b.to = mem_new(m->n_units, sizeof(*b.to));
	b.taken = mem_new(m->n_units, sizeof(*b.taken));
	extend(&b, 0);
	p->complete |= !m->symmetric;
	free(b.to);
	free(b.taken);
}

void permutations_release(struct permutations *p)
{
	free(p->to);
	*p = (struct permutations){0};
}
