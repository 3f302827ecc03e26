/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/times.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/lines/kept.h"
#include "analyzer/pairs/turns.h"
#include "analyzer/time/asleep.h"
#include "analyzer/time/clock.h"
#include "analyzer/time/cpu.h"
#include "analyzer/time/threads.h"
#include "lib/mem.h"
#include "perseus/abi.h"

static uint64_t end_of(const struct run_process *p, uint32_t thread)
{
	uint64_t end = p->threads[thread].raw->end_tsc;

	return end ? end : p->end;
}

double pair_times_life_ns(const struct run_process *p, uint32_t thread)
{
	uint64_t start = p->threads[thread].raw->start_tsc, end = end_of(p, thread);

	return end > start ? (double)run_span_ns(p, end - start) : 0;
}

static double *cpu_of_threads(const struct run_process *p)
{
	double *ns = mem_new(p->n_threads + 1, sizeof(*ns));
	struct cpu_line line;

	for (uint32_t i = 0; i < p->n_threads; i++) {
		cpu_line_make(&line, &p->threads[i], p->end);
		ns[i] = (double)cpu_total(&line);
		cpu_line_release(&line);
	}
	return ns;
}

/* The process of the timing run that stands at the same place and ran the same program. */
static const struct run_process *counterpart(const struct pair_times *t, const struct run *timing)
{
	size_t i = (size_t)(t->p - t->run->processes);

	if (!timing || i >= timing->n_processes)
		return NULL;
	return strcmp(timing->processes[i].header->exe, t->p->header->exe) ? NULL : &timing->processes[i];
}

/* Replace inflated times by those that the same instances needed in the timing run. */
static void take_timing(struct pair_times *t, const struct run *timing, const struct run_process *p)
{
	const struct run *runs[2] = {timing, t->run};
	const struct run_process *procs[2] = {p, t->p};
	struct instances ins;
	double *cpu = cpu_of_threads(procs[0]);
	bool calibrated;
	double khz = (double)core_khz(timing, &calibrated);

	t->khz = khz;
	t->native = true;
	t->asleep_ns = asleep_find(p).ns;
	instances_match(&ins, runs, procs, 2);
	for (uint32_t i = 0; i < t->p->n_threads; i++)
		for (uint32_t k = 0; k < procs[0]->n_threads; k++)
			if (ins.maps[1].of[i] != INSTANCE_NONE && ins.maps[1].of[i] == ins.maps[0].of[k]) {
				t->cpu_ns[i] = cpu[k];
				t->pace[i].native = true;
				t->cycles[i] = cpu[k] * khz / 1e6;
			}
	instances_release(&ins);
	free(cpu);
}

/* What a transaction of the runtime takes, at least: between two cores. */
#define MISS_NS 200.0

/*
 * Two runs of one thread: @native ns without memory probes, pace->cpu_ns with
 * them, of which the runtime's transactions are not the program's own time.
 */
static void set_pace(struct line_pace *pace, const struct run_thread *th, double native, double khz)
{
	double own = pace->cpu_ns, in_runtime = 0;

	pace->run_ns = own;
	pace->cycle_ns = khz > 0 ? 1e6 / khz : 0;

	for (size_t i = 0; i < th->n_lines; i++) {
		in_runtime += MISS_NS * ((double)th->lines[i]->misses + (double)th->lines[i]->watched);
		pace->misses += (double)th->lines[i]->misses;
	}
	own -= in_runtime < 0.9 * own ? in_runtime : 0.9 * own;
	if (pace->cpu_ns > native)
		pace->time = native / pace->cpu_ns;
	if (own > native)
		pace->work = native / own;
	pace->cpu_ns = native;
}

static uint32_t usable_cores(const struct platform *pf)
{
	uint32_t n = 0;

	for (uint32_t i = 0; pf && i < pf->n_cores; i++)
		n += pf->cores[i].usable;
	return n;
}

