/* SPDX-License-Identifier: MIT */
#include "record/names/left.h"

#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "record/file/sites.h"

/* Calls in which a thread may well end, or others begin. */
static bool ends_thread(const char *callee)
{
	static const char *const names[] = {"exit",         "_exit",          "_Exit", "quick_exit",
					    "pthread_exit", "thrd_exit",      "abort", "__assert_fail",
					    "execve",       "_ZSt9terminatev"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], callee))
			return true;
	return false;
}

static bool never_returns(const struct run_call_site *site)
{
	return site && run_has_flag(site->flags, PRS_CF_NORETURN) && !ends_thread(site->callee);
}

/* "f" and its clone "f.part.0", or two entries of one constructor. */
static bool same_function(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");
	char *x, *y;
	bool same;

	if (n == m && !strncmp(a, b, n))
		return true;
	x = demangle_short(a);
	y = demangle_short(b);
	same = x && y && !strcmp(x, y);
	free(x);
	free(y);
	return same;
}

/*
 * The frames that a throw or jump left, from the inside out, until one is met that
 * goes on: calls of sampled sites are in no list, so each has to be seen to call the next.
 */
struct left {
	const char *function; /* whose frame is gone; NULL: nothing is known of any */
	const char *back;     /* the function that goes on, NULL: none does */
};

static bool same(const char *a, const char *b)
{
	return a && b && same_function(a, b);
}

/* Is the call at @site one that was left?  Goes on to the frame round it. */
static bool is_left(struct left *l, const struct run *run, const struct run_call_site *site)
{
	if (!site)
		return false;
	if (never_returns(site) && !run_function(run, site->callee)) {
		l->function = same(site->function, l->back) ? NULL : site->function;
		return true;
	}
	if (!same(site->callee, l->function)) {
		l->function = NULL;
		return false;
	}
	l->function = same(site->function, l->back) ? NULL : site->function;
	return true;
}

static void drop(struct run_thread *t, const struct rec_open *o)
{
	struct rec_call *r = o->call ? &t->records[o->call - t->records] : NULL;

	if (r && r->open)
		r->open--;
	t->n_left++;
}

/*
 * Did the thread come to its end, the first one with its process, though what it
 * called last did not return?  Then nothing is open.
 */
static bool all_left(const struct run *run, const struct run_process *p, const struct run_thread *t)
{
	const struct run_call_site *last = t->n_open ? run_call_site(p, t->open[t->n_open - 1].site) : NULL;

	return (t->raw->end_tsc || (p->complete && t == p->threads)) && never_returns(last) &&
	       !run_function(run, last->callee);
}

static void look_at(const struct run *run, const struct run_process *p, struct run_thread *t)
{
	size_t n = t->n_open, kept = n;
	struct left l = {0};
	bool all = all_left(run, p, t);

	for (size_t d = n; d-- > 0;) {
		const struct run_call_site *site = run_call_site(p, t->open[d].site);

		/* The last one of a thread that is alive may be a throw that goes on. */
		if (all || (l.back && is_left(&l, run, site))) {
			drop(t, &t->open[d]);
			continue;
		}
		t->open[--kept] = t->open[d];
		l = (struct left){NULL, site ? site->function : NULL};
	}
	if (n)
		memmove(t->open, t->open + kept, (n - kept) * sizeof(*t->open));
	t->n_open = n - kept;
}

/* What is called after a call that was left is recorded below it, though it cannot be. */
static void mend_paths(const struct run *run, const struct run_process *p, struct run_thread *t)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		struct rec_call *c = &t->records[t->calls[i] - t->records];
		const struct run_call_site *site = run_call_site(p, c->site);
		const struct rec_call *up = c->up;
		struct left l = {NULL, site ? site->function : NULL};

		while (up && is_left(&l, run, run_call_site(p, up->site)))
			up = up->up;
		if (up == c->up)
			continue;
		c->up = up;
		c->parent = up ? up->site : PRS_NO_SITE;
	}
}

void left_calls_drop(struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_threads; k++) {
			look_at(run, &run->processes[i], &run->processes[i].threads[k]);
			mend_paths(run, &run->processes[i], &run->processes[i].threads[k]);
		}
}
