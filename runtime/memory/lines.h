/* SPDX-License-Identifier: MIT */
/* What one thread did to which lines: tables of struct prs_line in the record. */
#ifndef RUNTIME_MEMORY_LINES_H
#define RUNTIME_MEMORY_LINES_H

#include "runtime/base/rt.h"

#define RT_LINE_TABLES   5u
#define LINE_TABLES_COLD 2u /* of lines that do not seem to matter */

struct rt_lines {
	uint32_t n;
	struct prs_chunk *table[RT_LINE_TABLES]; /* oldest and smallest first */
};

/* The entry of (line, site) in the thread's tables, NULL: none. */
struct prs_line *lines_find(const struct rt_thread *t, uint64_t line, uint32_t site);

/*
 * The same, made if it is new; NULL: no room, counted as lost.  @access as in
 * the probe.  For its sake alone there will be no more than @tables tables.
 */
struct prs_line *lines_get(struct rt_thread *t, uint64_t line, uint32_t site, uint32_t access,
			   uint32_t tables);

/* The thread ends, and nothing more is written into its tables. */
void lines_end(struct rt_thread *t);

/* Accesses of the kind of @access touched the bytes @mask. */
void lines_mark(struct prs_line *e, uint32_t access, uint64_t mask);

/* The line was taken @times times from the holders of the bits @from. */
void lines_peers(struct prs_line *e, uint32_t from, uint32_t times);

#endif
