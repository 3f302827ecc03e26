/* SPDX-License-Identifier: MIT */
/*
 * A run while it is going on: what each thread did since the last look.  A look
 * reads what the threads publish anyway, by pread() of the record files, and what
 * the kernel says of them; the program does nothing for it and is not stopped.
 */
#ifndef PERSEUS_RECORD_LIVE_LIVE_H
#define PERSEUS_RECORD_LIVE_LIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"
#include "perseus/record.h"

/* Not measured, or not yet: rates need two looks. */
#define LIVE_UNKNOWN (-1.0)

/* Cache lines that a thread took from others, all in all, as far as its run saw them. */
struct live_lines {
	uint64_t transfers;
	uint64_t from_modified; /* ... that another had changed */
	uint64_t invalidated;   /* ... by a store: others lost their copies */
	uint64_t at_ns;         /* when they were added up; 0: never, or no sharing run */
};

/* One thread since the look before.  Shares are of the time between, 0 to 1; rates are per second. */
struct live_thread {
	uint32_t pid, index, tid;
	char name[17];     /* the kernel's */
	char state;        /* 'R' running or ready, 'S', 'D', ... as proc(5); 'X': it has ended */
	int core;          /* -1: not known */
	double running;    /* on a core */
	double ready;      /* on none, though it could run */
	double waiting;    /* inside waits that the runtime sees */
	double calls;      /* counted calls, which are paid for in steps of their period */
	double transfers;  /* cache lines taken from other threads; sharing runs only */
	double migrations; /* from core to core */
	struct live_lines lines;
	uint32_t loser; /* index of the thread that lost most lines to it; PRS_NO_THREAD */

	/* The wait that took longest; kind 0: there was none. */
	uint32_t wait_kind; /* enum prs_event_kind */
	uint32_t wait_for;  /* index of the thread that held, signalled or came last; PRS_NO_THREAD */
	uint64_t wait_object;
	int wait_fd;
	bool wait_open; /* it has not ended */
};

struct live_threads VEC(struct live_thread);

struct live_file; /* one record file */
struct live_files VEC(struct live_file *);

struct live {
	char dir[PATH_MAX];
	struct live_files files;
	struct live_threads
		threads;    /* of the last look, by file and index; those that ended before it are gone */
	uint64_t looked_ns; /* CLOCK_MONOTONIC_RAW of it */
	size_t n_processes; /* that are there */
	size_t n_ended;     /* threads that were there once */
	bool sharing;       /* some process looks at memory accesses */
	bool in_bursts;     /* ... now and then only: fewer transfers are seen than there are */
	bool counted;       /* some process times calls and waits */
};

/* Watch the run directory @dir, which need not have any record yet. */
void live_open(struct live *l, const char *dir);
void live_close(struct live *l);

/*
 * Look: fills @l->threads.  A file that is not a record, or is damaged, has no threads;
 * -ENOENT: the directory is gone.
 */
int live_look(struct live *l, struct err *err);

#endif
