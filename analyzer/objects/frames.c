/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/frames.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/names.h"
#include "lib/mem.h"
#include "perseus/abi.h"

#define LINE_BYTES ((uint64_t)1 << PRS_LINE_SHIFT)

/* Enough to name what threads fight for on stacks. */
#define MAX_USES 8192u

void frames_make(struct frames *f, const struct run *run, const struct run_process *p)
{
	*f = (struct frames){.run = run, .p = p};
	f->only = mem_new(p->n_threads + 1, sizeof(*f->only));
	f->asked = mem_new(p->n_threads + 1, sizeof(*f->asked));
}

void frames_release(struct frames *f)
{
	free(f->at);
	free(f->only);
	free(f->asked);
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
		several |= only && !same_variable(only, u->site);
		only = u->site;
	}
	return several ? NULL : only;
}

/* Is @base of a variable that has a symbol? */
static bool is_global(const struct run *run, const char *base)
{
	size_t n = name_root(base);

	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_vars; i++) {
			const struct run_variable *v = &run->modules[m].sites.vars[i];
			char *name = name_of_symbol(run, v->name, NULL);
			bool same = !strncmp(name_stem(name), base, n) && !name_stem(name)[n];

			free(name);
			if (same)
				return true;
		}
	return false;
}

/* The function that a thread begins in, as the tables call it; NULL: not known. */
static const char *start_function(const struct frames *f, uint32_t thread)
{
	uint64_t offset = 0, start = f->p->threads[thread].raw->start_routine;
	const struct run_symbol *sym = thread ? run_symbol(f->run, f->p, start, &offset) : NULL;

	if (!thread)
		return "main";
	return sym && !offset ? sym->name : NULL;
}

/*
 * Threads use a variable through pointers, and its own function never came
 * back to it: if that function has one variable only that lies in memory,
 * that is the one.
 */
static const struct run_mem_site *only_variable(struct frames *f, uint32_t thread)
{
	const char *function = start_function(f, thread);
	const struct run_mem_site *found = NULL;
	bool several = false;

	if (f->asked[thread])
		return f->only[thread];
	f->asked[thread] = true;
	for (size_t u = 0; function && u < f->p->n_units; u++) {
		const struct sites_unit *su = f->p->units[u].sites;

		for (uint32_t i = 0; su && i < su->n_mems; i++) {
			const struct run_mem_site *site = &su->mems[i];

			if (strcmp(site->function, function) || !name_is_direct(site->base) ||
			    (found && same_variable(found, site)) || is_global(f->run, site->base))
				continue;
			several |= found != NULL;
			found = site;
		}
	}
	f->only[thread] = several ? NULL : found;
	return f->only[thread];
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

bool frames_find(struct frames *f, uint32_t thread, uint64_t address, struct frame_variable *out)
{
	const struct run_mem_site *site = seen_at(f, address);

	*out = (struct frame_variable){.only = !site};
	if (!site)
		site = only_variable(f, thread);
	if (!site)
		return false;
	out->base = base_of(f, address & ~(LINE_BYTES - 1), site);
	if (out->base > address)
		out->base = 0;
	out->site = ident(f, site);
	return true;
}
