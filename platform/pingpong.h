/* SPDX-License-Identifier: MIT */
/*
 * Two pinned threads on one cache line, or on two: what an access costs, how
 * long a modified line travels; and one thread that moves between cores.
 *
 * A round is quiet if both threads started in time and were on their cores
 * for nearly all of it; only quiet rounds tell about the machine rather than
 * about its other users.
 */
#ifndef PERSEUS_PLATFORM_PINGPONG_H
#define PERSEUS_PLATFORM_PINGPONG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "yaml/platform.h"

struct pingpong {
	double ps; /* per access */
	bool quiet;
	double lost; /* part of the round, 0 to 1, in which one of the two threads had no core */
};

/*
 * One round of @window_us: both threads do @kind, on words of one line
 * (@same_line) or far apart.  PRS_KIND_LOAD: the first loads, the second does
 * read-modify-writes, the price is the loader's.  Cores are the operating
 * system's numbers, different ones.  -EINVAL if a core cannot be used.
 */
int pingpong_access(uint32_t core_a, uint32_t core_b, enum prs_kind kind, bool same_line, uint32_t window_us,
		    struct pingpong *out, struct err *err);

/*
 * The same with @work units of other work after each access, a chain of
 * dependent instructions of the thread's own; ps is for both together.  With
 * PRS_KIND_LOAD the work needs the loaded value, else it needs nothing of it.
 */
int pingpong_spaced(uint32_t core_a, uint32_t core_b, enum prs_kind kind, bool same_line, uint32_t work,
		    uint32_t window_us, struct pingpong *out, struct err *err);

/*
 * The same with two threads that do unlike things, each with its own work, which needs
 * nothing of what a load brings; out[] is what each pays by itself.
 */
struct pingpong_side {
	enum prs_kind kind;
	uint32_t work;
};
int pingpong_unlike(uint32_t core_a, uint32_t core_b, const struct pingpong_side sides[2], bool same_line,
		    uint32_t window_us, struct pingpong out[2], struct err *err);

/* One round of @trips there and back; ps is for one way. */
int pingpong_transfer(uint32_t core_a, uint32_t core_b, uint32_t trips, struct pingpong *out,
		      struct err *err);

/*
 * The median of @moves moves of a thread between two cores, with reading 32 KiB
 * again afterwards, ns.
 */
int pingpong_migrate(uint32_t core_a, uint32_t core_b, uint32_t moves, double *ns, struct err *err);

/* A sched_setaffinity() to the core where the thread is, and a call like a trigger's, ns. */
int pingpong_calls(uint32_t core, double *affinity_ns, double *trigger_ns, struct err *err);

#endif
