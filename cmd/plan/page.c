/* SPDX-License-Identifier: MIT */
#include "cmd/plan/page.h"

#include "cmd/plan/options.h"
#include "lib/fs.h"
#include "planner/page/search-page.h"

/* The search as it stands now. */
static struct search_page state_of(const struct plan_page *w, const char *word)
{
	return (struct search_page){.state = word,
				    .command = w->live.command,
				    .live = fs_base_name(w->live.script),
				    .seconds = html_live_seconds(&w->live),
				    .log = w->log->text.s};
}

static int plan_page_write_page(const struct plan_page *w, const struct search_page *s, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	search_page(s, &sb);
	return html_live_put(w->live.path, &sb, err);
}

static int write_live(const struct plan_page *w, const struct search_page *s, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	search_page_live(s, &sb);
	return html_live_put(w->live.script, &sb, err);
}

int plan_page_begin(struct plan_page *w, const struct plan_options *o, const struct convergence *log,
		    struct err *err)
{
	struct search_page s;
	int ret;

	*w = (struct plan_page){.log = log};
	html_live_init(&w->live, o->watch, o->argc, o->argv);
	s = state_of(w, "searching");
	ret = write_live(w, &s, err);
	return ret ? ret : plan_page_write_page(w, &s, err);
}

void plan_page_progress(struct plan_page *w, const struct progress *at)
{
	struct err ignored = ERR_INIT; /* the search goes on; its end says what cannot be written */
	struct search_page s;

	if (!w->live.path || !html_live_due(&w->live))
		return;
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

	s.out = out;
	s.plan = plan;
	if (out) {
		s.now = out->best_ev.total;
		s.evaluations = out->evaluations;
	}
	write_live(w, &s, &ignored); /* for a page that is open */
	s.live = NULL;
	return plan_page_write_page(w, &s, err);
}

void plan_page_release(struct plan_page *w)
{
	html_live_release(&w->live);
}
