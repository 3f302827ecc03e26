/* SPDX-License-Identifier: MIT */
/*
 * The file `callees` of a run directory: names of functions in libraries without
 * probes that were called by a pointer.  The records have their addresses only,
 * and say nothing of where such libraries were.  A line is
 *
 *   pid address name         decimal, hexadecimal, to the end of the line
 *
 * The recorder writes it, where the system let it see what the program mapped.
 */
#ifndef PERSEUS_RECORD_CALLEES_H
#define PERSEUS_RECORD_CALLEES_H

#include "lib/err.h"
#include "record/run.h"

#define CALLEES_FILE "callees"

/* Load the file into @run; none is no error.  -EINVAL: a line is none. */
int callees_load(struct run *run, struct err *err);
void callees_release(struct run *run);

/* The name of what process @pid had at @address, NULL: not known. */
const char *callees_name(const struct run *run, uint32_t pid, uint64_t address);

#endif
