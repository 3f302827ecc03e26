/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/frames.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/names.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "perseus/abi.h"

#define LINE_BYTES ((uint64_t)1 << PRS_LINE_SHIFT)

/* Enough to name what threads fight for on stacks. */
#define MAX_USES 8192u

void frames_make(struct frames *f, const struct run *run, const struct run_process *p)
{
	*f = (struct frames){.run = run, .p = p};
	for (size_t u = 0; u < p->n_units; u++) {
		const struct sites_unit *su = p->units[u].sites;

		for (uint32_t i = 0; su && i < su->n_calls; i++)
			if (run_site_is_frame(&su->calls[i]))
				vec_push(&f->notes, &su->calls[i]);
	}
}

void frames_release(struct frames *f)
{
	free(f->at);
	vec_release(&f->notes);
	*f = (struct frames){0};
}

enum frame_memory frames_thread(const struct run_process *p, uint64_t address, uint32_t *thread)
{
	for (uint32_t i = 0; i < p->n_threads; i++) {
		const struct prs_thread *t = p->threads[i].raw;
		bool stack = t->stack_low && address >= t->stack_low && address < t->stack_high;
		bool inside = t->pthread_id >= t->stack_low && t->pthread_id < t->stack_high;

		*thread = i;
		if (stack)
			return inside && address >= t->pthread_id ? FRAME_TLS : FRAME_STACK;
		/* Main's thread-local data lies outside its stack, right below its pthread_t. */
		if (!inside && t->pthread_id > 65536 && address < t->pthread_id + 4096 &&
		    address >= t->pthread_id - 65536)
			return FRAME_TLS;
	}
	return FRAME_NONE;
}

static bool same_variable(const struct run_mem_site *x, const struct run_mem_site *y)
{
	size_t n = name_root(x->base);

	return n == name_root(y->base) && !strncmp(x->base, y->base, n) && !strcmp(x->function, y->function);
}

void frames_learn(struct frames *f, uint64_t line, const struct run_mem_site *site, uint64_t mask)
{
	struct frame_use u = {line, mask, site && name_is_direct(site->base) ? site : NULL};
	uint32_t thread;

	if ((!u.site && !mask) || f->n == MAX_USES || frames_thread(f->p, line, &thread) != FRAME_STACK)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].line == line && f->at[i].site == u.site && f->at[i].mask == mask)
			return;
	f->at = mem_resize(f->at, f->n + 1, sizeof(*f->at));
	f->at[f->n++] = u;
}

/* The first access to the same variable, wherever it lay. */
static const struct run_mem_site *ident(const struct frames *f, const struct run_mem_site *site)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].site && same_variable(f->at[i].site, site))
			return f->at[i].site;
	return site;
}

/* Is there a note of where the variable lies? */
static bool noted(const struct frames *f, const struct run_mem_site *site)
{
	size_t n = name_root(site->base);

	for (size_t i = 0; i < f->notes.n; i++) {
		const struct run_call_site *c = f->notes.at[i];

		if (!strncmp(c->callee, site->base, n) && !c->callee[n] &&
		    !strcmp(c->function, site->function))
			return true;
	}
	return false;
}

/* True if the field of the access is all that stands behind the variable's name: its type is the variable's. */
static bool whole_type(const struct run_mem_site *site)
{
	size_t n = name_root(site->base);

	return site->base[n] == '.' && !strcmp(site->base + n + 1, site->field);
}

/*
 * Where a variable of known type begins: where the field that an access names
 * says, else where the bytes of the line that were used begin, if they are as
 * many as the type has.
 */
static uint64_t base_of(const struct frames *f, uint64_t line, const struct run_mem_site *site)
{
	const struct run_type *type = whole_type(site) ? run_type(f->run, site->type) : NULL;
	uint64_t all = 0;

	for (size_t i = 0; type && i < f->n; i++) {
		const struct frame_use *u = &f->at[i];
		uint64_t first = u->mask ? (uint64_t)__builtin_ctzll(u->mask) : 0;

		if (u->line != line || !u->mask)
			continue;
		all |= u->mask;
		if (u->site && same_variable(u->site, site) && whole_type(u->site) &&
		    !strchr(u->site->base, '[') && line + first >= u->site->offset &&
		    (first || !(u->mask >> 63)))
			return line + first - u->site->offset;
	}
	/* A type of a whole line is one that was aligned to lines. */
	if (type && type->bytes == LINE_BYTES)
		return line;
	if (!all || 64 - (uint64_t)__builtin_clzll(all) - (uint64_t)__builtin_ctzll(all) != type->bytes)
		return 0;
	return line + (uint64_t)__builtin_ctzll(all);
}

/*
 * May the variable that @u accessed go on as far as @address?  Where its own note was
 * made, that says where it is; a scalar has the bytes that were used, a struct as many
 * as its type.
 */
static bool may_reach(const struct frames *f, const struct frame_use *u, uint64_t address)
{
	const struct run_type *type = whole_type(u->site) ? run_type(f->run, u->site->type) : NULL;
	uint64_t base = type && !strchr(u->site->base, '[') ? base_of(f, u->line, u->site) : 0;

	if (!u->site->base[name_root(u->site->base)] || noted(f, u->site))
		return false;
	return !base || address - base < type->bytes;
}

static const struct run_mem_site *seen_at(const struct frames *f, uint64_t address)
{
	uint64_t line = address & ~(LINE_BYTES - 1), bit = (uint64_t)1 << (address % LINE_BYTES);
	const struct run_mem_site *only = NULL;
	bool several = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct frame_use *u = &f->at[i];

		if (u->line != line || !u->site)
			continue;
		if (u->mask & bit)
			return u->site;
		if (!may_reach(f, u, address))
			continue;
		several |= only && !same_variable(only, u->site);
		only = u->site;
	}
	return several ? NULL : only;
}

bool frames_find(const struct frames *f, uint64_t address, struct frame_variable *out)
{
	const struct run_mem_site *site = seen_at(f, address);

	if (!site)
		return false;
	out->base = base_of(f, address & ~(LINE_BYTES - 1), site);
	if (out->base > address)
		out->base = 0;
	out->site = ident(f, site);
	return true;
}
