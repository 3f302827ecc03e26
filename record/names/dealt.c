/* SPDX-License-Identifier: MIT */
/*
 * A function that is called N times comes N times to a call in it that it makes each
 * time.  Nobody tells which of its calls that is; but if one for each callee of an
 * indirect call can be chosen so that all of them add up to the count of that call, to
 * the last one, they are it.
 */
#include "record/names/dealt.h"

#include <math.h>
#include <string.h>

#define CALLEES_MAX 6
#define CHOICES_MAX 8
#define CALLS_LEAST 64  /* fewer may add up by chance */
#define BURST       8.0 /* samples that follow each other say as much as one */
#define SIGMAS      4.0
#define RANGE       2.0 /* of these, for the interval that is told: 19 of 20 */

/* One callee of an indirect call in one thread. */
struct callee {
	uint64_t address;
	uint64_t calls, timed; /* as dealt */
	uint64_t choice[CHOICES_MAX], taken;
	size_t n;
};

/* The records [from, to) of one thread are those of an indirect call site. */
struct group {
	const struct run_process *p;
	struct run_thread *t;
	size_t from, to;
	struct callee at[CALLEES_MAX];
	size_t n;
	uint64_t calls, timed;
	unsigned found; /* ways to choose */
};

static const char *callee_name(const struct run_process *p, uint64_t address)
{
	const struct run_symbol *sym = run_symbol(NULL, p, address, NULL);

	return sym ? sym->name : NULL;
}

/* The site is in the code of the function: the outermost of its inline chain. */
static bool is_inside(const struct run_call_site *site, const char *function)
{
	const char *colon = strcmp(site->chain, "-") ? strchr(site->chain, ':') : NULL;
	size_t len = strlen(function);

	if (colon)
		return (size_t)(colon - site->chain) == len && !strncmp(site->chain, function, len);
	return !strcmp(site->function, function);
}

static size_t site_end(const struct run_thread *t, size_t from)
{
	size_t to = from;

	while (to < t->n_calls && t->calls[to]->site == t->calls[from]->site)
		to++;
	return to;
}

/* Calls of @c from elsewhere; false: some of them are dealt themselves. */
static bool direct_calls(const struct group *g, const struct callee *c, const char *name, uint64_t *calls)
{
	*calls = 0;
	for (size_t i = 0; i < g->t->n_calls; i++) {
		const struct rec_call *r = g->t->calls[i];
		const struct run_call_site *site = run_call_site(g->p, r->site);

		if (i >= g->from && i < g->to)
			continue;
		if (r->callee == c->address)
			return false;
		if (site && !r->callee && !strcmp(site->callee, name))
			*calls += g->t->totals[i];
	}
	return true;
}

/* As far from what the samples say as chance may bring it. */
static bool is_likely(const struct group *g, const struct callee *c, uint64_t calls)
{
	double part = (double)c->calls / (double)g->calls, off = fabs((double)calls - (double)c->calls);
	double n = (double)g->timed / BURST;

	return calls >= c->timed &&
	       off <= SIGMAS * (double)g->calls * sqrt(part * (1 - part) / (n > 1 ? n : 1)) + BURST;
}

static void add_choice(const struct group *g, struct callee *c, uint64_t calls)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->choice[i] == calls)
			return;
	if (c->n < CHOICES_MAX && is_likely(g, c, calls))
		c->choice[c->n++] = calls;
}

/* How often the callee may have been called from here, as its own call sites have it. */
static void find_choices(const struct group *g, struct callee *c)
{
	const char *name = callee_name(g->p, c->address);
	uint64_t direct;

	if (!name || !direct_calls(g, c, name, &direct))
		return;
	for (size_t from = 0, to; from < g->t->n_calls; from = to) {
		const struct run_call_site *site = run_call_site(g->p, g->t->calls[from]->site);
		uint64_t calls = 0;

		to = site_end(g->t, from);
		if (!site || !is_inside(site, name))
			continue;
		for (size_t i = from; i < to; i++)
			calls += g->t->totals[i];
		if (calls > direct)
			add_choice(g, c, calls - direct);
	}
}

