/* SPDX-License-Identifier: MIT */
/*
 * The runtime keeps paths of fully timed calls only; what a sampled call does
 * hangs at the nearest fully timed one round it, beside the sampled call
 * itself:
 *
 *      recorded                        really
 *      run   every call timed          run
 *        step  sampled                   step
 *        get   sampled                     get
 *
 * But a call site lies in a known function.  So a record whose site is not in
 * the function that its path ends in was called from the record beside it that
 * calls the site's function.
 */
#include "report/time/callers.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"

/* A sampled record as a caller of others. */
struct sampled {
	const struct rec_call *up;
	const char *callee; /* assembler name */
	size_t len;
	uint64_t calls;
	uint32_t index; /* in thread->calls */
};

static const char *callee_of(const struct run_process *p, const struct rec_call *c)
{
	const struct run_call_site *site = run_call_site(p, c->site);
	const struct run_symbol *sym = c->callee ? run_symbol(NULL, p, c->callee, NULL) : NULL;

	if (sym)
		return sym->name;
	return site && !c->callee ? site->callee : NULL;
}

/* The function whose code the site is in: the outermost of its inline chain. */
static const char *holder_of(const struct run_process *p, const struct rec_call *c, size_t *len)
{
	const struct run_call_site *site = run_call_site(p, c->site);
	const char *colon;

	if (!site)
		return NULL;
	colon = strcmp(site->chain, "-") ? strchr(site->chain, ':') : NULL;
	*len = colon ? (size_t)(colon - site->chain) : strlen(site->function);
	return colon ? site->chain : site->function;
}

static int callers_compare(const struct sampled *s, const struct rec_call *up, const char *name, size_t len)
{
	int order;

	if (s->up != up)
		return (uintptr_t)s->up < (uintptr_t)up ? -1 : 1;
	order = memcmp(s->callee, name, s->len < len ? s->len : len);
	return order ? order : (s->len > len) - (s->len < len);
}

static int by_path(const void *a, const void *b)
{
	const struct sampled *x = a, *y = b;
	int order = callers_compare(x, y->up, y->callee, y->len);

	if (order)
		return order;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct sampled *list_sampled(const struct run_process *p, const struct run_thread *t, size_t *n)
{
	struct sampled *list = mem_new(t->n_calls + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct rec_call *c = t->calls[i];
		const char *callee = t->totals[i] > c->timed + c->open ? callee_of(p, c) : NULL;

		if (callee)
			list[(*n)++] = (struct sampled){.up = c->up,
							.callee = callee,
							.len = strlen(callee),
							.calls = t->totals[i],
							.index = (uint32_t)i};
	}
	qsort(list, *n, sizeof(*list), by_path);
	return list;
}

/* The sampled record below @up that calls the function @name most often, CALLER_NONE: none does. */
static uint32_t beside(const struct sampled *list, size_t n, const struct rec_call *up, const char *name,
		       size_t len)
{
	size_t lo = search_first(n, i, callers_compare(&list[i], up, name, len) < 0);

	return lo < n && !callers_compare(&list[lo], up, name, len) ? list[lo].index : CALLER_NONE;
}

/* True if @i is @from or one of its callers. */
static bool leads_to(const uint32_t *callers, uint32_t from, uint32_t i)
{
	for (; from != CALLER_NONE; from = callers[from])
		if (from == i)
			return true;
	return false;
}

/* True if the code of @name, of @len characters, is what @up calls. */
static bool calls(const struct run_process *p, const struct rec_call *up, const char *name, size_t len)
{
	const char *callee = up ? callee_of(p, up) : NULL;

	return callee && strlen(callee) == len && !memcmp(callee, name, len);
}

uint32_t *callers_find(const struct run_process *p, const struct run_thread *t, const uint32_t *rank)
{
	uint32_t *callers = mem_new(t->n_calls + 1, sizeof(*callers));
	struct sampled *list;
	size_t n;

	for (size_t i = 0; i < t->n_calls; i++)
		callers[i] = t->calls[i]->up ? rank[t->calls[i]->up - t->records] : CALLER_NONE;
	list = list_sampled(p, t, &n);
	for (size_t i = 0; n && i < t->n_calls; i++) {
		const struct rec_call *c = t->calls[i];
		size_t len = 0;
		const char *holder = holder_of(p, c, &len);
		uint32_t caller;

		if (!holder || calls(p, c->up, holder, len))
			continue;
		caller = beside(list, n, c->up, holder, len);
		if (caller != CALLER_NONE && !leads_to(callers, caller, (uint32_t)i))
			callers[i] = caller;
	}
	free(list);
	return callers;
}
