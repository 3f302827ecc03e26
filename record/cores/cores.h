/* SPDX-License-Identifier: MIT */
/*
 * The file `cores` of a run directory: on which core a thread was when the
 * recorder looked at it, each millisecond of its CPU time or less often; a line
 * `pid tid ns core` each, ns as CLOCK_MONOTONIC_RAW has it.  Most runs have
 * some; of one that could not be looked at there is no such file.
 */
#ifndef PERSEUS_RECORD_CORES_CORES_H
#define PERSEUS_RECORD_CORES_CORES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"

#define CORES_FILE "cores"

struct core_look {
	uint64_t ns;
	uint32_t pid, tid, core;
};
struct core_looks VEC(struct core_look);

/* Write the file into the run directory @dir; none if there is nothing in @looks.  0 or a negative errno. */
int cores_write(const char *dir, const struct core_looks *looks, struct err *err);

/* Read it, by pid, tid and time; nothing if there is none, or if it is damaged (-EINVAL).  The caller releases @looks. */
int cores_read(const char *dir, struct core_looks *looks, struct err *err);

/* Index of the first look at a thread in @looks as read, or of one behind it; looks->n: there is none. */
size_t cores_first(const struct core_looks *looks, uint32_t pid, uint32_t tid);

#endif
