/* SPDX-License-Identifier: MIT */
/*
 * Lines that processes share.  Each process has recorded what its threads did to
 * lines of MAP_SHARED memory, by its own addresses.  Here they become one process: all
 * threads of all processes that share something, and the shared lines by the
 * memory's identity.  Nobody saw the transfers between processes: they are estimated,
 * as many as the rarer side came while both used the line.
 */
#ifndef PERSEUS_ANALYZER_PAIRS_CROSS_H
#define PERSEUS_ANALYZER_PAIRS_CROSS_H

#include "record/run.h"

struct cross {
	struct run_process p;          /* all of them as one; its threads in the order of the processes */
	const struct run_process **of; /* by thread: the process that it belongs to */
	uint32_t *thread;              /* ... and its number there */
	/* What p shows. */
	struct prs_rec_header header;
	struct prs_thread *raw;
	struct prs_unit *raw_units;
	struct prs_line *lines; /* all copies */
	size_t n_lines;
};

/* NULL: no memory is shared by several processes of @run, or nobody used such memory.  @run must stay open. */
struct cross *cross_make(const struct run *run);
void cross_free(struct cross *c);

#endif
