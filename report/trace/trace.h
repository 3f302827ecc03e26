/* SPDX-License-Identifier: MIT */
/*
 * What the trace of a run says: figures of each call site out of every single
 * call, and whether they agree with what the record counted at the same time.
 */
#ifndef PERSEUS_REPORT_TRACE_TRACE_H
#define PERSEUS_REPORT_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "record/blocks/ctf.h"
#include "record/run.h"
#include "report/time/types.h"

/* A call site of one process.  Ticks as measured; what probes inside took is in them. */
struct trace_site {
	const struct run_process *process;
	uint32_t site; /* process-wide number */
	uint64_t calls, sum, min, max;
	uint64_t child;  /* ticks inside calls that these made and that are in the trace */
	uint64_t direct; /* how many those are */
	uint64_t inside; /* ... with all that they called in turn */
	uint64_t moved;  /* calls during which the thread was moved or switched out */
	uint64_t hist[PRS_HIST_BUCKETS];
};

/* A memory site of one process. */
struct trace_access {
	const struct run_process *process;
	uint32_t site;
	uint64_t count;
};

struct trace_figures {
	const struct run *run;
	struct trace_site *sites; /* by self time, falling */
	size_t n_sites;
	struct trace_access *accesses; /* by number, falling */
	size_t n_accesses;
	size_t streams;
	uint64_t bytes, calls, mems, notes;
	uint64_t lost;     /* records the threads could not append */
	uint64_t gaps;     /* stretches without a trace */
	double gap_ns;     /* their length, of all threads */
	uint64_t compared; /* (thread, site) counts compared with the record */
	uint64_t differ;   /* ... that are not the same, in number or time */
	uint64_t missing;  /* timed calls of the record that the trace does not have */
	uint64_t untimed;  /* calls of the record that have no time: they did not return, or were too deep */
	uint64_t refused;  /* threads without a stream, as the recorder says */
	char *damage;      /* what could not be read, or NULL */
	bool ended_early;  /* the recorder was killed, or its disk was full */
};

/* Read the trace of @run.  -ENOENT: it has none; -EINVAL: it cannot be read at all. */
int trace_read(struct trace_figures *f, const struct run *run, struct err *err);
void trace_release(struct trace_figures *f);

/* True if the trace has everything that the record timed. */
bool trace_whole(const struct trace_figures *f);

/* Nanoseconds of all calls of a site: with what they call, and without; less what the probes took. */
double trace_total_ns(const struct trace_site *s);
double trace_self_ns(const struct trace_site *s);

/* The text and JSON of `perseus report --trace`, appended to @out. */
void trace_text(const struct trace_figures *f, const struct report_view *view, struct strbuf *out);
void trace_json(const struct trace_figures *f, const struct report_view *view, struct strbuf *out);

/*
 * The first @n calls of all threads in the order in which they began, with
 * what they called indented below them, appended to @out.  *whole: the trace
 * could be read to its end.
 */
int trace_timeline(const struct run *run, size_t n, struct strbuf *out, bool *whole, struct err *err);

/* The process of a stream; NULL: it left no record. */
const struct run_process *trace_process(const struct run *run, const struct ctf_stream *s);

/* When the first process began, ns of the monotonic clock: moments of a run count from there. */
uint64_t trace_start(const struct run *run);

/* How people write @asm_name. */
void trace_put_name(const struct run *run, const char *asm_name, struct strbuf *out);

#endif
