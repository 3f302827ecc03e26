/* SPDX-License-Identifier: MIT */
/*
 * The memory file of a trace in this process.  All traced processes of one
 * user can write there: what addresses are made of is read from it once,
 * checked, and kept here.
 */
#ifndef RUNTIME_CALLS_TRACE_MAP_H
#define RUNTIME_CALLS_TRACE_MAP_H

#include "runtime/calls/trace.h"

/* All but what the header says of the recorder is constant once it is set. */
extern struct rt_trace {
	struct prs_trace *head; /* NULL: no trace */
	struct prs_ring *rings;
	unsigned char *data; /* of ring 0 */
	uint64_t ring_bytes;
	uint64_t pid_ns;
	uint64_t mapped;
	uint32_t slots;
	uint32_t policy;
	uint32_t owner; /* user that the file belongs to */
} trace __attribute__((visibility("hidden")));

#endif
