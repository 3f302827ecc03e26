/* SPDX-License-Identifier: MIT */
#include "cmd/plan/page.h"

#include <stdlib.h>
#include <unistd.h>

#include "cmd/plan/options.h"
#include "lib/fs.h"
#include "lib/spawn/child.h"
#include "planner/page/search-page.h"

#define EVERY_NS 1000000000u

/* The search as it stands now. */
static struct search_page state_of(const struct plan_page *w, const char *word)
{
	return (struct search_page){.state = word,
				    .command = w->command,
				    .live = fs_base_name(w->live),
				    .seconds = (double)(child_clock_ns() - w->begin_ns) / 1e9,
				    .log = w->log->text.s};
}

static int plan_page_write_page(const struct plan_page *w, const struct search_page *s, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	search_page(s, &sb);
	ret = fs_write(w->path, sb.s, sb.len, err);
	strbuf_release(&sb);
	return ret;
}

static int write_live(const struct plan_page *w, const struct search_page *s, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	search_page_live(s, &sb);
	ret = fs_write(w->live, sb.s, sb.len, err);
	strbuf_release(&sb);
	return ret;
}

int plan_page_begin(struct plan_page *w, const struct plan_options *o, const struct convergence *log,
		    struct err *err)
{
	struct strbuf command = STRBUF_INIT, live = STRBUF_INIT;
	struct search_page s;
	int ret;

	strbuf_puts(&command, "perseus");
	for (int i = 0; i < o->argc; i++) {
		strbuf_puts(&command, " ");
		strbuf_word(&command, o->argv[i]);
	}
	strbuf_printf(&live, "%s.live.js", o->watch);
	*w = (struct plan_page){.path = o->watch,
				.live = strbuf_detach(&live),
				.command = strbuf_detach(&command),
				.log = log};
	w->begin_ns = child_clock_ns();
	s = state_of(w, "searching");
	ret = write_live(w, &s, err);
	return ret ? ret : plan_page_write_page(w, &s, err);
}

void plan_page_progress(struct plan_page *w, const struct progress *at)
{
	struct err ignored = ERR_INIT; /* the search goes on; its end says what cannot be written */
	uint64_t now = child_clock_ns();
	struct search_page s;

	if (!w->path || now - w->written_ns < EVERY_NS)
		return;
	w->written_ns = now;
	s = state_of(w, "searching");
	s.out = at->out;
	s.now = at->now;
	s.evaluations = at->evaluations;
	write_live(w, &s, &ignored);
}

int plan_page_end(struct plan_page *w, const struct outcome *out, const struct plan *plan, struct err *err)
{
	struct search_page s = state_of(w, !out ? "failed" : out->stopped ? "stopped" : "done");
	struct err ignored = ERR_INIT;
	int ret;

	s.out = out;
	s.plan = plan;
	if (out) {
		s.now = out->best_ev.total;
		s.evaluations = out->evaluations;
	}
	write_live(w, &s, &ignored); /* for a page that is open */
	s.live = NULL;
	ret = plan_page_write_page(w, &s, err);
	return ret;
}

void plan_page_release(struct plan_page *w)
{
	free(w->live);
	free(w->command);
	*w = (struct plan_page){.path = NULL};
}
