/* SPDX-License-Identifier: MIT */
/* Inside record/live: one record file, and the kernel's view of one thread. */
#ifndef PERSEUS_RECORD_LIVE_PARTS_H
#define PERSEUS_RECORD_LIVE_PARTS_H

#include "record/live/live.h"

/* What the kernel says of a thread; files that stay open. */
enum { TASK_STAT, TASK_SCHEDSTAT, TASK_SCHED, TASK_FILES };
struct task {
	int fd[TASK_FILES]; /* -1: not there, or opened for each look */
	bool opened;
};

struct task_look {
	char name[17];
	char state;
	int core;
	uint64_t run_ns, ready_ns, moves; /* so far; ~0: not known */
	uint64_t start_ns;                /* when it began, CLOCK_MONOTONIC_RAW */
};

/* False: there is no such thread (any more).  @moves: how often it was moved, too, which takes as long as the rest. */
bool task_look(struct task *t, uint32_t pid, uint32_t tid, bool moves, struct task_look *out);
void task_close(struct task *t);

/* Open the record @name of @dir; NULL: it cannot be opened, or is none (yet). */
struct live_file *live_file_open(const char *dir, const char *name);
void live_file_free(struct live_file *f);
const char *live_file_name(const struct live_file *f);

/* Its process has ended, has called exec(), of which @other is the record, or is not the one that has its number. */
bool live_file_is_over(const struct live_file *f, const struct live_file *other);

/* Read the file again and append its threads that are there at @now_ns; @l has the rest. */
void live_file_look(struct live_file *f, struct live *l, uint64_t now_ns);

#endif
