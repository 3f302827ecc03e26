/* SPDX-License-Identifier: MIT */
/* What the performance counters of this machine allow this user. */
#ifndef PERSEUS_PLATFORM_EVENTS_COUNTERS_H
#define PERSEUS_PLATFORM_EVENTS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTERS_PARANOID_UNKNOWN (-100)

struct counter_facts {
	int error;            /* 0: user-mode cycles can be counted; else why not (errno) */
	uint32_t at_once;     /* programmable counters in one group */
	bool dead_cycles;     /* the cycle counter can be opened but stands still */
	bool rdpmc;           /* the cycle counter can be read from user mode */
	double rdpmc_ns;      /* its cost as it was measured, 0 not possible */
	double read_ns;       /* cost of read(2) */
	char library_pmu[64]; /* what libpfm4 takes the processor for, "" unknown */
};

/* Try the counters of this machine (about 5 ms). */
void counters_probe(struct counter_facts *f);

/* How a tool may sample data addresses: "ibs_op", "precise events", or NULL. */
const char *counters_sampling(const char *sysroot);

/* /proc/sys/kernel/perf_event_paranoid, COUNTERS_PARANOID_UNKNOWN if it is not there. */
int counters_paranoid(const char *sysroot);

/* True if /proc/cpuinfo says that this is a virtual machine. */
bool counters_virtual(const char *sysroot);

#endif
