/* SPDX-License-Identifier: MIT */
/*
 * The memory map of a sharing run: which thread read, wrote and fought for
 * which cache line and page, and when.  A summary of bounded size, however
 * large the run.
 *
 * A record says of each thread, line and site when it was first and last
 * seen there and how often; that is spread evenly over the time between.
 */
#ifndef PERSEUS_ANALYZER_LINES_MAP_H
#define PERSEUS_ANALYZER_LINES_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "record/run.h"

#define MAP_CELLS      4096u /* pages times bins of time */
#define MAP_BINS       256u
#define MAP_LINES      4096u
#define MAP_BLOCKS     4096u
#define MAP_PAGE_SHIFT 12

/* What one page saw in one bin: accesses that were seen, and transfers of its lines between threads. */
struct map_cell {
	double reads, writes, transfers;
	uint32_t allocations, frees; /* of blocks that begin in the page */
};

/* What one thread did to one line. */
struct map_use {
	uint64_t line; /* address / 64 */
	uint32_t thread;
	uint64_t first_ns, last_ns; /* since the start of the process */
	uint64_t last;              /* ticks */
	uint64_t reads, writes;     /* seen */
	uint64_t transfers;         /* of the line to this thread */
	uint64_t read, written;     /* bytes of the line, as far as they were seen */
};

/* One of the lines that moved most, then of those accessed most; ascending. */
struct map_line {
	uint64_t line;
	char *object;         /* what lies there, as findings name it */
	struct map_use *uses; /* by thread; part of struct map */
	size_t n_uses;
	uint64_t reads, writes, transfers;
};

/* A heap block in the pages shown, oldest first. */
struct map_block {
	uint64_t start, bytes;
	uint64_t born_ns, freed_ns;       /* UINT64_MAX: not freed */
	const struct run_call_site *site; /* or NULL */
};

/* Of one process. */
struct map {
	const struct run_process *process;
	uint64_t span_ns; /* of all bins */
	uint64_t *pages;  /* address >> MAP_PAGE_SHIFT, ascending */
	size_t n_pages;
	size_t n_bins;          /* of time */
	struct map_cell *cells; /* cells[page * n_bins + bin] */
	struct map_line *lines;
	size_t n_lines;
	struct map_block *blocks;
	size_t n_blocks;
	size_t pages_left_out, lines_left_out, blocks_left_out;
	struct map_use *uses; /* owns what lines show */
};

/* The map of process @p of @run, which must stay open as long. */
void map_make(struct map *m, const struct run *run, const struct run_process *p);
void map_release(struct map *m);

#endif
