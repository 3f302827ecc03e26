/* SPDX-License-Identifier: MIT */
/*
 * Where a program spends its CPU time, by looks at regular intervals of it
 * (perf_event_open(2), a clock of the kernel): how many fell into one library.
 * A look in the kernel belongs to what called it.
 */
#ifndef PERSEUS_PLATFORM_EVENTS_SAMPLES_H
#define PERSEUS_PLATFORM_EVENTS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"

/* Weighed by the time that they stand for, but for the first. */
struct samples_totals {
	uint64_t taken;  /* looks at the program */
	uint64_t all;    /* 0: none could be taken */
	uint64_t inside; /* ... in the library, or on the way to it */
	uint64_t
		watching; /* ... in the program's text at probes that were enabled: by their part of a loop, */
	uint64_t resting;  /* ... just behind memory probes at rest, */
	uint64_t counting; /* ... behind the first part of a probed call, which counts it */
	uint64_t loading;  /* ... elsewhere in its text, behind instructions that read memory */
	bool user_only;    /* system calls were not looked at: that needs a permission */
};

/* A mapping with machine code that some process made, in the order of their coming. */
struct samples_map {
	uint32_t pid;
	uint64_t start, bytes, offset; /* of the file */
	char *path;
};
struct samples_maps {
	struct samples_map *at;
	size_t n;
};

/* On which core a thread was at a look; ns of CLOCK_MONOTONIC_RAW. */
struct samples_core {
	uint64_t ns;
	uint32_t pid, tid, core;
};
struct samples_cores VEC(struct samples_core);

struct samples;

/*
 * Look every @period_ns, twice as often at first, at what this process executes from now on with all that
 * it starts, and whether that is in a library whose base name begins with
 * @library, which must outlive the result.  NULL: the system does not allow it.
 */
struct samples *samples_start(const char *library, uint64_t period_ns);

/* What one look takes of the program's CPU time; about a millisecond of work.  0: not known. */
uint64_t samples_price_ns(void);

/*
 * End, and tell; all is 0 if no such library was loaded.  @maps gets the last
 * mappings, for samples_maps_release(); @cores where threads were, for vec_release(), in no order: all
 * of 65,536 looks, and of more every second, fourth, ... one.  @s may be NULL.
 */
void samples_stop(struct samples *s, struct samples_totals *totals, struct samples_maps *maps,
		  struct samples_cores *cores);
void samples_maps_release(struct samples_maps *maps);

/*
 * Add what @bytes of a ring's records at @data say; for tests.  @maps: take
 * mappings, or else looks.  Wants @s from samples_new().
 */
struct samples *samples_new(const char *library);
void samples_take(struct samples *s, const void *data, size_t bytes, bool maps);

#endif
