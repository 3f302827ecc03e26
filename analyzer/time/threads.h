/* SPDX-License-Identifier: MIT */
/*
 * Thread instances: a thread is known by its path (creator instance,
 * creating site, ordinal among the creations by that creator at that site),
 * never by the order in which threads arrived.  The same path in another run
 * of the program is the same instance.
 */
#ifndef PERSEUS_ANALYZER_TIME_THREADS_H
#define PERSEUS_ANALYZER_TIME_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/run.h"

#define INSTANCE_NONE 0xffffffffu

/* More threads than this from one site (or in all) are counted, not followed. */
#define INSTANCE_MAX_ORDINAL 256u
#define INSTANCE_MAX         1024u

struct instance {
	char *key;                        /* path, the same in every run */
	char *name;                       /* for people, unique in the list */
	uint32_t creator;                 /* index, INSTANCE_NONE for main */
	const struct run_call_site *site; /* NULL: created by library code, or main */
	uint32_t ordinal;
	bool foreign;   /* its creation was not seen */
	uint32_t seen;  /* number of runs that have it */
	uint32_t first; /* run in which it was met first */
	uint64_t born;  /* ticks of its creation in that run */
};

/* Thread index of one run -> instance; INSTANCE_NONE: not followed. */
struct instance_map {
	uint32_t *of;
	size_t n;
};

struct instances {
	struct instance *at; /* creators before their threads, 0 is main */
	size_t n;
	struct instance_map *maps; /* one per run, in the order given */
	size_t n_maps;
	uint64_t untracked; /* threads beyond the limits, in the run that has most */
	const struct run_call_site *untracked_site;
};

/*
 * Find the instances of @n runs of one program; @runs[i] and @procs[i] belong
 * together.  The lists point into the runs, which must stay open.
 */
void instances_match(struct instances *ins, const struct run *const *runs,
		     const struct run_process *const *procs, size_t n);

/* Instance of a thread of run @run; INSTANCE_NONE if it is not followed. */
uint32_t instance_of(const struct instances *ins, size_t run, uint32_t thread);

/* Free everything inside. */
void instances_release(struct instances *ins);

/*
 * By instance: its thread of process 0 in run @run, which has @n_threads; the
 * first one, for more have it in damaged records only.  INSTANCE_NONE: it was
 * not seen there.  The caller frees it.
 */
uint32_t *instance_threads(const struct instances *ins, size_t run, size_t n_threads);

#endif
