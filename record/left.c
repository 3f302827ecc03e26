/* SPDX-License-Identifier: MIT */
#include "record/left.h"

#include <stdlib.h>
#include <string.h>

#include "lib/demangle.h"

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

/* Can a call at @inner be made while that at @outer is open? */
static bool inside(const struct run *run, const struct run_call_site *outer,
		   const struct run_call_site *inner)
{
	if (!outer || !inner)
		return true;
	if (run_function(run, outer->callee))
		return same_function(outer->callee, inner->function);
	/* A function without probes may call back, but throws and jumps do not. */
	return !never_returns(outer);
}

/* The thread came to its end, the first with its process, and its last open call is none in which threads end. */
static bool all_left(const struct run *run, const struct run_process *p, const struct run_thread *t,
		     const struct run_call_site *last)
{
	bool ended = t->raw->end_tsc || (p->complete && t == p->threads);

	return last && ended && !ends_thread(last->callee) &&
	       (never_returns(last) || run_function(run, last->callee));
}

static void drop(struct run_thread *t, const struct rec_open *o)
{
	struct rec_call *r = o->call ? &t->records[o->call - t->records] : NULL;

	if (r && r->open)
		r->open--;
	t->n_left++;
}

static void look_at(const struct run *run, const struct run_process *p, struct run_thread *t)
{
	const struct run_call_site *inner = NULL;
	size_t n = t->n_open, kept = n;
	bool all = n && all_left(run, p, t, run_call_site(p, t->open[n - 1].site));

	for (size_t d = n; d-- > 0;) {
		const struct run_call_site *site = run_call_site(p, t->open[d].site);

		if (all || (inner && !inside(run, site, inner))) {
			drop(t, &t->open[d]);
			continue;
		}
		t->open[--kept] = t->open[d];
		inner = site;
	}
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

		while (up && !inside(run, run_call_site(p, up->site), site))
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
		for (size_t k = 0; k < run->processes[i].n_threads; k++)
			look_at(run, &run->processes[i], &run->processes[i].threads[k]);
	for (size_t i = 0; i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_threads; k++)
			mend_paths(run, &run->processes[i], &run->processes[i].threads[k]);
}
