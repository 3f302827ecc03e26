/* SPDX-License-Identifier: MIT */
/* CPU time of a process with all that it starts, while they run. */
#ifndef PERSEUS_LIB_SPAWN_FAMILY_H
#define PERSEUS_LIB_SPAWN_FAMILY_H

struct family;

/* The family of whatever process family_cpu() is asked for first. */
struct family *family_new(void);
void family_free(struct family *f);

/*
 * CPU seconds of process @pid and its descendants so far; below 0: it is not there.
 * Those that ended count with what was seen of them, or, when they were waited for,
 * with what the kernel says (in steps of a clock tick).  Looking for new ones takes at
 * most a two hundredth of the time: of very many, some are found later.
 */
double family_cpu(struct family *f, int pid);

#endif
