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
	char *unit; /* that compiled it, NULL: not known; of several units' sites in denormal_settle() the first */
	uint64_t results, births, deaths, operand[DENORMAL_OPERANDS];
	bool wrapped; /* the counts are lower bounds */
	size_t was;   /* for denormal_settle() */
};

/* An array; those of several processes are several. */
struct denormal_object {
	struct prs_den_object raw;
	size_t file;            /* in `files` */
	uint64_t loads, stores; /* denormal values */
	uint64_t in, out;       /* ... that were moved as bytes or integers */
};

/* What one operation loaded from, or stored to, one array; of all threads. */
struct denormal_row {
	size_t site, object;
	uint64_t count;
};

#define DENORMAL_NONE SIZE_MAX

/* Denormals that were stored to one array, by where they come from; mode origin. */
struct denormal_flow {
	enum prs_den_flow_kind kind;
	size_t site;     /* of the birth; DENORMAL_NONE: `tag` says what is known */
	uint32_t tag;    /* enum prs_den_tag */
	size_t from, to; /* objects; `from` of edges only, DENORMAL_NONE: not known */
	uint64_t count;
};

/* A variable that one operation gave one denormal after the other. */
struct denormal_state {
	size_t site;
	uint64_t count, bits, run, most;    /* as in struct prs_den_state */
	uint64_t first_ns, last_ns, end_ns; /* end: of the process, 0: not known */
};

/* Where in an array denormals were stored, and when. */
struct denormal_map {
	struct prs_den_map raw;
	size_t object;
	uint32_t *count; /* epochs * rows * columns */
};

/* Code of a process, as it was loaded. */
struct denormal_module {
	size_t file;
	uint64_t start, end, bias;
	char build_id[2 * 32 + 1]; /* hexadecimal, "": none */
	char *path;
};

/* A process, or a program that it became by exec. */
struct denormal_file {
	uint32_t pid, parent;
	uint64_t begin_ns, end_ns; /* end 0: did not end by itself */
	char *exe;
};

struct denormal_thread {
	struct prs_den_thread raw;
	uint32_t pid;
	uint64_t results; /* all that its slots of PRS_DEN_RESULT counted */
};

/* Flush-to-zero or denormals-are-zero in one thread. */
struct denormal_flush {
	size_t file, thread; /* thread: of all */
	uint64_t address;    /* behind what set it, 0: not known */
	bool later;          /* not yet on when the thread began to count */
};

/* Births of a function in one of the units that compiled it. */
struct denormal_home {
	char *file, *function;
	char *unit; /* NULL: not known */
	uint64_t births;
};

/* A function that a signal handler left, with loops that count in registers. */
struct denormal_left {
	size_t file;
	uint64_t address, count; /* where it was the first time */
	enum prs_den_way way;
};

struct denormal {
	struct VEC(struct denormal_site) sites;
	struct VEC(struct denormal_object) objects;
	struct VEC(struct denormal_thread) threads;
	struct VEC(struct denormal_row) rows;
	struct VEC(struct denormal_flow) flows;
	struct VEC(struct denormal_state) states;
	struct VEC(struct denormal_map) maps;
	struct VEC(struct denormal_module) modules;
	struct VEC(struct denormal_file) files;
	struct VEC(struct denormal_flush) flushes; /* one for each thread that computed with FTZ or DAZ */
	struct VEC(struct denormal_left) lefts;
	struct VEC(struct denormal_home) homes; /* of functions with births, by file, function and unit */
	size_t n_running;                       /* processes that did not end by themselves */
	size_t n_units;                         /* of code with counters that ran */
	bool origins;                           /* a unit followed what it stored to its birth */
	bool full;        /* a unit counted more than results that leave their expression */
	bool gates;       /* a unit has loops that count only where the processor notes a denormal */
	size_t n_invalid; /* threads with an invalid operation (MXCSR.IE), which makes a NaN */
	uint64_t lost;    /* for which there was no room */
};

/*
 * Add the file @data of @size bytes, called @name in messages.  -EINVAL: it is
 * none, of another version, cut, or damaged, with the place; @d is then good
 * for denormal_release() alone.
 */
int denormal_add(struct denormal *d, const void *data, size_t size, const char *name, struct err *err);

/*
 * After the last file: one site for each operation of the source, by file, function and line; rows
 * by object and site, one for each pair; flows by kind, arrays and birth, one for each.
 */
void denormal_settle(struct denormal *d);

void denormal_release(struct denormal *d);

#endif
