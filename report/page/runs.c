/* SPDX-License-Identifier: MIT */
/* Which runs a page shows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/program.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "report/page/page.h"
#include "report/page/tabs/tabs.h"

/* One of each purpose, and what is said of others. */
struct shown {
	struct run timing, sharing;
	struct denormal_case denormal;
	bool timed, shared, counted;
	struct VEC(const char *) left_out; /* but for the last, which is NULL, owned */
};

static bool is_sharing(const struct run *run)
{
	return run->n_processes && run->processes[0].header->purpose == PRS_PURPOSE_SHARING;
}

static void leave_out(struct shown *s, const char *path)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s is not shown: a page has one run of each purpose.", path);
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
		leave_out(s, run->path);
	else if (!ret) {
		*(sharing ? &s->sharing : &s->timing) = *run;
		*(sharing ? &s->shared : &s->timed) = true;
		return 0;
	}
	run_close(run);
	return ret;
}

/* A run that counted denormals; they are counted in a build of their own. */
static int open_counted(struct shown *s, const char *name, const char *platform, struct err *err)
{
	struct denormal_case second, *c = s->counted ? &second : &s->denormal;
	int ret = denormal_case_open(c, name, platform, err);

	if (!ret && s->counted) {
		leave_out(s, c->run.path);
		denormal_case_close(c);
	}
	s->counted |= !ret;
	return ret;
}

static int open_one(struct shown *s, const char *name, const char *platform, struct err *err)
{
	struct err quiet = ERR_INIT;
	struct run run;
	int ret = run_open(&run, name, err);

	if (!ret)
		return take(s, &run, err);
	if (ret != -ENODATA || open_counted(s, name, platform, &quiet))
		return ret;
	*err = (struct err)ERR_INIT;
	return 0;
}

/* The last one that counted denormals, if the program is called as that of @run. */
static void open_last_counted(struct shown *s, const struct run *run, const char *platform)
{
	const char *program = run->manifest.program;
	struct err quiet = ERR_INIT;

	if (s->counted || open_counted(s, "@last-denormal", platform, &quiet))
		return;
	if (program && s->denormal.run.manifest.program && !strcmp(s->denormal.run.manifest.program, program))
		return;
	denormal_case_close(&s->denormal);
	s->counted = false;
}

/* The last run, and beside it the last of the other purposes, if they are of the same program. */
static int open_last(struct shown *s, const char *platform, struct err *err)
{
	struct err quiet = ERR_INIT;
	int ret = open_one(s, "@last", platform, err);

	if (!ret && s->counted)
		ret = open_one(s, "@last-timing", platform, err);
	if (ret)
		return ret;
	if (s->shared) {
		ret = program_timing_of(&s->sharing, &s->timing, err);
		if (ret < 0)
			return ret;
		s->timed = ret;
	} else {
		open_one(s, "@last-sharing", platform, &quiet);
	}
	open_last_counted(s, s->timed ? &s->timing : &s->sharing, platform);
	return 0;
}

static void release(struct shown *s)
{
	if (s->timed)
		run_close(&s->timing);
	if (s->shared)
		run_close(&s->sharing);
	if (s->counted)
		denormal_case_close(&s->denormal);
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

static int write_shown(struct shown *s, struct page_parts parts, const struct page_wanted *w,
		       struct strbuf *out, struct err *err)
{
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

/* With what else was given. */
static int write_page(struct shown *s, const struct page_wanted *w, struct strbuf *out, struct err *err)
{
	struct page_parts parts = {.denormal = s->counted ? &s->denormal : NULL, .plan_path = w->plan};
	struct strbuf search = STRBUF_INIT, joules = STRBUF_INIT;
	struct energy model;
	struct plan plan;
	int ret = w->search ? page_search_read(&search, w->search, err) : 0;

	parts.search = search.s;
	if (!ret && w->plan) {
		ret = plan_load(&plan, w->plan, err);
		parts.plan = ret ? NULL : &plan;
	}
	if (!ret && w->model) {
		ret = energy_load(&model, w->model, err);
		parts.model = ret ? NULL : &model;
	}
	if (!ret && w->meter)
		ret = s->timed ? page_energy_measure(s->timing.path, w->meter, &joules, err)
			       : err_set(err, -EINVAL, "a meter's file is of a timing run: name one");
	parts.joules = joules.s;
	if (!ret)
		ret = write_shown(s, parts, w, out, err);
	if (parts.model)
		energy_release(&model);
	if (parts.plan)
		plan_release(&plan);
	strbuf_release(&joules);
	strbuf_release(&search);
	return ret;
}

int page_of_runs(const struct page_wanted *w, struct strbuf *out, bool *complete, struct err *err)
{
	struct shown s = {.timed = false};
	int ret = w->n ? 0 : open_last(&s, w->platform, err);

	for (size_t i = 0; i < w->n && !ret; i++)
		ret = open_one(&s, w->names[i], w->platform, err);
	if (!ret && !s.timed && !s.shared) {
		err_set(err, -ENODATA, "'%s' counted denormals only: a page wants the times of a run too",
			s.denormal.run.path);
		ret = err_advise(err, "perseus record PROGRAM makes one; name both");
	}
	if (!ret)
		ret = write_page(&s, w, out, err);
	*complete = (!s.timed || s.timing.complete) && (!s.shared || s.sharing.complete) &&
		    (!s.counted || !s.denormal.run.incomplete);
	release(&s);
	return ret;
}
