/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/callers.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

/* Functions of the library on the way; behind more nobody is looked for. */
#define WAY_MAX 64
/* How many times the accesses may have been counted too high. */
#define TOO_HIGH 4

struct way {
	const struct run *run;
	const struct run_process *p;
	char *functions[WAY_MAX];
	size_t n;
	bool more; /* there are functions that found no room */
};

/* A place that leads there. */
struct caller {
	struct run_place place;
	uint64_t calls;
};

struct callers {
	struct caller *at;
	size_t n;
	size_t cap;
};

/* The constructors, or destructors, of one class: "C1", of a whole object, is "C2", of a base, by another name. */
static bool same_function(const char *x, const char *y)
{
	char last = '\0';

	for (;
	     *x && (*x == *y || ((last == 'C' || last == 'D') && strchr("12", *x) && *y && strchr("12", *y)));
	     x++, y++)
		last = *x;
	return *x == *y;
}

static bool on_way(const struct way *w, const char *function)
{
	for (size_t i = 0; i < w->n; i++)
		if (same_function(w->functions[i], function))
			return true;
	return false;
}

static void add_function(struct way *w, const char *function)
{
	if (on_way(w, function))
		return;
	if (w->n == WAY_MAX)
		w->more = true;
	else
		w->functions[w->n++] = mem_strdup(function);
}

static void add_caller(struct callers *c, const struct run_place *place, uint64_t calls)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].place.line == place->line && !strcmp(c->at[i].place.function, place->function)) {
			c->at[i].calls += calls;
			return;
		}
	vec_push(c, ((struct caller){*place, calls}));
}

/* Calls of function @number on the way: from the program, or from another function of the library. */
static void look_at_calls(struct way *w, const struct run_thread *t, size_t number, struct callers *c)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct run_call_site *site = run_call_site(w->p, t->calls[i]->site);
		struct run_place place;

		if (!site || !same_function(site->callee, w->functions[number]))
			continue;
		run_site_place(w->run, site, &place);
		if (!run_is_library(w->run, place.function)) {
			add_caller(c, &place, t->totals[i]);
		} else {
			run_outermost(site->chain, site->function, place.function, sizeof(place.function));
			add_function(w, place.function);
		}
	}
}

/* The one that calls most, where no other calls often enough; NULL: one does, or there is none. */
static const struct caller *only(const struct callers *c, double accesses)
{
	const struct caller *most = c->n ? &c->at[0] : NULL;
	double enough;

	for (size_t i = 1; i < c->n; i++)
		if (c->at[i].calls > most->calls)
			most = &c->at[i];
	/* So many accesses as were counted are of no more calls than there were. */
	enough = most && (double)most->calls < accesses ? (double)most->calls : accesses;
	for (size_t i = 0; i < c->n; i++)
		if (&c->at[i] != most && TOO_HIGH * (double)c->at[i].calls >= enough)
			return NULL;
	return most;
}

bool callers_place(const struct run *run, const struct run_process *p, const struct run_thread *t,
		   const char *function, double accesses, struct run_place *place)
{
	struct way w = {.run = run, .p = p};
	struct callers c = {0};
	const struct caller *one;

	add_function(&w, function);
	for (size_t i = 0; i < w.n; i++)
		look_at_calls(&w, t, i, &c);
	one = w.more ? NULL : only(&c, accesses);
	if (one)
		*place = one->place;
	for (size_t i = 0; i < w.n; i++)
		free(w.functions[i]);
	vec_release(&c);
	return one != NULL;
}
