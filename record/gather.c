/* SPDX-License-Identifier: MIT */
/*
 * Modules, units and threads of a process.  Entries are copied, so that a
 * field that points outside can be replaced by "none" and everybody behind
 * this file may use them as they are.
 */
#include <stdlib.h>
#include <string.h>

#include "record/parts.h"

static uint64_t count_entries(const struct chunk_list *chunks, uint16_t type)
{
	uint64_t n = 0;

	for (size_t i = 0; i < chunks->n; i++)
		if (chunks->at[i].type == type)
			n += chunks->at[i].used;
	return n;
}

static void gather_modules(struct run_process *p, const struct chunk_list *chunks)
{
	uint64_t n = count_entries(chunks, PRS_CHUNK_MODULE);

	p->modules = mem_new(n + 1, sizeof(*p->modules));
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk_ref *c = &chunks->at[i];

		for (uint64_t k = 0; c->type == PRS_CHUNK_MODULE && k < c->used; k++) {
			struct prs_module *m = &p->modules[p->n_modules++];

			memcpy(m, chunk_entry(p, c, k), sizeof(*m));
			m->path[sizeof(m->path) - 1] = '\0';
			if (m->build_id_bytes > sizeof(m->build_id))
				m->build_id_bytes = sizeof(m->build_id);
		}
	}
}

static bool unit_fits(struct run_process *p, const struct prs_unit *u)
{
	const struct prs_rec_header *h = p->header;

	if (u->module < p->n_modules && u->first_call <= h->n_calls &&
	    u->n_calls <= h->n_calls - u->first_call && u->first_mem <= h->n_mems &&
	    u->n_mems <= h->n_mems - u->first_mem)
		return true;
	process_damage(p, "unit %016llx names a module or sites that the record does not have",
		       (unsigned long long)u->unit_id);
	return false;
}

static void gather_units(struct run_process *p, const struct chunk_list *chunks)
{
	uint64_t n = count_entries(chunks, PRS_CHUNK_UNIT);

	p->unit_entries = mem_new(n + 1, sizeof(*p->unit_entries));
	p->units = mem_new(n + 1, sizeof(*p->units));
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk_ref *c = &chunks->at[i];

		for (uint64_t k = 0; c->type == PRS_CHUNK_UNIT && k < c->used; k++) {
			struct prs_unit *u = &p->unit_entries[p->n_units];

			memcpy(u, chunk_entry(p, c, k), sizeof(*u));
			if (!unit_fits(p, u))
				continue;
			p->units[p->n_units].raw = u;
			p->units[p->n_units++].module = &p->modules[u->module];
		}
	}
}

static void gather_shared(struct run_process *p, const struct chunk_list *chunks)
{
	p->shared = mem_new(count_entries(chunks, PRS_CHUNK_SHARED) + 1, sizeof(*p->shared));
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk_ref *c = &chunks->at[i];

		for (uint64_t k = 0; c->type == PRS_CHUNK_SHARED && k < c->used; k++) {
			struct prs_shared *s = &p->shared[p->n_shared++];

			memcpy(s, chunk_entry(p, c, k), sizeof(*s));
			if (s->site >= p->header->n_calls)
				s->site = PRS_NO_SITE;
		}
	}
}

struct unit_order {
	uint32_t first, index;
};

static int by_first(const void *a, const void *b)
{
	const struct unit_order *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Indices of the units that have sites, ascending by the number of their first. */
static uint32_t *order_units(const struct run_process *p, bool mems, size_t *n)
{
	struct unit_order *order = mem_new(p->n_units + 1, sizeof(*order));
	uint32_t *out = mem_new(p->n_units + 1, sizeof(*out));

	*n = 0;
	for (size_t i = 0; i < p->n_units; i++) {
		const struct prs_unit *u = p->units[i].raw;

		if (!(mems ? u->n_mems : u->n_calls))
			continue;
		order[*n].first = mems ? u->first_mem : u->first_call;
		order[(*n)++].index = (uint32_t)i;
	}
	qsort(order, *n, sizeof(*order), by_first);
	for (size_t i = 0; i < *n; i++)
		out[i] = order[i].index;
	free(order);
	return out;
}

/* Replace what points outside by "none"; true if something did. */
static bool clean_thread(const struct run_process *p, struct prs_thread *t)
{
	bool changed = false;

	if (t->creator != PRS_NO_THREAD && t->creator >= p->n_threads) {
		t->creator = PRS_NO_THREAD;
		changed = true;
	}
	if (t->create_site != PRS_NO_SITE && t->create_site >= p->header->n_calls) {
		t->create_site = PRS_NO_SITE;
		changed = true;
	}
	t->name[sizeof(t->name) - 1] = '\0';
	return changed;
}

/* Threads that were counted but never published get an empty entry, so that indices stay indices. */
static void fill_threads(struct run_process *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		struct prs_thread *t = &p->thread_entries[i];

		if (!p->threads[i].raw) {
			*t = (struct prs_thread){.index = (uint32_t)i,
						 .creator = PRS_NO_THREAD,
						 .create_site = PRS_NO_SITE,
						 .state = PRS_THREAD_FOREIGN};
			p->threads[i].raw = t;
			process_damage(p, "thread %zu is missing", i);
		}
		if (clean_thread(p, t))
			process_damage(p, "thread %zu names a creator or site that is not there", i);
	}
}

static void place_thread(struct run_process *p, const struct prs_thread *t, uint64_t room)
{
	if (t->index >= room || p->threads[t->index].raw) {
		process_damage(p, "a thread entry has the index %u, of %llu", t->index,
			       (unsigned long long)room);
		return;
	}
	p->thread_entries[t->index] = *t;
	p->threads[t->index].raw = &p->thread_entries[t->index];
	if (t->index >= p->n_threads)
		p->n_threads = t->index + 1;
}

static void gather_thread_entries(struct run_process *p, const struct chunk_list *chunks)
{
	uint64_t n = count_entries(chunks, PRS_CHUNK_THREAD);

	p->thread_entries = mem_new(n + 1, sizeof(*p->thread_entries));
	p->threads = mem_new(n + 1, sizeof(*p->threads));
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk_ref *c = &chunks->at[i];

		for (uint64_t k = 0; c->type == PRS_CHUNK_THREAD && k < c->used; k++)
			place_thread(p, chunk_entry(p, c, k), n);
	}
	fill_threads(p);
}

void gather_tables(struct run_process *p, const struct chunk_list *chunks)
{
	gather_modules(p, chunks);
	gather_units(p, chunks);
	gather_shared(p, chunks);
	p->by_call = order_units(p, false, &p->n_by_call);
	p->by_mem = order_units(p, true, &p->n_by_mem);
	gather_thread_entries(p, chunks);
}
