/* SPDX-License-Identifier: MIT */
#include "planner/search/stage.h"

#include "planner/search/evolve.h"

uint64_t search_share(const struct planner *p, uint64_t parts)
{
	return p->search.local_left / parts + 100;
}

void search_improve(struct planner *p, struct design *d, const struct local_options *opts,
		    struct evaluation *ev)
{
	uint64_t used = 0;

	local_search(&p->problem, d, opts, &p->search.scratch, ev, &used);
	p->out.evaluations += used;
	p->search.local_left -= used < p->search.local_left ? used : p->search.local_left;
}

bool search_start(const struct planner *p, uint32_t i, struct design *d)
{
	if (i == 0) {
		design_copy(d, &p->out.base, &p->problem);
	} else if (i == 1) {
		baseline_make(&p->problem, BASELINE_PACK, 0, d);
	} else if (i < 4) {
		baseline_cluster(&p->problem, i == 3, d);
	} else if (i - 4 < p->machine.n_packages) {
		baseline_balance(&p->problem, p->machine.packages[i - 4].last, true, d);
	} else {
		return false;
	}
	design_keep_fixed(d, &p->out.base, &p->problem);
	return true;
}

uint64_t search_margin_ns(const struct planner *p, uint32_t b)
{
	const struct problem *pb = &p->problem;
	const struct platform *pf = p->task.platform;
	uint32_t first = pb->blocks[b].first, last = pb->blocks[b].last;
	uint64_t times = 0;

	for (uint32_t i = pb->edge_at[first]; i < pb->edge_at[last + 1]; i++)
		times += pb->edges[i].count;
	for (uint32_t i = pb->leave_at[first]; i < pb->leave_at[last + 1]; i++)
		if (pb->phases[pb->edges[pb->leave[i]].to].block != b)
			times += pb->edges[pb->leave[i]].count;
	return times * (eval_start_ns(pb) + p->machine.n_domains * pf->frequency_ns + pf->trigger_ns);
}

void search_finish(struct planner *p, struct design *d)
{
	const struct local_options opts = {.goal = p->out.goal,
					   .last = p->problem.n_phases - 1,
					   .max_evaluations = search_share(p, 3),
					   .stop = evolve_stop,
					   .ctx = p};
	struct evaluation ev;

	evaluation_init(&ev, &p->problem, true);
	search_improve(p, d, &opts, &ev);
	finalists_add(&p->search.finalists, &p->problem, &p->out.goal, d, &ev.total);
	if (cost_compare(&ev.total, &p->out.best_ev.total, &p->out.goal) < 0) {
		design_copy(&p->out.best, d, &p->problem);
		eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	}
	evaluation_release(&ev);
}
