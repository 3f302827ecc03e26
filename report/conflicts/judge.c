/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "analyzer/analyze.h"
#include "analyzer/program.h"
#include "lib/fs.h"
#include "report/conflicts/conflicts.h"
#include "report/summary.h"
#include "report/time/overhead.h"

/* Its prices are taken if nobody names others. */
#define DEFAULT_PLATFORM "platform.yaml"

/* The timing run that gives the times: of the same program. */
static int open_timing(struct conflicts_case *c, const char *name, struct err *err)
{
	int ret = run_open(&c->timing, name, err);

	if (ret)
		return ret;
	ret = program_same(c->run, &c->timing, err);
	if (!ret && c->timing.n_processes && c->timing.processes[0].header->purpose != PRS_PURPOSE_TIMING)
		ret = err_set(err, -EINVAL, "--timing: '%s' is a sharing run, a timing run is needed", name);
	c->timed = !ret;
	if (ret)
		run_close(&c->timing);
	return ret;
}

/* So many times as long as the plain program it took, at most. */
static double longer_by_probes(const struct run *timing)
{
	struct report_summary s;
	double longer;

	report_summarise(&s, timing);
	longer = overhead_longer(&s);
	report_summary_release(&s);
	return longer;
}

int conflicts_judge(struct conflicts_case *c, const struct run *run, const char *timing, const char *platform,
		    struct err *err)
{
	int ret = platform ? 0 : fs_is_there(DEFAULT_PLATFORM, err);

	*c = (struct conflicts_case){.run = run};
	if (ret < 0)
		return ret;
	if (ret)
		platform = DEFAULT_PLATFORM;
	ret = timing ? open_timing(c, timing, err) : program_timing_of(run, &c->timing, err);
	if (!timing && ret >= 0) {
		c->timed = ret;
		ret = 0;
	}
	if (!ret && platform) {
		ret = platform_find(&c->platform, platform, err);
		c->platformed = !ret;
	}
	c->opts = (struct sharing_opts){.platform = c->platformed ? &c->platform : NULL};
	if (c->timed) {
		c->opts.timing = &c->timing;
		c->opts.longer = longer_by_probes(&c->timing);
	}
	if (!ret)
		ret = sharing_make(&c->rep, run, &c->opts, err);
	if (!ret && c->timed)
		analyze_meetings(&c->rep, run, &c->timing);
	if (ret)
		conflicts_release(c);
	return ret;
}

void conflicts_release(struct conflicts_case *c)
{
	sharing_release(&c->rep);
	if (c->platformed)
		platform_release(&c->platform);
	if (c->timed)
		run_close(&c->timing);
	*c = (struct conflicts_case){0};
}

bool conflicts_chosen(const struct sharing_finding *f, const struct conflicts_choice *o)
{
	for (size_t i = 0; i < o->n_ids; i++)
		if (!strcmp(f->evidence, o->ids[i]))
			return true;
	return !o->n_ids && (f->significant || o->all);
}

bool conflicts_shown(const struct sharing_finding *f, const struct sharing_report *rep,
		     const struct conflicts_choice *o)
{
	return conflicts_chosen(f, o) || (!o->n_ids && (rep->doubts.n || f->perhaps));
}
