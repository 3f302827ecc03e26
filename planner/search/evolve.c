/* SPDX-License-Identifier: MIT */
#include "planner/search/evolve.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/heuristic/islands.h"
#include "planner/heuristic/ranks.h"
#include "planner/heuristic/tasks.h"

#define AUTO_WORK 30000000 /* effort of about 0.1 us: some seconds; counted, not timed */
#define PATIENCE  8        /* epochs, unless a budget is asked for */

void evolve_begin(struct planner *p)
{
	p->search.owner = pthread_self();
	p->search.now = p->out.best_ev.total;
	if (!p->search.threads)
		p->search.threads = tasks_processors();
	if (p->search.log)
		p->search.log->searches++;
}

static void report(const struct planner *p)
{
	const struct progress at = {.out = &p->out,
				    .now = p->search.now,
				    .done_permille = p->search.done_permille,
				    .evaluations = p->out.evaluations + p->search.island_evaluations};

	p->task.opts.progress(p->task.opts.ctx, &at);
}

bool evolve_stop(void *ctx)
{
	struct planner *p = ctx;
	bool stopped = __atomic_load_n(&p->out.stopped, __ATOMIC_RELAXED);

	if (!stopped && p->task.opts.stop && p->task.opts.stop(p->task.opts.ctx)) {
		stopped = true;
		__atomic_store_n(&p->out.stopped, true, __ATOMIC_RELAXED);
	}
	if (p->task.opts.progress && pthread_equal(p->search.owner, pthread_self()))
		report(p);
	return stopped;
}

bool evolve_agree(struct planner *p)
{
	p->out.stopped = ranks_any(p->task.opts.ranks, p->out.stopped);
	return p->out.stopped;
}

/* ---- convergence log ---- */

static void write_line(struct planner *p, const struct islands_state *now)
{
	struct convergence *log = p->search.log;
	const struct genetic_counts *c = &now->counts;

	if (!log->text.len)
		strbuf_puts(&log->text,
			    "search,epoch,evaluations,effort,time_ns,energy_pj,peak_mw,bound_time_ns,"
			    "bound_energy_pj,diversity_permille,cross_permille,phases_permille,"
			    "mutate_permille,descent_permille\n");
	strbuf_printf(&log->text, "%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		      log->searches, now->epoch, p->out.evaluations + c->evaluations, c->work,
		      now->best.time_ns, now->best.energy_pj, now->best.peak_mw);
	strbuf_printf(&log->text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, p->out.bound.time_ns,
		      p->out.bound.energy_pj, c->diversity);
	for (uint32_t k = 0; k < GENETIC_OPERATORS; k++)
		strbuf_printf(&log->text, ",%u", c->credit[k]);
	strbuf_puts(&log->text, "\n");
}

void evolve_log(struct planner *p)
{
	const struct islands_state now = {.best = p->out.best_ev.total};

	p->search.now = p->out.best_ev.total;
	if (p->search.log)
		write_line(p, &now);
}

/* ---- the islands ---- */

static void after_epoch(void *ctx, const struct islands_state *now)
{
	struct planner *p = ctx;

	p->search.now = now->best;
	p->search.done_permille = (uint32_t)(now->counts.work * 1000 / (now->max_work + 1));
	p->search.island_evaluations = now->counts.evaluations;
	if (p->search.log)
		write_line(p, now);
	if (p->task.opts.progress)
		report(p);
}

static uint64_t budget(const struct planner *p)
{
	unsigned __int128 work = p->task.opts.evaluations;

	if (!work)
		return AUTO_WORK;
	work *= p->problem.n_phases * genetic_phase_work(&p->problem);
	return work > UINT64_MAX / 2000 ? UINT64_MAX / 2000 : (uint64_t)work;
}

void evolve(struct planner *p, struct design *d)
{
	const struct islands_options opts = {.goal = p->out.goal,
					     .seed = p->task.opts.seed,
					     .max_work = budget(p),
					     .patience = p->task.opts.evaluations ? 0 : PATIENCE,
					     .threads = p->search.threads,
					     .floor = p->out.bound,
					     .ranks = p->task.opts.ranks,
					     .stop = evolve_stop,
					     .epoch = after_epoch,
					     .ctx = p};
	struct islands_state state;

	islands_search(&p->problem, &opts, d, &state);
	p->search.island_evaluations = 0;
	p->out.evaluations += state.counts.evaluations;
	p->out.stopped = state.stopped;
}

void evolve_end(struct planner *p)
{
	size_t bytes = genome_bytes(&p->problem);
	uint8_t *genes;

	if (!evolve_agree(p) || !p->task.opts.ranks)
		return;
	genes = mem_new(bytes + 1, 1);
	genome_pack(&p->problem, &p->out.best, genes);
	ranks_share(p->task.opts.ranks, genes, bytes);
	genome_unpack(&p->problem, genes, &p->out.best);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	free(genes);
}
