/* SPDX-License-Identifier: MIT */
/* What one thread did to which lines: tables of struct prs_line in the record. */
#ifndef RUNTIME_LINES_H
#define RUNTIME_LINES_H

#include "runtime/rt.h"

#define RT_LINE_TABLES 5u

struct rt_lines {
	uint32_t n;
	struct prs_chunk *table[RT_LINE_TABLES]; /* oldest and smallest first */
};

/*
 * The entry of (line, site) in the thread's tables, made if it is new; NULL:
 * no room, counted as lost.  @access as in the probe.
 */
struct prs_line *lines_get(struct rt_thread *t, uint64_t line, uint32_t site, uint32_t access);

/* The line was taken @times times from the holders of the bits @from. */
void lines_peers(struct prs_line *e, uint32_t from, uint32_t times);

#endif
