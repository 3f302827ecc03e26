/* SPDX-License-Identifier: MIT */
/*
 * Counted events in a record file (record.h): how the recorder asks for them,
 * and what a COUNTER chunk holds.
 *
 * PERSEUS_EVENTS is "HOW;TYPE.CONFIG.CONFIG1.CONFIG2.FLAGS NAME;...": HOW is
 * "rdpmc" where that instruction may be tried and "read" where not, the
 * numbers are hexadecimal and those of struct perf_event_attr, FLAGS are
 * PRS_EVENT_*.  A name holds no semicolon.
 *
 * The first TEXT chunk of a process says what became of each, by number:
 *   counters.interval_us N     between two readings of a thread, at first
 *   counters.read_ns N         what a reading by read(2) cost
 *   counters.rdpmc_ns N        what one counter cost by rdpmc, 0 not possible
 *   event.I.name NAME
 *   event.I.source perf|system|none, "perf user": not in the kernel
 *   event.I.group I            the event that leads its group
 *   event.I.error N            errno: why it is not a counter of the kernel's
 */
#ifndef PERSEUS_COUNTER_H
#define PERSEUS_COUNTER_H

#include <stdint.h>

#define PRS_ENV_EVENTS "PERSEUS_EVENTS"
#define PRS_EVENTS_MAX 16u
#define PRS_EVENT_NAME 64u /* bytes, with the NUL */

/* Flags of an event. */
#define PRS_EVENT_NO_USER   1u
#define PRS_EVENT_NO_KERNEL 2u
#define PRS_EVENT_NO_HV     4u
#define PRS_EVENT_NO_HOST   8u
#define PRS_EVENT_NO_GUEST  16u
#define PRS_EVENT_ANY_LEVEL 32u /* user mode alone will do where more is not allowed */

/* How counters are read; settled by timing it when the process starts. */
enum prs_counter_rung {
	PRS_RUNG_NONE = 0,  /* nobody asked for any */
	PRS_RUNG_CLOCK = 1, /* the kernel counts nothing for us */
	PRS_RUNG_READ = 2,  /* read(2), once per interval */
	PRS_RUNG_RDPMC = 3, /* rdpmc; what is no hardware counter as in READ */
};

enum prs_counter_why {
	PRS_COUNTER_BLOCK = 1,   /* a logged call returned */
	PRS_COUNTER_PHASE = 2,   /* a synchronisation event */
	PRS_COUNTER_TICK = 3,    /* the interval had passed */
	PRS_COUNTER_END = 4,     /* of the thread or the process */
	PRS_COUNTER_REFUSED = 5, /* at the start: `value` of what this thread was refused is the errno */
};

/*
 * One reading of one thread: a COUNTER entry is this and a value for each
 * event.  Values are running sums since the thread's start.  Entries need not
 * be in order, the same tick may occur twice, and 0 is no reading: what a kill
 * in the middle of thinning leaves.
 */
struct prs_counter {
	uint64_t tsc;
	uint32_t site; /* innermost timed call, or PRS_NO_SITE */
	uint16_t why;  /* enum prs_counter_why */
	uint16_t n;    /* values that follow */
};
_Static_assert(sizeof(struct prs_counter) == 16, "format");

struct prs_counter_value {
	uint64_t value;
	uint64_t enabled; /* ns that it was wanted; for source system: ticks, as running */
	uint64_t running; /* ... and counted: less where events take turns */
};
_Static_assert(sizeof(struct prs_counter_value) == 24, "format");

#endif
