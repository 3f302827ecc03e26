/* SPDX-License-Identifier: MIT */
/*
 * The one file that a run on Slurm keeps.  Lines are only ever appended, by one write each:
 *
 *	perseus-journal 1 KEY WORKFLOW    the name of the run, the hash of its workflow
 *	plan N                            a plan of N tasks begins ...
 *	order TASK NODE,NODE              ... the first task first ...
 *	planned N                         ... which counts once this line is there
 *	moving N                          jobs that wait are held, get nodes and dependencies of the plan ...
 *	moved N                           ... and are let go
 *	submit TASK                       sbatch is about to be called
 *	job TASK ID                       what it said
 *	state TASK WORD                   the end, as of slurm_states
 *	started TASK 0                    written by the job itself
 *	ended TASK STATUS                 ... behind its command
 *	skipped TASK 0                    ... instead: what it waits for has not ended with status 0
 *
 * A task is its number in the workflow, from 0.  Who holds the file's lock is the only one that submits: the lock is
 * inherited by sbatch, so that a killed run's last sbatch has ended before the next run looks for its job.
 */
#ifndef PERSEUS_SCHEDULER_SLURM_JOURNAL_H
#define PERSEUS_SCHEDULER_SLURM_JOURNAL_H

#include "scheduler/slurm/commands.h"
#include "scheduler/work/schedule.h"

#define JOURNAL_KEY 17

/* What the journal says of a task. */
struct journal_task {
	bool submitted; /* sbatch was called */
	uint64_t id;    /* of the job; 0: not known */
	bool is_final;
	enum slurm_state state;       /* ... then */
	bool started, skipped, ended; /* the job said so */
	int status;                   /* ... with which status */
};

/* Tasks in their order, and the nodes of each task, "a,b"; NULL: it is not part of it. */
struct journal_plan {
	size_t *order, n;
	char **nodes;
};

struct journal {
	int fd;
	char *path; /* absolute */
	char key[JOURNAL_KEY];
	size_t tasks, read; /* bytes that were read, whole lines */
	struct journal_task *task;
	struct journal_plan plan, next; /* the last one that is whole, n 0: there is none; one that is read */
	bool moving;
};

/*
 * Begin the journal at @path, or go on with it.  -EINVAL: it is none, or of another workflow; -EWOULDBLOCK: another
 * process has it; -errno of open().  *@j is to be closed in any case.
 */
int journal_open(struct journal *j, const char *path, const struct workflow *w, struct err *err);
void journal_close(struct journal *j);

/* Read what jobs have written meanwhile. */
int journal_read(struct journal *j, struct err *err);

/* Append one line, and wait until it is on disk. */
int journal_add(struct journal *j, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
