/* SPDX-License-Identifier: MIT */
/* What `perseus top` looks at: a run directory, of a program that is started for it or was before. */
#ifndef PERSEUS_CMD_TOP_SOURCE_H
#define PERSEUS_CMD_TOP_SOURCE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/err.h"
#include "lib/strbuf.h"

struct top_source {
	char dir[PATH_MAX];
	char output[PATH_MAX + 8]; /* where a started program's output goes, "" */
	pid_t recorder;            /* of a started program, or itself, 0 */
	int status;                /* of it, once it has ended */
};

/* The run @name, which may be "@last" or a path. */
int top_source_run(struct top_source *s, const char *name, struct err *err);

/*
 * The run that process @pid is recorded into.  -ENOENT: there is no such process; -EACCES: it
 * is somebody else's; -ENODATA: it is not recorded, with advice for the command @verb.
 */
int top_source_process(struct top_source *s, unsigned pid, const char *verb, struct err *err);

/* How a program is started. */
struct top_start {
	const char *verb;    /* of the run's name */
	const char *purpose; /* it is recorded for, NULL: it is not recorded */
	const char *sharing; /* how a sharing run looks, NULL: as usual */
	int hold[2];         /* a pipe: it begins at a byte, and never if the pipe is closed; 0, 0: at once */
};

/*
 * Start @argv (NULL at its end), recorded into a new run below perseus.data by this program
 * itself; its output goes into a file beside the run.
 */
int top_source_start(struct top_source *s, char *const *argv, const struct top_start *how, struct err *err);

/*
 * The started program has ended and nothing was recorded: the reason, from what its recorder said, with the
 * file that has all of it.  A negative errno, for cmd_status().
 */
int top_source_failed(const struct top_source *s, struct err *err);

/* How a started program ended: "", ", by signal 6 (Aborted)", ", with status 9". */
void top_source_end(const struct top_source *s, struct strbuf *out);

/* 128 + N if signal N ended the started program, as a shell has it; else 0, also while it goes on. */
int top_source_signal(const struct top_source *s);

/* True while the recorder of a started program runs. */
bool top_source_goes_on(struct top_source *s);

#endif
