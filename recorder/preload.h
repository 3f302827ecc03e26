/* SPDX-License-Identifier: MIT */
/* Running a program with the runtime in it. */
#ifndef PERSEUS_RECORDER_PRELOAD_H
#define PERSEUS_RECORDER_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/spawn/child.h"
#include "lib/spawn/environment.h"
#include "lib/spawn/target.h"
#include "recorder/trial.h"

/* What the runtime is told, through the environment. */
struct preload {
	const char *runtime;             /* path of the library that belongs to the purpose */
	const char *run_dir;             /* absolute path of the run directory */
	const char *purpose;             /* "timing", "sharing" or "denormal" */
	const char *sharing;             /* "adaptive", "precise" or "rate"; of a sharing run */
	uint64_t block_us;               /* calls that take as long go to the block log */
	uint64_t limit_mb;               /* cap of one record file */
	uint32_t budget_ppm;             /* millionths of CPU time that probes may take; 0: no promise */
	uint64_t trap_rate;              /* PERSEUS_TRAP_RATE; 0: no limit */
	const char *events;              /* PERSEUS_EVENTS; NULL: none */
	const char *trace;               /* PERSEUS_TRACE; NULL: none */
	const struct trial_watch *trial; /* a plan that acts meanwhile; NULL: none */
	struct child_watch watch;        /* wake set: recording begins and ends at its word */
};

/*
 * Where the library for @purpose is ("trap": denormals of programs without probes), of a runtime with @events the one that counts them; -ENOENT, or
 * -ENOTSUP if LD_PRELOAD cannot name the place.
 */
int preload_find(const char *purpose, bool events, char *path, size_t size, struct err *err);

/* Add @name=@value to @e, behind or in front of what the user has there: a list with colons. */
void preload_list(struct environment *e, const char *name, const char *value, bool in_front);

/* Run @t with @argv under the settings @p, as child_run() does. */
int preload_run(const struct preload *p, const struct target *t, char **argv, struct child_result *result,
		struct err *err);

#endif
