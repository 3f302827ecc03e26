/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/vectors.h"

#include <string.h>

#include "perseus/abi.h"

/* What a pointer shows without an index may well be a struct: only whole vectors are taken for such. */
#define VECTOR_BYTES 16u

static bool is_element(const struct run_mem_site *s)
{
	return strstr(s->base, "[]") || strchr(s->base, '*');
}

/* Elements of one array from one function; part of a vector may bear the array's name without an index. */
static bool one_array(const struct run_mem_site *load, const struct run_mem_site *element)
{
	size_t n = strlen(load->base);

	return is_element(element) && !strncmp(load->base, element->base, n) &&
	       (!element->base[n] || !strcmp(element->base + n, "[]")) &&
	       !strcmp(load->function, element->function) && !strcmp(load->unit, element->unit);
}

/* Does the load take in several elements of those that the other stores? */
static bool spans(const struct run_mem_site *load, const struct run_mem_site *store)
{
	return load->kind == PRS_KIND_LOAD && store->kind != PRS_KIND_LOAD && store->bytes &&
	       load->bytes >= 2 * store->bytes && one_array(load, store) &&
	       (strstr(store->base, "[]") || load->bytes >= VECTOR_BYTES);
}

/* What the site table says of the array that a vector load is of. */
enum need {
	NEED_ALL,     /* its function stores no single elements of it: nothing speaks against it */
	NEED_UNKNOWN, /* it stores some */
	NEED_OWN,     /* the scalar remainder of the loop loads those that it stores, and no others */
};

static enum need need_of(const struct sites_unit *s, const struct run_mem_site *load)
{
	bool stores = false, own = false, others = false;

	for (uint32_t i = 0; i < s->n_mems; i++) {
		const struct run_mem_site *m = &s->mems[i];

		if (!one_array(load, m))
			continue;
		stores |= spans(load, m);
		others |= m->kind == PRS_KIND_LOAD && m->bytes < load->bytes;
		own |= m->kind == PRS_KIND_RMW && spans(load, m) && m->line == load->line &&
		       !strcmp(m->file, load->file);
	}
	return !stores ? NEED_ALL : own && !others ? NEED_OWN : NEED_UNKNOWN;
}

static enum need need(const struct run_process *p, const struct run_mem_site *load)
{
	for (size_t i = 0; i < p->n_units; i++) {
		const struct sites_unit *s = p->units[i].sites;

		if (s && s->n_mems && load >= s->mems && load < s->mems + s->n_mems)
			return need_of(s, load);
	}
	return NEED_ALL;
}

/* What the thread of the load stores of the array, as far as it is seen, and what other threads store. */
static void stored(const struct line_use *u, size_t n, const struct line_use *load, uint64_t *own,
		   uint64_t *others)
{
	*own = *others = 0;
	for (size_t i = 0; i < n; i++)
		if (u[i].thread != load->thread)
			*others |= u[i].written;
		else if (u[i].site && spans(load->site, u[i].site))
			*own |= u[i].written;
}

void vectors_narrow(struct line_use *u, size_t n, const struct run_process *p)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t own, others;
		enum need what;

		if (!u[i].site || u[i].site->kind != PRS_KIND_LOAD || !u[i].read)
			continue;
		what = need(p, u[i].site);
		if (what == NEED_ALL)
			continue;
		stored(u, n, &u[i], &own, &others);
		if (what == NEED_UNKNOWN)
			u[i].beside = u[i].read & ~own;
		else
			u[i].read &= own & u[i].read ? own : ~others;
	}
}
