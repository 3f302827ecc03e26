/* SPDX-License-Identifier: MIT */
#include "planner/planner.h"
#include "planner/heuristic/ranks.h"
#include "planner/kinds.h"
#include "planner/search/points.h"
#include "planner/search/worst.h"

static int run_once(struct planner *p, const struct model *model, const struct platform *platform,
		    const struct planner_options *opts, struct err *err)
{
	int ret = planner_prepare(p, model, platform, opts, err);

	if (ret)
		return ret;
	kinds_below(p);
	worst_search(p);
	planner_minimise(p);
	planner_make_canonical(p);
	planner_judge(p);
	ret = planner_simulate(p, err);
	if (!ret)
		ret = planner_self_check(p, err);
	if (!ret && opts->front)
		points_close(&p->out);
	if (ret)
		planner_release(p);
	else
		kinds_above(p);
	return ret;
}

int planner_run(struct planner *p, const struct model *model, const struct platform *platform,
		const struct planner_options *opts, struct err *err)
{
	struct planner_options against_os = *opts;
	int ret = run_once(p, model, platform, opts, err);
	bool again;

	if (ret)
		return ret;
	/* An interruption may have left processes with different finalists. */
	again = planner_needs_setting(p);
	ranks_share(opts->ranks, &again, sizeof(again));
	if (!again)
		return 0;
	planner_release(p);
	against_os.baseline = BASELINE_OS;
	ret = run_once(p, model, platform, &against_os, err);
	if (ret)
		return ret;
	p->out.asked = opts->baseline;
	p->out.replaced = true;
	return 0;
}
