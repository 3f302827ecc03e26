/* SPDX-License-Identifier: MIT */
/*
 * Units of the processes to contributions of the site tables.  Equal objects
 * share a unit id: the n-th unit of a module with an id is tied to the n-th
 * contribution with it, so that the sites of both are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/search.h"
#include "record/parts.h"

/* Contributions of one module by unit id, and what the run made of them. */
struct index {
	struct index_entry {
		uint64_t unit_id;
		uint32_t unit; /* in sites.units */
	} * at;
	size_t n;
	uint32_t *used;   /* per contribution: 1 + process that took it last */
	bool *registered; /* per contribution */
	bool **hit;       /* per contribution, per call slot; NULL: none yet */
};

static int by_unit_id(const void *a, const void *b)
{
	const struct index_entry *x = a, *y = b;

	if (x->unit_id != y->unit_id)
		return x->unit_id < y->unit_id ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void index_build(struct index *ix, const struct sites *s)
{
	ix->n = s->n_units;
	ix->at = mem_new(ix->n + 1, sizeof(*ix->at));
	ix->used = mem_new(ix->n + 1, sizeof(*ix->used));
	ix->registered = mem_new(ix->n + 1, sizeof(*ix->registered));
	ix->hit = mem_new(ix->n + 1, sizeof(*ix->hit));
	for (size_t i = 0; i < ix->n; i++)
		ix->at[i] = (struct index_entry){s->units[i].unit_id, (uint32_t)i};
	qsort(ix->at, ix->n, sizeof(*ix->at), by_unit_id);
}

static void index_release(struct index *ix)
{
	for (size_t i = 0; i < ix->n; i++)
		free(ix->hit[i]);
	free(ix->hit);
	free(ix->registered);
	free(ix->used);
	free(ix->at);
}

/* The contribution for @unit_id that process number @who has not taken yet, else the first; -1: none. */
static long index_take(struct index *ix, uint64_t unit_id, uint32_t who)
{
	size_t lo = search_first(ix->n, i, ix->at[i].unit_id < unit_id);
	long first = -1;

	for (; lo < ix->n && ix->at[lo].unit_id == unit_id; lo++) {
		uint32_t u = ix->at[lo].unit;

		if (first < 0)
			first = u;
		if (ix->used[u] == who)
			continue;
		ix->used[u] = who;
		return u;
	}
	return first;
}

/* The tables of a module: by build id where both have one, else by path. */
static struct run_module *find_tables(const struct run *run, const struct prs_module *m)
{
	char hex[41];

	module_build_id(m, hex);
	for (size_t i = 0; i < run->n_modules; i++) {
		const struct manifest_module *info = run->modules[i].info;
		const char *id = info ? info->build_id : run->modules[i].key;

		if (id && *hex ? !strcmp(id, hex) : info && info->path && !strcmp(info->path, m->path))
			return &run->modules[i];
	}
	return NULL;
}

static void bind_unit(struct run *run, struct index *indices, struct run_process *p, struct run_unit *u,
		      uint32_t who)
{
	struct run_module *tables = p->module_tables[u->raw->module];
	struct index *ix;
	long i;

	if (!tables)
		return;
	u->tables = tables;
	ix = &indices[tables - run->modules];
	i = index_take(ix, u->raw->unit_id, who);
	if (i < 0)
		return;
	if (tables->sites.units[i].n_calls != u->raw->n_calls ||
	    tables->sites.units[i].n_mems != u->raw->n_mems) {
		process_damage(p, "unit %016llx has %u sites, its site table %u",
			       (unsigned long long)u->raw->unit_id, u->raw->n_calls,
			       tables->sites.units[i].n_calls);
		return;
	}
	u->sites = &tables->sites.units[i];
	if (!(u->raw->flags & 2))
		ix->registered[i] = true;
}

static void mark_hit(struct run *run, struct index *indices, const struct run_process *p, uint32_t site)
{
	const struct run_unit *u = process_unit(p, false, site);
	uint32_t local = u ? site - u->raw->first_call : 0;
	struct index *ix;
	size_t i;

	if (!u || !u->sites || local >= u->sites->n_calls)
		return;
	ix = &indices[u->tables - run->modules];
	i = (size_t)(u->sites - u->tables->sites.units);
	if (!ix->hit[i])
		ix->hit[i] = mem_new(u->sites->n_calls, sizeof(bool));
	ix->hit[i][local] = true;
}

static void bind_process(struct run *run, struct index *indices, struct run_process *p, uint32_t who)
{
	p->module_tables = mem_new(p->n_modules + 1, sizeof(*p->module_tables));
	for (size_t i = 0; i < p->n_modules; i++)
		p->module_tables[i] = find_tables(run, &p->modules[i]);
	for (size_t i = 0; i < p->n_units; i++)
		bind_unit(run, indices, p, &p->units[i], who);
	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_calls; k++)
			mark_hit(run, indices, p, p->threads[i].calls[k]->site);
}

static void count_sites(struct run *run, const struct index *indices)
{
	for (size_t m = 0; m < run->n_modules; m++) {
		const struct sites *s = &run->modules[m].sites;

		for (size_t i = 0; i < s->n_units; i++) {
			run->sites_compiled += s->units[i].n_calls;
			if (indices[m].registered[i])
				run->sites_registered += s->units[i].n_calls;
			for (uint32_t k = 0; indices[m].hit[i] && k < s->units[i].n_calls; k++)
				run->sites_hit += indices[m].hit[i][k];
		}
	}
}

void bind_sites(struct run *run)
{
	struct index *indices = mem_new(run->n_modules + 1, sizeof(*indices));

	for (size_t i = 0; i < run->n_modules; i++)
		index_build(&indices[i], &run->modules[i].sites);
	for (size_t i = 0; i < run->n_processes; i++)
		bind_process(run, indices, &run->processes[i], (uint32_t)i + 1);
	count_sites(run, indices);
	for (size_t i = 0; i < run->n_modules; i++)
		index_release(&indices[i]);
	free(indices);
}
