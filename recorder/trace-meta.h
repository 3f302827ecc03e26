/* SPDX-License-Identifier: MIT */
/* The metadata of a trace: its description in TSDL, the language of the Common Trace Format 1.8. */
#ifndef PERSEUS_RECORDER_TRACE_META_H
#define PERSEUS_RECORDER_TRACE_META_H

#include <stdint.h>

#include "lib/strbuf.h"
#include "record/run.h"
#include "recorder/trace-drain.h"

struct trace_meta {
	const uint8_t *uuid;     /* 16 bytes */
	const char *program;     /* base name */
	const char *state;       /* "running", "complete", "disk full" */
	uint64_t ticks, wall_ns; /* the same instant by the program's clock and by CLOCK_REALTIME */
	double hz;               /* ticks a second */
	const struct drain_processes *processes;
	const struct drain_totals *totals; /* NULL: not known yet */
	const struct run *run;             /* names of the sites; NULL: not known yet */
};

/* Append the text to @out. */
void trace_meta_text(const struct trace_meta *m, struct strbuf *out);

#endif