void pair_times_make(struct pair_times *t, const struct run *run, const struct run_process *p,
		     const struct run *timing, const struct platform *pf, bool busy)
{
	bool calibrated;
	double khz = (double)core_khz(run, &calibrated), wall, most = 1;

	*t = (struct pair_times){
		.run = run, .p = p, .cpu_ns = cpu_of_threads(p), .khz = khz, .busy_machine = busy};
	t->run_ns = cpu_of_threads(p);
	turns_looks(&t->looks, run);
	t->asleep_ns = asleep_find(p).ns;
	t->cycles = mem_new(p->n_threads + 1, sizeof(*t->cycles));
	t->pace = mem_new(p->n_threads + 1, sizeof(*t->pace));
	t->cores = run->manifest.cores ? run->manifest.cores : 1;
	/* By turns on one core they pay nothing: priced is what they would on two. */
	if (t->cores < 2 && t->busy_machine && usable_cores(pf) > 1)
		t->cores = 2;
	wall = p->end > p->header->tsc_start ? (double)run_span_ns(p, p->end - p->header->tsc_start) : 1;
	for (uint32_t i = 0; i < p->n_threads; i++) {
		t->cycles[i] = t->cpu_ns[i] * khz / 1e6;
		most = t->cpu_ns[i] > most ? t->cpu_ns[i] : most;
		t->pace[i] = (struct line_pace){.time = 1,
						.work = 1,
						.cpu_ns = t->cpu_ns[i],
						.locked_ns = (double)run->manifest.locked_ps / 1000};
		kept_pace(&t->pace[i], p, i);
	}
	/* One that starts the others and waits for them does not count as one. */
	for (uint32_t i = 0; i < p->n_threads; i++)
		if (pair_times_life_ns(p, i) > 0.1 * wall && t->cpu_ns[i] > 0.05 * pair_times_life_ns(p, i))
			t->busy += t->cpu_ns[i] / most;
	if (counterpart(t, timing))
		take_timing(t, timing, counterpart(t, timing));
	for (uint32_t i = 0; i < p->n_threads; i++)
		set_pace(&t->pace[i], &p->threads[i], t->cpu_ns[i], khz);
}

void pair_times_unprobed(struct pair_times *t, const struct line_uses *u)
{
	double *own = mem_new(t->p->n_threads + 1, sizeof(*own));

	for (size_t i = 0; i < u->n; i++)
		own[u->at[i].thread] += u->at[i].by_span ? u->at[i].accesses * u->at[i].probe_ns : 0;
	for (uint32_t i = 0; i < t->p->n_threads; i++) {
		double least = LEAST_OWN * t->cpu_ns[i];

		if (t->pace[i].native || own[i] <= 0)
			continue;
		t->cpu_ns[i] = t->cpu_ns[i] - own[i] > least ? t->cpu_ns[i] - own[i] : least;
		t->cycles[i] = t->cpu_ns[i] * t->khz / 1e6;
	}
	free(own);
}

double pair_times_together(const struct pair_times *t, uint32_t a, uint32_t b)
{
	const struct prs_thread *x = t->p->threads[a].raw, *y = t->p->threads[b].raw;
	uint64_t from = x->start_tsc > y->start_tsc ? x->start_tsc : y->start_tsc;
	uint64_t to = end_of(t->p, a) < end_of(t->p, b) ? end_of(t->p, a) : end_of(t->p, b);
	double life = pair_times_life_ns(t->p, a) < pair_times_life_ns(t->p, b) ? pair_times_life_ns(t->p, a)
										: pair_times_life_ns(t->p, b);
	double share = to > from && life > 0 ? (double)run_span_ns(t->p, to - from) / life : 0;

	if (t->cores < 2)
		return 0;
	if (t->busy > t->cores)
		share *= (t->cores - 1) / (t->busy - 1);
	return share > 1 ? 1 : share;
}

void pair_times_release(struct pair_times *t)
{
	free(t->cpu_ns);
	free(t->run_ns);
	free(t->cycles);
	free(t->pace);
	vec_release(&t->looks);
}
