/* SPDX-License-Identifier: MIT */
/* Which runs a page shows. */
#include <errno.h>
#include <stdlib.h>

#include "analyzer/program.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "report/page/page.h"

/* One of each purpose, and what is said of others. */
struct shown {
	struct run timing, sharing;
	bool timed, shared;
	struct VEC(const char *) left_out; /* but for the last, which is NULL, owned */
};

static bool is_sharing(const struct run *run)
{
	return run->n_processes && run->processes[0].header->purpose == PRS_PURPOSE_SHARING;
}

static void leave_out(struct shown *s, const struct run *run)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s is not shown: a page has one run of each purpose.", run->path);
	vec_push(&s->left_out, strbuf_detach(&sb));
}

/* Take over @run, or close it where one of its purpose is there; an error closes it. */
static int take(struct shown *s, struct run *run, struct err *err)
{
	bool sharing = is_sharing(run);
	int ret = 0;

	if (!run->n_processes)
		ret = err_set(err, -ENODATA, "run '%s' has no process to report on", run->path);
	else if (sharing && s->timed)
		ret = program_same(run, &s->timing, err);
	else if (!sharing && s->shared)
		ret = program_same(&s->sharing, run, err);
	if (!ret && (sharing ? s->shared : s->timed))
		leave_out(s, run);
	else if (!ret) {
		*(sharing ? &s->sharing : &s->timing) = *run;
		*(sharing ? &s->shared : &s->timed) = true;
		return 0;
	}
	run_close(run);
	return ret;
}

static int open_one(struct shown *s, const char *name, struct err *err)
{
	struct run run;
	int ret = run_open(&run, name, err);

	return ret ? ret : take(s, &run, err);
}

/* The last run, and beside it the last of the other purpose, if that is of the same program. */
static int open_last(struct shown *s, struct err *err)
{
	struct err quiet = ERR_INIT;
	int ret = open_one(s, "@last", err);

	if (ret)
		return ret;
	if (s->shared)
		s->timed = program_timing_of(&s->sharing, &s->timing);
	else
		open_one(s, "@last-sharing", &quiet);
	return 0;
}

static void release(struct shown *s)
{
	if (s->timed)
		run_close(&s->timing);
	if (s->shared)
		run_close(&s->sharing);
	for (size_t i = 0; i < s->left_out.n; i++)
		free((char *)(uintptr_t)s->left_out.at[i]);
	vec_release(&s->left_out);
}

/* What the times are of. */
static const struct run *times_of(const struct shown *s)
{
	return s->timed ? &s->timing : &s->sharing;
}

/* What changed since the baseline. */
struct changes {
	struct diff_side base, new;
	struct diff diff;
};

static int compare(struct changes *c, const struct shown *s, const char *baseline, struct err *err)
{
	int ret = diff_add(&c->base, baseline, DIFF_NOISE, err);

	if (!ret)
		ret = diff_add(&c->new, times_of(s)->path, DIFF_NOISE, err);
	return ret ? ret : diff_make(&c->diff, &c->base, &c->new, DIFF_NOISE, err);
}

/* The page of the runs with @parts, of which the times are still missing. */
static int write_parts(struct shown *s, struct page_parts *parts, const struct page_wanted *w,
		       struct strbuf *out, struct err *err)
{
	struct changes c = {.base = {VEC_INIT}, .new = {VEC_INIT}};
	struct report_summary times;
	int ret = w->baseline ? compare(&c, s, w->baseline, err) : 0;

	if (!ret) {
		vec_push(&s->left_out, NULL);
		parts->left_out = s->left_out.at;
		parts->changes = w->baseline ? &c.diff : NULL;
		parts->times = &times;
		report_summarise(&times, times_of(s));
		page_write(parts, out);
		report_summary_release(&times);
		if (w->baseline)
			diff_release(&c.diff);
	}
	diff_side_release(&c.base);
	diff_side_release(&c.new);
	return ret;
}

static int write_shown(struct shown *s, const struct page_wanted *w, struct strbuf *out, struct err *err)
{
	struct page_parts parts = {.sources = NULL};
	struct conflicts_case sharing;
	struct patch sources;
	int ret;

	if (!s->shared)
		return write_parts(s, &parts, w, out, err);
	ret = conflicts_judge(&sharing, &s->sharing, s->timed ? s->timing.path : NULL, w->platform, err);
	if (ret)
		return ret;
	ret = patch_start(&sources, &s->sharing, w->source, err);
	if (!ret) {
		parts.sharing = &sharing;
		parts.sources = &sources;
		ret = write_parts(s, &parts, w, out, err);
		patch_release(&sources);
	}
	conflicts_release(&sharing);
	return ret;
}

int page_of_runs(const struct page_wanted *w, struct strbuf *out, bool *complete, struct err *err)
{
	struct shown s = {.timed = false};
	int ret = w->n ? 0 : open_last(&s, err);

	for (size_t i = 0; i < w->n && !ret; i++)
		ret = open_one(&s, w->names[i], err);
	if (!ret)
		ret = write_shown(&s, w, out, err);
	*complete = (!s.timed || s.timing.complete) && (!s.shared || s.sharing.complete);
	release(&s);
	return ret;
}
