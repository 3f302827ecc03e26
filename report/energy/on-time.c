/* SPDX-License-Identifier: MIT */
/*
 * For how long each core had a thread of the run.  A core has one thread at a time, so
 * it is the CPU time of threads there: their CPU time by the part of the recorder's looks
 * at them that found them on it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "record/cores/cores.h"
#include "report/energy/energy.h"

/* Looks at one thread, or at all. */
struct seen {
	double there, all;
};

bool energy_core_of(const char *name, uint32_t *core)
{
	int used = 0;

	return sscanf(name, "core-%u-on%n", core, &used) == 1 && used > 0 && !name[used];
}

static struct seen seen_of(const struct core_looks *looks, uint32_t pid, uint32_t tid, uint32_t core)
{
	struct seen s = {0, 0};

	for (size_t i = cores_first(looks, pid, tid);
	     i < looks->n && looks->at[i].pid == pid && looks->at[i].tid == tid; i++) {
		s.all++;
		s.there += looks->at[i].core == core;
	}
	return s;
}

static struct seen seen_of_all(const struct core_looks *looks, uint32_t core)
{
	struct seen s = {0, (double)looks->n};

	for (size_t i = 0; i < looks->n; i++)
		s.there += looks->at[i].core == core;
	return s;
}

/* The part of the time of each listed thread that it was on @core, and behind them that of all. */
static double *parts_of(const struct energy_report *r, const struct core_looks *looks, uint32_t core)
{
	size_t n = r->s->n_threads_listed;
	double *part = mem_new(n + 1, sizeof(*part));
	struct seen all = seen_of_all(looks, core);

	part[n] = all.there / all.all;
	for (size_t i = 0; i < n; i++) {
		const struct report_thread *t = &r->s->threads[i];
		struct seen s =
			seen_of(looks, t->process->header->pid, t->process->threads[t->index].raw->tid, core);

		part[i] = s.all > 0 ? s.there / s.all : part[n];
	}
	return part;
}

bool energy_on_time(const struct energy_report *r, const struct energy_leaves *l, uint32_t core,
		    double *count)
{
	struct err err = ERR_INIT;
	struct core_looks looks;
	double *part;

	if (cores_read(r->s->run->path, &looks, &err) || !looks.n) {
		vec_release(&looks);
		return false;
	}
	part = parts_of(r, &looks, core);
	for (size_t i = 0; i < l->n; i++)
		count[i] = l->at[i].cpu *
			   part[l->at[i].thread < r->s->n_threads_listed ? l->at[i].thread
									 : r->s->n_threads_listed];
	free(part);
	vec_release(&looks);
	return true;
}