/* Try all choices of callees from @k on; @rest: calls that are left for them. */
static void choose(struct group *g, size_t k, uint64_t rest, uint64_t now[CALLEES_MAX])
{
	if (k == g->n) {
		g->found += !rest;
		for (size_t i = 0; !rest && i < k; i++)
			g->at[i].taken = now[i];
		return;
	}
	for (size_t i = 0; i < g->at[k].n; i++) {
		now[k] = g->at[k].choice[i];
		if (now[k] <= rest)
			choose(g, k + 1, rest - now[k], now);
	}
}

/* The callee's records have their timed calls, and of the others as many as before, in proportion. */
static void deal(struct group *g, const struct callee *c)
{
	uint64_t old = c->calls - c->timed, new = c->taken - c->timed, left = new;
	size_t first = g->to;

	for (size_t i = g->from; i < g->to; i++) {
		const struct rec_call *r = g->t->calls[i];
		uint64_t part;

		if (r->callee != c->address)
			continue;
		first = first == g->to ? i : first;
		part = old ? (uint64_t)((double)(g->t->totals[i] - r->timed) / (double)old * (double)new) : 0;
		part = part < left ? part : left;
		g->t->totals[i] = r->timed + part;
		left -= part;
		g->t->records[r - g->t->records].dealt = false;
	}
	g->t->totals[first] += left;
}

static struct callee *callee_of(struct group *g, uint64_t address)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->at[i].address == address)
			return &g->at[i];
	if (g->n == CALLEES_MAX)
		return NULL;
	g->at[g->n] = (struct callee){.address = address};
	return &g->at[g->n++];
}

/* The callees of the records [from, to); false: it is no sampled indirect call, or has too many. */
static bool find_callees(struct group *g)
{
	bool sampled = false;

	for (size_t i = g->from; i < g->to; i++) {
		const struct rec_call *r = g->t->calls[i];
		struct callee *c = r->callee ? callee_of(g, r->callee) : NULL;

		if (!c || g->t->totals[i] < r->timed)
			return false;
		c->calls += g->t->totals[i];
		c->timed += r->timed;
		g->calls += g->t->totals[i];
		g->timed += r->timed;
		sampled |= g->t->totals[i] > r->timed + r->open;
	}
	return sampled;
}

/* How few and how many of all @n samples' calls those may be of which @part were seen: Wilson's interval. */
static void interval(double part, double n, double *low, double *high)
{
	double z = RANGE * RANGE / n, middle = part + z / 2, off = sqrt(z * (part * (1 - part) + z / 4));

	*low = (middle - off) / (1 + z);
	*high = (middle + off) / (1 + z);
}

/* By what factors the calls of a callee may be fewer and more than were dealt to it. */
static void set_range(struct group *g, size_t i)
{
	const struct rec_call *r = g->t->calls[i];
	struct rec_call *own = &g->t->records[r - g->t->records];
	double calls = 0, all = 0, timed = 0, seen = 0, low, high;

	for (size_t k = g->from; k < g->to; k++) {
		bool same = g->t->calls[k]->callee == r->callee;

		all += (double)g->t->totals[k];
		timed += (double)g->t->calls[k]->timed;
		calls += same ? (double)g->t->totals[k] : 0;
		seen += same ? (double)g->t->calls[k]->timed : 0;
	}
	own->dealt = r->callee;
	own->fewer = own->more = 1;
	if (!own->dealt || calls <= 0 || timed <= 0)
		return;
	interval(calls / all, timed > BURST ? timed / BURST : 1, &low, &high);
	low = low * all > seen ? low * all : seen;
	high = high * all < all - (timed - seen) ? high * all : all - (timed - seen);
	own->fewer = low < calls ? low / calls : 1;
	own->more = high > calls ? high / calls : 1;
}

static void settle(struct group *g)
{
	uint64_t now[CALLEES_MAX];

	for (size_t i = g->from; i < g->to; i++)
		set_range(g, i);
	if (!find_callees(g) || g->calls < CALLS_LEAST)
		return;
	for (size_t i = 0; i < g->n; i++)
		find_choices(g, &g->at[i]);
	choose(g, 0, g->calls, now);
	if (g->found != 1)
		return;
	for (size_t i = 0; i < g->n; i++)
		deal(g, &g->at[i]);
}

void dealt_calls_settle(struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_threads; k++) {
			struct run_thread *t = &run->processes[i].threads[k];

			for (size_t from = 0, to; from < t->n_calls; from = to) {
				struct group g = {.p = &run->processes[i], .t = t, .from = from};

				g.to = to = site_end(t, from);
				settle(&g);
			}
		}
}
