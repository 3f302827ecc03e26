/* SPDX-License-Identifier: MIT */
#include "cmd/base/print.h"
#include "cmd/plan/watch.h"
#include "lib/spawn/child.h"

#include <stdio.h>
#include <unistd.h>

#define FIRST_NS 1000000000u /* a search that is over sooner shows nothing */
#define EVERY_NS 500000000u

static double seconds(uint64_t from, uint64_t to)
{
	return (double)(to - from) / 1e9;
}

/* The signals are blocked meanwhile, in all threads, and show up as pending. */
static bool interrupted(void *ctx)
{
	sigset_t pending;

	(void)ctx;
	return !sigpending(&pending) && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM));
}

/* What a design saves, percent of the baseline's figure. */
static double saved(const struct outcome *o, const struct cost *c)
{
	double base = (double)cost_primary(&o->base_ev.total, &o->goal);

	return base > 0 ? 100 * (1 - (double)cost_primary(c, &o->goal) / base) : 0;
}

static void watch_show(struct plan_watch *w, const struct progress *at, uint64_t now)
{
	double rate = (double)at->evaluations / seconds(w->begin_ns, now);

	cmd_again(stderr);
	cmd_say(stderr, "%.0f s  best -%.2f %%", seconds(w->begin_ns, now), saved(at->out, &at->now));
	if (cost_primary(&at->out->bound, &at->out->goal))
		cmd_say(stderr, ", bound -%.2f %%, gap %.2f", saved(at->out, &at->out->bound),
			saved(at->out, &at->out->bound) - saved(at->out, &at->now));
	cmd_say(stderr, "; %.0f k/s", rate / 1e3);
	if (at->done_permille)
		cmd_say(stderr, ", at most %.0f s more",
			seconds(w->islands_ns, now) * (1000.0 / at->done_permille - 1));
	cmd_put(stderr, " (Ctrl-C: keep it)");
	w->shown_ns = now;
	w->is_shown = true;
}

static void progress(void *ctx, const struct progress *at)
{
	struct plan_watch *w = ctx;
	uint64_t now = child_clock_ns();

	if (!at->done_permille)
		w->islands_ns = now;
	plan_page_progress(w->page, at);
	if (w->terminal && now - w->begin_ns >= FIRST_NS && now - w->shown_ns >= EVERY_NS)
		watch_show(w, at, now);
}

void plan_watch_begin(struct plan_watch *w, struct planner_options *opts, struct plan_page *page)
{
	*w = (struct plan_watch){.terminal = isatty(STDERR_FILENO), .page = page};
	w->begin_ns = child_clock_ns();
	sigemptyset(&w->set);
	sigaddset(&w->set, SIGINT);
	sigaddset(&w->set, SIGTERM);
	sigprocmask(SIG_BLOCK, &w->set, &w->old);
	opts->stop = interrupted;
	opts->progress = w->terminal || page->live.path ? progress : NULL;
	opts->ctx = w;
}

void plan_watch_end(struct plan_watch *w)
{
	const struct timespec none = {0, 0};

	if (w->is_shown)
		cmd_again(stderr);
	while (sigtimedwait(&w->set, NULL, &none) > 0)
		;
	sigprocmask(SIG_SETMASK, &w->old, NULL);
}
