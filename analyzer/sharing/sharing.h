/* SPDX-License-Identifier: MIT */
/*
 * Sharing of cache lines between threads: findings by data object and field,
 * with the pairs of threads and functions inside, judged by what they cost.
 *
 * A pair shares truly if the same bytes pass between its threads (at at least
 * every tenth access of the rarer side), falsely if it only happens to use the
 * same line.  Lines that were handed over a few times (to a new thread, at a
 * join or a barrier) are counted and folded away.
 */
#ifndef PERSEUS_ANALYZER_SHARING_SHARING_H
#define PERSEUS_ANALYZER_SHARING_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/lines/lines.h"
#include "analyzer/pairs/spans.h"
#include "analyzer/pairs/verdict.h"
#include "analyzer/pairs/when.h"
#include "analyzer/time/notes.h"
#include "lib/strbuf.h"
#include "record/run.h"
#include "yaml/model.h"
#include "yaml/platform.h"

/*
 * Significant: at least this share of the run time if priced, else as many
 * transfers, or accesses of both sides, between one pair of threads a second.
 */
#define SHARING_COST_PERCENT 1.0
#define SHARING_TRANSFERS_S  10000.0
#define SHARING_ACCESSES_S   2000000.0

/* How far the price of a finding can be trusted. */
enum sharing_confidence {
	SHARING_LOW,    /* the accesses or their bytes were hardly seen */
	SHARING_MEDIUM, /* times are those of the sharing run, or accesses were estimated */
	SHARING_HIGH,   /* accesses and bytes were seen, times are those of a timing run */
};

/* One thread's side of a pair. */
struct sharing_side {
	uint32_t thread;                 /* index in the process */
	char *name;                      /* of the thread, unique in the process */
	uint32_t pid;                    /* of its process, where the finding is between processes; else 0 */
	const struct run_mem_site *site; /* the heaviest, or NULL */
	char *function;                  /* as people write it, or NULL; in the program's own source */
	const char *file;                /* or NULL */
	uint32_t line;
	/* What it fights with most: */
	char *object;    /* its subject, one word */
	char *element;   /* "[1]", "[0..3]", "" */
	char *field;     /* "count[]", "[]", or "" */
	char *member;    /* "count[2]"; "" where the element says it all */
	char *what;      /* all of it: "grid[1].count[2]" */
	uint64_t offset; /* of the field in the object, or in its element, if placed */
	bool placed;
	enum prs_kind uses;                 /* strongest there */
	enum prs_kind kind;                 /* strongest on the lines */
	double accesses;                    /* to the lines, this pair's part of them */
	double accesses_low, accesses_high; /* no fewer and no more than so many */
	double counts; /* 0..1: the part that writes, where both load far more often than they write; else 1 */
	double named;  /* 0..1: the part that is of what it fights with most */
	double per_s;  /* those, per second of the run */
	double per_s_low, per_s_high; /* ... no fewer and no more than so many */
	double per_kcycle;            /* ... per 1000 core cycles of the thread's work; 0 unknown */
	/*
	 * Visits: accesses so near each other that one transfer serves them
	 * are one.  gap_ns is the thread's own time from one visit to the next
	 * while they go on, 0 unknown; cycles likewise.
	 */
	double visits, active_ns;
	double gap_ns, gap_cycles;
	double visits_per_kcycle;
	bool frame;                   /* its work goes through the frame, as without optimisation */
	bool gap_waits, active_waits; /* they include what the thread waited for the line */
	double wide, wide_short;      /* by how much longer and shorter they may be, as factors >= 1 */
	double dispute_ns;            /* time in the sharing run from transfer to transfer; 0 unknown */
	double disputed_ns;       /* time in the sharing run in which others came to the line all the time */
	double disputed_least_ns; /* ... at the least */
	enum count_source how;    /* who says how many accesses there were */
	bool by_count;            /* ... to a wait, which were counted */
	bool at_least;            /* nothing but per_s_low is known: there may be far more of them */
	bool bytes_seen;          /* which bytes: seen in a watch window, else from the site table */
};

struct sharing_pair {
	struct sharing_side a, b; /* a.thread < b.thread */
	enum sharing_verdict verdict;
	uint64_t transfers;
	struct use_spans spans[2]; /* when a and b came to the lines */
	double transfers_per_s;
	uint32_t lines;
	uint32_t along; /* lines that very long ranges of both go along, of which few are looked at; else 0 */
	double part;    /* false sharing beside true sharing of the line: of the transfers of both; else 1 */
	double together;    /* 0..1: share of the accesses made while the other ran on another core */
	bool by_turns;      /* each transfer came with a switch of threads: they were never there together */
	bool one_core;      /* both were seen on one core only, the same */
	bool perhaps_turns; /* so may it be, but others had the cores, and nobody knows if they would meet */
	struct pair_when when; /* analyze_meetings() */
};

