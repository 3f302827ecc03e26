/* SPDX-License-Identifier: MIT */
/* Clocks: the time-stamp counter and the frequency of the core. */
#ifndef PERSEUS_PLATFORM_BASE_CLOCK_H
#define PERSEUS_PLATFORM_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock_facts {
	bool tsc;        /* the processor has a time-stamp counter */
	bool invariant;  /* it runs at one rate in all states */
	double tsc_hz;   /* measured against CLOCK_MONOTONIC_RAW over some ms */
	double step_ns;  /* smallest difference seen between two readings */
	double read_ns;  /* cost of a reading, back to back */
	char source[32]; /* the kernel's clock source, "" unknown */
};

/* CLOCK_MONOTONIC_RAW and the calling thread's CPU time, ns. */
uint64_t clock_wall_ns(void);
uint64_t clock_cpu_ns(void);

/* Measure the clock (about 15 ms); source is read below @sysroot. */
void clock_facts(struct clock_facts *f, const char *sysroot);

/*
 * Frequency of the core that the calling thread runs on, under load, kHz
 * (about 40 ms; right even if others use the core: CPU time counts).  By the
 * cycle counter where perf_event_open(2) allows it, else by a chain of
 * multiplications of known latency.  @how, if not NULL, gets "cycle counter"
 * or "multiplication chain".  0: not known on this processor.
 */
uint64_t clock_core_khz(const char **how);

/*
 * The same within two or three milliseconds as a rule, by the chain alone: as
 * soon as some short rounds agree.  0: not known on this processor.
 */
uint64_t clock_core_khz_quick(void);

/*
 * What an atomic addition takes whose cache line nobody else uses, ps: the least of some
 * short rounds, half a millisecond in all.  0: the clock stood still meanwhile.
 */
uint64_t clock_locked_ps_quick(void);

/*
 * The core's frequency by @passes of the chain alone, 192 cycles each: short ones for
 * changes in time.  0: not known on this processor.
 */
double clock_chain_khz(uint32_t passes);

#endif
