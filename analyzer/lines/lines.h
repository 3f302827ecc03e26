/* SPDX-License-Identifier: MIT */
/*
 * What each thread did to each cache line, from each site: the line entries
 * of a sharing run with names, byte masks, and accesses.
 */
#ifndef PERSEUS_ANALYZER_LINES_LINES_H
#define PERSEUS_ANALYZER_LINES_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/objects/objects.h"
#include "record/run.h"

/*
 * A line that moved no more often than this between two threads, or than two
 * times for each of their synchronisation events (up to LINE_HANDOVER_MAX),
 * was handed over.  How often a line moves says little about how much two
 * threads fight for it when a busy machine seldom runs both at a time, so the
 * limit is low where nothing explains a handoff.
 */
#define LINE_HANDOVER     2u
#define LINE_HANDOVER_MAX 32u

/* Source of an access count. */
enum count_source {
	EVIDENCE_SEEN,      /* only those that left a trace */
	EVIDENCE_WINDOW,    /* as often as in the watch windows, from the first to the last transfer */
	EVIDENCE_ANNOUNCED, /* ranges in front of loops */
	EVIDENCE_COUNTED,   /* a counter of the site, dealt to its lines (records before minor 2) */
};

/* How a thread's times in the sharing run stand to those without memory probes. */
struct line_pace {
	double time;      /* its whole time: a factor, at most 1 */
	double work;      /* its time outside the runtime: a factor, at most 1 */
	double cpu_ns;    /* its CPU time without memory probes, as far as that is known */
	double misses;    /* of all its uses in the sharing run; few, and each was recorded */
	double run_ns;    /* its CPU time in the sharing run; 0: the same */
	double cycle_ns;  /* of its core; 0: not known */
	double locked_ns; /* what a locked access takes there that finds its line at hand; 0: not known */
	double late;      /* the part of its sleep that was longer than it is as a rule; 0..1 */
	bool cut;     /* some are far shorter, as they end at a set time; and bursts saw few of the visits */
	bool spins;   /* it asks the time all the time */
	bool native;  /* cpu_ns is a timing run's */
	bool windows; /* accesses are looked at in windows; outside their tags fit */
};

struct line_use {
	const struct prs_line *raw;
	const struct run_mem_site *site; /* NULL: not known */
	uint32_t thread;
	enum count_source how;
	double accesses;  /* of this thread and site to this line */
	double low, high; /* no fewer and no more than so many, as far as that can be known */
	double fewer,
		more;  /* by how much fewer and more there may be, as factors, but for what gaps are off */
	bool by_count; /* the number is counted, whatever the gaps are */
	double scale;  /* misses of the whole run for each that was recorded */
	double gap_own, gap_mean;   /* ticks, as seen in windows, of the site in all threads; 0: not seen */
	double site_own, site_mean; /* ... of any uses of the site, for one that no window saw */
	bool line_seen;             /* a window saw the site at this line in another thread */
	double others;              /* misses of the thread at other lines while it was seen here */
	double starts;   /* accesses of windows that the thread's windows at the line may have begun with */
	double borrowed; /* weight of gaps that are the site's, 0: they are its own */
	double probe_ns; /* what its probe added to an access in the run */
	double wide, wide_short; /* by how much longer and shorter gaps may be, as factors */
	/* Of the thread to this line, the same in all its uses, but for dispute_ns, which is of a stage. */
	double active_ns;  /* how long it goes on using the line */
	double visits;     /* in that time; several accesses at once are one */
	double dispute_ns; /* of its time in the run, from transfer to transfer; 0: not known */
	double disputed_ns; /* of its time in the run, with others coming all the time: every gap is one of these */
	double disputed_least_ns; /* ... at the least */
	bool gap_waits;           /* active_ns / visits includes what it waited for the line */
	bool active_waits;        /* active_ns does */
	bool frame;               /* the work between goes through the frame, as without optimisation */
	bool by_span;             /* the number of accesses follows from the time between first and last */
	uint64_t read, written;   /* bytes of the line; 0 and 0: not known */
	uint64_t beside;          /* those of @read that a vector load may have taken in without need */
};

struct line_uses {
	struct line_use *at; /* ascending line, generation, thread, site */
	size_t n;
	uint64_t handovers; /* lines left out as handed over */
};

/*
 * Gather the entries of all lines that several threads used, and say how
 * often each thread did, by evidence.h.  @pace is by thread.  The counter of a
 * site, if the record has any, counts all its accesses; they are dealt to the
 * lines of the thread by the accesses that were seen there (slow paths and
 * watch windows).
 */
void line_uses_make(struct line_uses *u, struct objects *os, const struct line_pace *pace);
void line_uses_release(struct line_uses *u);

/* True if the access may write. */
bool line_use_writes(const struct line_use *u);

#endif