struct sharing_finding {
	char evidence[32];            /* share-NNNNNN */
	enum sharing_verdict verdict; /* of most transfers */
	char *key;                    /* what the id was made from */
	char *field_key;              /* the same with the fields, for several findings of the same objects */
	char *subject;                /* one word: "stats.rx/tx" */
	char *object;                 /* "stats, struct traffic, 16 bytes, global, radar.c:21" */
	char *object_name;            /* "stats" */
	char *fields;                 /* "rx, tx", or "" */
	const struct run_process *process;
	struct sharing_pair *pairs; /* most transfers first */
	size_t n_pairs;
	struct sharing_object *objects; /* analyzer/sharing/parts.h */
	size_t n_objects;
	struct sharing_object
		*beside; /* other variables that are used on its lines, analyzer/sharing/beside.h */
	size_t n_beside;
	struct sharing_remedy *remedies; /* analyzer/sharing/remedy.h, best first */
	size_t n_remedies;
	char *no_layout; /* why no change to a struct parts the threads; NULL: one may */
	uint64_t transfers;
	double transfers_per_s;
	uint32_t pad_bytes; /* false: bytes that put the fields on lines of their own; 0 unknown */
	bool priced;
	double cost, cost_low, cost_high; /* percent of run time, if priced */
	double cost_nearest;              /* between the cores of the cheapest distance */
	enum sharing_confidence confidence;
	bool one_core;      /* all its pairs */
	bool perhaps_turns; /* all its pairs */
	bool significant;
	bool perhaps;        /* not significant by its cost, but the interval reaches SHARING_COST_PERCENT */
	unsigned recordings; /* that its cost is of; 0: this one */
};

/* A timing run that took so many times as long as the plain program is said to be inflated, too. */
#define SHARING_LONGER 1.1

struct sharing_report {
	struct sharing_finding *findings; /* significant, then by cost or transfers */
	size_t n;
	size_t n_significant; /* not priced: candidates */
	size_t n_perhaps;     /* neither, but perhaps as costly */
	size_t n_false_significant;
	uint64_t handovers; /* pairs and lines folded away */
	uint64_t wall_ns;   /* of the run the figures are compared with */
	double longer;      /* of the timing run, 1 at least; 0: there is none */
	bool inflated; /* that run was slowed down by memory probes, or SHARING_LONGER by those of calls */
	bool priced;
	const char *unpriced_why;        /* if not priced */
	const struct platform *platform; /* whose prices; NULL: none were given */
	bool other_machine;              /* the run was recorded on another one */
	struct cross *cross;             /* what processes share as one process, NULL: nothing */
	struct notes blind;              /* what could not be seen */
	struct notes doubts; /* why the run is inconclusive, analyzer/sharing/doubts.h; none: it is not */
};

struct sharing_opts {
	const struct platform *platform; /* prices; NULL: not priced */
	const struct run *timing;        /* a timing run of the program for times; NULL: inflated ones */
	double longer; /* so many times as long as in the plain program its threads ran, at most; 0: not known */
};

/*
 * Judge sharing run @run, which must stay open as long as the report.  Fails
 * with -EINVAL if the run has another purpose.
 */
int sharing_make(struct sharing_report *rep, const struct run *run, const struct sharing_opts *opts,
		 struct err *err);
/* Say of each finding with a price whether it is significant, put them in order, and count. */
void sharing_count(struct sharing_report *rep);

void sharing_release(struct sharing_report *rep);

/* "false-sharing", "true-sharing", "unclear-sharing". */
const char *sharing_verdict_name(enum sharing_verdict v);

/*
 * Why the plain program may have the finding's objects elsewhere in their lines
 * than the recorded one, or NULL.  One that is really shared is shared anywhere.
 */
const char *sharing_elsewhere(const struct sharing_finding *f);

/* "low", "medium", "high". */
const char *sharing_confidence_name(enum sharing_confidence c);

/*
 * How often the side comes, "74 k", into @sb: with its interval where that spans more than half as much
 * again either way, "about 74 k (20 k to 150 k)", and "at least 3 k" where nothing else is known.  @per
 * stands behind the first figure, "/s".
 */
void sharing_rate_text(struct strbuf *sb, const struct sharing_side *s, const char *per);

/* "load", "store", "read-modify-write", "atomic". */
const char *sharing_kind_name(enum prs_kind kind);

#endif
