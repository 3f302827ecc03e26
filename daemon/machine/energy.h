/* SPDX-License-Identifier: MIT */
/*
 * Joules of the packages, of which each process hears its own part: sums of whole
 * windows, rounded, of the one that connected.  The counters are a side channel (CVE-2020-8694),
 * so they are opened only if somebody may hear of them; all share one row of windows,
 * so that nobody makes shorter ones out of differences.
 */
#ifndef PERSEUS_DAEMON_MACHINE_ENERGY_H
#define PERSEUS_DAEMON_MACHINE_ENERGY_H

#include <stdbool.h>
#include <sys/types.h>

#include "perseus/ctl.h"

#define ENERGY_ZONES      32
#define ENERGY_SHARES     64  /* processes that are told */
#define ENERGY_LEAST_MS   100 /* of a window */
#define ENERGY_MOST_MS    60000
#define ENERGY_DEFAULT_MS 1000
#define ENERGY_ROUNDED_MJ 100
#define ENERGY_MOST_W     10000 /* of a package: a counter that would have had more was set anew */

struct energy_zone {
	int fd;
	prs_u64 range_uj, last_uj;
};

/* What one process has had. */
struct energy_share {
	pid_t pid;       /* 0: free */
	bool is_new;     /* since the last look: its window has not begun */
	prs_u64 own_ns;  /* CPU time at the last look */
	prs_u64 mj;      /* of all windows, each rounded */
	prs_u32 windows; /* that were whole */
};

struct energy {
	bool is_there;
	char why[160]; /* why not, for people */
	prs_u32 n, window_ms;
	struct energy_zone zone[ENERGY_ZONES];
	int stat; /* CPU time of the machine; -1: not open */
	bool has_begun;
	prs_u64 at_ms, busy_ns; /* of the last look */
	struct energy_share share[ENERGY_SHARES];
};

/* Open the counters below @sysroot: packages, and memory beside them.  Always succeeds: energy->why says what is missing. */
void energy_find(struct energy *energy, const char *sysroot, prs_u32 window_ms);

/* Tell @pid from now on: its place, or -1 if there is none. */
int energy_join(struct energy *energy, pid_t pid);
void energy_leave(struct energy *energy, int place);

/* End the window if it is long enough, and deal its joules by CPU time. */
void energy_look(struct energy *energy, prs_u64 now_ms);

#endif
