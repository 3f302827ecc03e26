/* SPDX-License-Identifier: MIT */
#include "analyzer/clock.h"

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

uint64_t run_wall_ns(const struct run *run)
{
	const struct run_process *p = run->n_processes ? &run->processes[0] : NULL;
	uint64_t ns = run->manifest.wall_ns;

	if (!ns && p && p->end > p->header->tsc_start)
		ns = run_span_ns(p, p->end - p->header->tsc_start);
	return ns ? ns : 1;
}
