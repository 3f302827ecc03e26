/* SPDX-License-Identifier: MIT */
/* Where a sharing run could not look: time in code without memory probes. */
#ifndef PERSEUS_ANALYZER_LINES_UNSEEN_H
#define PERSEUS_ANALYZER_LINES_UNSEEN_H

#include <stdbool.h>

#include "analyzer/time/notes.h"
#include "record/run.h"

/* Shares of the threads' time, waits left out: from here on it is named, and no verdict is whole without it. */
#define UNSEEN_NAMED 0.05
#define UNSEEN_DOUBT 0.2

/*
 * Name in @blind the functions without probes that the threads spent much of
 * their time in, and the libraries that hold them, and in @doubts what that
 * leaves open.  Functions of the system's own libraries are not named.
 */
void unseen_find(struct notes *blind, struct notes *doubts, const struct run *run);

/* Is the module with this path one of the C library's or of ours? */
bool unseen_of_the_system(const char *path);

/* Say in @blind which modules come from a linker that puts globals elsewhere when there are probes. */
void unseen_places(struct notes *blind, const struct run *run);

#endif
