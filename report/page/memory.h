/* SPDX-License-Identifier: MIT */
/*
 * The memory round the findings of a sharing run: which pages, what lies in
 * them, and what happened to them when.  For this folder and its tests.
 */
#ifndef PERSEUS_REPORT_PAGE_MEMORY_H
#define PERSEUS_REPORT_PAGE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"
#include "report/conflicts/conflicts.h"

#define MEMORY_FINDINGS   64u
#define MEMORY_PAGES      64u /* of all findings */
#define MEMORY_PAGES_OF   16u /* of one finding */
#define MEMORY_BINS       256u
#define MEMORY_EVENTS     1000000u /* accesses one by one */
#define MEMORY_WINDOW     2000u    /* accesses in a row, where not all are kept */
#define MEMORY_PAGE_LINES 64u

/* Bytes of a line that have one name; indices into names, 0: no name. */
struct memory_span {
	uint32_t line; /* 64 * page + line in it, as in all of these */
	uint32_t at, bytes;
	uint32_t name;  /* "grid[1].count" */
	uint32_t field; /* "grid[].count": the same of all elements */
};

/* A line that belongs to a finding. */
struct memory_line {
	uint32_t finding, line;
	uint64_t transfers;
};

/* What lies where. */
struct memory_places {
	const struct sharing_report *rep;
	const struct run *run;
	const struct run_process *p;
	const struct sharing_finding **findings;
	size_t n_findings;
	uint64_t *pages; /* address / 4096, ascending */
	size_t n_pages;
	struct VEC(struct memory_line) lines; /* by finding, most transfers first */
	struct VEC(struct memory_span) spans; /* ascending */
	struct VEC(char *) names;             /* [0] is "" */
	uint16_t *finding_of;                 /* by line: 1 + the first finding that it belongs to, 0 none */
	uint32_t *field_of;                   /* by byte of the pages */
	size_t findings_left_out, pages_left_out;
};

/* Of the process of the first finding of @rep that is one of @run.  No finding: no page. */
void memory_places_make(struct memory_places *m, const struct sharing_report *rep, const struct run *run);
void memory_places_release(struct memory_places *m);

/* The line of the pages that @address is in; UINT32_MAX: of none of them. */
uint32_t memory_line_at(const struct memory_places *m, uint64_t address);

/* One access to one line.  A line that comes from another thread's cache is a conflict. */
struct memory_event {
	uint64_t seq; /* of all accesses to these pages, in order of time */
	uint64_t ns;  /* since the start of the process */
	uint32_t thread, site;
	uint32_t at;   /* byte of the pages: 64 * line + byte in it */
	uint32_t pair; /* 1 + which object and fields conflict, 0: no conflict of a finding */
	uint32_t rival, rival_site,
		rival_at;    /* ... with whose access; without a pair: who came to the line before */
	uint8_t kind, bytes; /* PRS_KIND_*; of this line */
	bool chosen;
};

/* Which fields of which finding were in conflict: what a player stops at once. */
struct memory_pair {
	uint32_t finding, a, b; /* indices of names, a <= b */
	uint64_t count, last_part;
};

/* What a thread did to a line in each part of the run. */
struct memory_use {
	uint32_t line, thread;
	uint32_t reads[MEMORY_BINS], writes[MEMORY_BINS], moves[MEMORY_BINS];
};

/* What happened. */
struct memory_story {
	bool traced;                        /* every access; else sums of what was recorded */
	uint64_t span_ns;                   /* of all bins */
	struct VEC(struct memory_use) uses; /* by line, then thread */
	struct VEC(struct memory_event) events;
	struct VEC(struct memory_pair) pairs;
	uint64_t seen;       /* accesses to the pages in the trace */
	uint64_t lost, gaps; /* records that the trace does not have, of all pages */
	char *damage;        /* what of the trace could not be read, or NULL */
};

/* From the trace of the run, if it has one, else from its bounded record. */
void memory_story_make(struct memory_story *s, const struct memory_places *m);
void memory_story_release(struct memory_story *s);

/* The document `memory` and its tables, appended to @out; m->p is not NULL. */
void page_memory_write(const struct memory_places *m, const struct memory_story *s, struct strbuf *out);

/*
 * Which of very many accesses are kept one by one: the first quarter of @limit; from each
 * sixteenth of the run @window of them round the first conflict of each pair, and @window
 * of them at even distances, half of all.  All, if there are no more than @limit.
 */
struct memory_choice {
	struct memory_story *story;
	uint64_t limit, window;
	uint64_t until;     /* accesses in front of this one are chosen */
	uint64_t next_ns;   /* when the next of the even ones begins */
	uint64_t conflicts; /* windows round conflicts so far */
};

void memory_choice_start(struct memory_choice *c, struct memory_story *s, uint64_t limit, uint64_t window);
void memory_choice_add(struct memory_choice *c, const struct memory_event *e);
void memory_choice_end(struct memory_choice *c);

#endif
