/* SPDX-License-Identifier: MIT */
/*
 * How often a thread accesses a line, from what a sharing run saw of it.
 *
 * Accesses that hit leave no trace, so the number is put together from what
 * does: ranges announce how often a loop will access a line; watch windows
 * see every access for a while, and so how far apart they are; and the first
 * and the last transfer say for how long that went on.
 */
#ifndef PERSEUS_ANALYZER_LINES_EVIDENCE_H
#define PERSEUS_ANALYZER_LINES_EVIDENCE_H

#include "analyzer/lines/lines.h"

/* So many gaps make a mean. */
#define EVIDENCE_GAPS 8

/* A locked access takes so many cycles at the least. */
#define EVIDENCE_LOCKED_CYCLES 6

/*
 * Before the others: give all of the @n uses of a process the gaps of their site.
 * Threads that run one loop take the same time from access to access, and a gap is
 * a short time measured with a long one; so they are told together.
 */
void evidence_pool(struct line_use *u, size_t n);

/* Accesses of the use in windows after a gap too long to be measured, if these are most of them; else 0. */
double evidence_long_gaps(const struct line_use *u);

/* What a probe takes that finds its line at hand, ns. */
double evidence_hit_ns(const struct run_process *p);

/* What one access of @u took in the run at the least, ns, with its probe; after evidence_fill(). */
double evidence_least_ns(const struct line_use *u, const struct line_pace *pace);

/*
 * Fill accesses, visits, active_ns, transfers and how of the @n uses that one
 * thread makes of one line; @u[].accesses holds what was counted in place,
 * 0: nothing was.
 */
void evidence_fill(struct line_use *u, size_t n, const struct run_process *p, const struct line_pace *pace);

/* The same of uses whose times overlap; @elsewhere: ns that the thread used the line in other stages. */
void evidence_stage(struct line_use *u, size_t n, const struct run_process *p, const struct line_pace *pace,
		    double elsewhere);

#endif
