/* SPDX-License-Identifier: MIT */
/*
 * Counts of denormal arithmetic: what .pden files hold, merged over units,
 * threads and processes.  include/perseus/denormal.h is the format.
 */
#ifndef PERSEUS_RECORD_DENORMAL_H
#define PERSEUS_RECORD_DENORMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"
#include "perseus/denormal.h"

#define DENORMAL_OPERANDS 3

struct denormal_site {
	uint64_t id;
	uint32_t kind, type, line, column, flags, operands;
	char *file, *function, *name;
	uint64_t results, births, deaths, operand[DENORMAL_OPERANDS];
	bool wrapped; /* the counts are lower bounds */
};

/* An array; those of several processes are several. */
struct denormal_object {
	struct prs_den_object raw;
	uint64_t loads, stores; /* denormal values */
};

struct denormal_thread {
	struct prs_den_thread raw;
	uint32_t pid;
	uint64_t results; /* all that its slots of PRS_DEN_RESULT counted */
};

struct denormal {
	struct VEC(struct denormal_site) sites;
	struct VEC(struct denormal_object) objects;
	struct VEC(struct denormal_thread) threads;
	size_t n_files, n_running; /* processes; those that did not end by themselves */
	size_t n_flushed;          /* threads that computed with FTZ or DAZ */
	uint64_t lost;             /* for which there was no room */
};

/*
 * Add the file @data of @size bytes, called @name in messages.  -EINVAL: it is
 * none, of another version, cut, or damaged, with the place; @d is then good
 * for denormal_release() alone.
 */
int denormal_add(struct denormal *d, const void *data, size_t size, const char *name, struct err *err);

/* After the last file: one site for each operation of the source, by function, file and line. */
void denormal_settle(struct denormal *d);

void denormal_release(struct denormal *d);

#endif
