/* SPDX-License-Identifier: MIT */
/*
 * The events that are counted, and one thread's set of open counters.
 *
 * Counters are descriptors in a process that does not know of them: they sit
 * above those that programs use, never take more than a quarter of what the
 * process may have, and each is asked for its identity before it is read or
 * closed, since programs close descriptors that are not theirs and reuse the
 * numbers.
 */
#ifndef RUNTIME_CALLS_COUNTER_SET_H
#define RUNTIME_CALLS_COUNTER_SET_H

#include "perseus/counter.h"
#include "runtime/base/rt.h"
#include "runtime/calls/counter-page.h"

enum counter_source {
	COUNTER_NONE = 0,   /* refused: `error` says why */
	COUNTER_PERF = 1,   /* a counter of the kernel's */
	COUNTER_SYSTEM = 2, /* refused, but getrusage() or the CPU clock knows it, too */
};

/* What is to be counted: the fields of perf_event_attr that make an event. */
struct counter_event {
	uint32_t type, flags; /* PRS_EVENT_* */
	uint64_t config, config1, config2;
	uint32_t source; /* enum counter_source */
	uint32_t user_only;
	uint32_t group; /* index of the event that leads its group */
	int error;      /* errno of why it is not COUNTER_PERF */
	char name[PRS_EVENT_NAME];
};

/* The same for all threads; written at the process's first thread, under rt_lock(). */
struct counter_plan {
	uint32_t n;
	uint32_t told;          /* the record has the names */
	uint32_t known;         /* sources and groups were found out */
	uint32_t lone;          /* groups never got onto the hardware: each event stands alone */
	uint32_t pages;         /* map the pages of the counters */
	uint32_t rung;          /* enum prs_counter_rung; RDPMC: read by the pages */
	uint64_t read_interval; /* ticks between two read(2) of one thread */
	uint32_t fds, fds_max;
	struct counter_event event[PRS_EVENTS_MAX];
};
extern struct counter_plan counter_plan __attribute__((visibility("hidden")));

struct counter_set {
	uint32_t tid;
	bool by_page;                  /* all counters of the hardware have their pages */
	int fd[PRS_EVENTS_MAX];        /* -1: none */
	int error[PRS_EVENTS_MAX];     /* why not, where the plan has one; errno */
	uint32_t lead[PRS_EVENTS_MAX]; /* index of the leader of its group */
	uint64_t id[PRS_EVENTS_MAX];   /* the kernel's */
	struct perf_event_mmap_page *page[PRS_EVENTS_MAX];
	uint64_t base[PRS_EVENTS_MAX]; /* of COUNTER_SYSTEM: before the thread was counted */
	uint64_t opened, read_at;      /* ticks */
	struct prs_counter_value last[PRS_EVENTS_MAX];
};

/* Clocks count whenever the thread runs, whatever the level of privilege. */
bool counter_is_clock(const struct counter_event *e);

/* Open what counter_plan asks for, for the calling thread.  False: nothing counts. */
bool set_open(struct counter_set *s);

/* Read all into s->last; @now in ticks.  What cannot be read keeps its value. */
void set_read(struct counter_set *s, uint64_t now);

void set_close(struct counter_set *s);

/* As set_close() in a fork child, which has the descriptors and not the pages. */
void set_drop(struct counter_set *s);

/* True if some event of @s was refused that the process's first thread could open. */
bool set_lacks(const struct counter_set *s);

#endif
