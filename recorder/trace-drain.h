/* SPDX-License-Identifier: MIT */
/*
 * The recorder's half of trace mode: a thread that copies the rings of the
 * program's threads (perseus/trace.h) into the stream files of a Common Trace
 * Format 1.8 trace, one for each thread: DIR/PID.EPOCH.THREAD; and adds the
 * calls up for their records, DIR/../PID.EPOCH.sums (recorder/trace-sums.h).
 */
#ifndef PERSEUS_RECORDER_TRACE_DRAIN_H
#define PERSEUS_RECORDER_TRACE_DRAIN_H

#include <limits.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"

/* A process image that traced something; its place in the list is its CTF stream id. */
struct drain_process {
	uint32_t pid, epoch;
};
struct drain_processes VEC(struct drain_process);

/* What was copied and what was not, over all threads. */
struct drain_totals {
	uint64_t calls, mems, notes; /* records in the files */
	uint64_t bytes;              /* of the files */
	uint64_t streams;
	uint64_t lost_calls, lost_mems; /* records that are not: the ring was full, or the disk */
	uint64_t gaps;                  /* how often a thread found its ring full */
	uint64_t blocked_ticks;         /* how long threads waited for room */
	uint64_t without_time;          /* calls that are in the files, and in no sum of a record */
	uint64_t damaged;               /* rings that the program has overwritten */
	uint32_t refused;               /* threads that found no ring */
	int error;                      /* errno of the write that ended the trace, 0 */
};

struct drain;

/* Called in the draining thread whenever a process has come; errors are its own business. */
typedef void drain_news(void *context, const struct drain_processes *processes);

/*
 * Make @slots rings of @ring_bytes (a power of two) and start draining them to
 * @dir, which must exist below the run directory; @uuid goes into each packet.  Returns NULL and sets
 * @err if the memory file or the thread cannot be made.
 */
struct drain *drain_start(const char *dir, const uint8_t uuid[16], uint32_t slots, uint64_t ring_bytes,
			  drain_news *news, void *context, struct err *err);

/* The descriptor of the memory file, open in this process and in what it executes, and its inode number. */
int drain_fd(const struct drain *d);
uint64_t drain_inode(const struct drain *d);

/*
 * The program has ended: copy what is left, end the thread, fill @totals and
 * @processes (the caller releases it), free everything.  A program that goes
 * on all the same is told that nobody reads any more.
 */
void drain_stop(struct drain *d, struct drain_totals *totals, struct drain_processes *processes);

#endif
