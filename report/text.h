/* SPDX-License-Identifier: MIT */
/* Pieces of text that the summary and the report share; nobody else includes it. */
#ifndef PERSEUS_REPORT_TEXT_H
#define PERSEUS_REPORT_TEXT_H

#include "lib/strbuf.h"
#include "report/time/types.h"

/* May the run be trusted: "good", "limited", "none" (no probes), "incomplete". */
const char *text_trust_word(const struct report_summary *s);

/* The lines `run` and `trust`. */
void text_head(const struct report_summary *s, struct strbuf *out);

/* How the thread time divides; 0..1 each. */
struct report_shares {
	double own, waiting, libraries, unknown, probes, line; /* line: for a core */
};
struct report_shares text_shares(const struct report_summary *s);

/* The line `time`, which says the same. */
void text_time(const struct report_summary *s, struct strbuf *out);

/* One wait, "wait-003317 worker_fft waits 5.1 % for worker_fir at barrier `stage` (radar.c:140)". */
void text_wait(const struct report_summary *s, const struct report_wait *w, struct strbuf *out);

/* What the figures rest on: one line each, only where there is something to know. */
void text_notes(const struct report_summary *s, const struct report_view *view, struct strbuf *out);

/* Timed calls of one kind, some of which were interrupted; times as measured. */
struct text_interrupted {
	const char *name, *file; /* of the callee, of the call (NULL) */
	uint32_t line;
	uint64_t timed, switched;
	double sum_ns, switched_ns;
};

/* A line on what they take without the interrupted ones, if that makes a difference; true if it was written. */
bool text_interrupted(const struct report_summary *s, const struct text_interrupted *x, struct strbuf *out);

#endif
