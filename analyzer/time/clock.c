/* SPDX-License-Identifier: MIT */
#include "analyzer/time/clock.h"

#include "record/counters.h"

#define SHARE_MIN 0.5 /* of the time: a smaller sample is no measurement */

uint64_t core_khz(const struct run *run, bool *calibrated)
{
	const struct run_process *p = run->n_processes ? &run->processes[0] : NULL;

	*calibrated = run->manifest.core_khz > 0;
	if (*calibrated)
		return run->manifest.core_khz;
	/* A clock of one tick a nanosecond stands for no core: 1 GHz keeps time as it is. */
	if (!p || p->header->clock_kind || p->ns_per_tick <= 0)
		return 1000000;
	return (uint64_t)(1e6 / p->ns_per_tick + 0.5) ? (uint64_t)(1e6 / p->ns_per_tick + 0.5) : 1;
}

static bool all_counted(const struct run_process *p, size_t event)
{
	for (uint32_t i = 0; i < p->n_threads; i++) {
		const struct run_counts *t = &p->counters->threads[i];

		if (!p->threads[i].raw->start_tsc)
			continue;
		if (!t->n || t->refused[event] || t->share[event] < SHARE_MIN ||
		    run_count_total(p->counters, i, event) <= 0)
			return false;
	}
	return true;
}

int counted_cycles(const struct run_process *p)
{
	static const char *const names[] = {"cycles", "cpu-cycles", "cycles:u"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int event = run_event_find(p->counters, names[i]);

		if (event >= 0 && !p->counters->events[event].system && all_counted(p, (size_t)event))
			return event;
	}
	return -1;
}

uint64_t run_wall_ns(const struct run *run)
{
	const struct run_process *p = run->n_processes ? &run->processes[0] : NULL;
	uint64_t ns = run->manifest.wall_ns;

	if (!ns && p && p->end > p->header->tsc_start)
		ns = run_span_ns(p, p->end - p->header->tsc_start);
	return ns ? ns : 1;
}
