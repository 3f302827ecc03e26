/* SPDX-License-Identifier: MIT */
/* Pieces of text that the summary and the report share; nobody else includes it. */
#ifndef PERSEUS_REPORT_TEXT_H
#define PERSEUS_REPORT_TEXT_H

#include "lib/strbuf.h"
#include "report/summary.h"

/* The lines `run` and `trust`. */
void text_head(const struct report_summary *s, struct strbuf *out);

/* Name by which the other verbs know the run; lives as long as the run. */
const char *text_run_name(const struct report_summary *s);

/* The line `time`: how the thread time divides. */
void text_time(const struct report_summary *s, struct strbuf *out);

/* One wait, "wait-003317 worker_fft waits 5.1 % for worker_fir at barrier `stage` (radar.c:140)". */
void text_wait(const struct report_summary *s, const struct report_wait *w, struct strbuf *out);

/* "file.c:12" with the directories left out, or "". */
void text_place(const char *file, uint32_t line, struct strbuf *out);

/* " (@how file.c:12)" behind @name, nothing if the place is not known or already in @name. */
void text_beside(const char *name, const char *how, const char *file, uint32_t line, struct strbuf *out);

/* @name in exactly @width columns, shortened at its end with "..". */
void text_cell(const char *name, int width, struct strbuf *out);

/*
 * @ns for people, as num_time(); what is shorter than @resolution, the step of
 * the clock, as "< 10 ns".  Returns @buf.
 */
const char *text_duration(char *buf, size_t size, double ns, double resolution);

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

/* A number of calls, with `~' in front if it is an estimate.  Returns @buf. */
const char *text_calls(char *buf, size_t size, uint64_t calls, bool about);

/* @part of @whole in percent, 0 if there is no whole. */
double text_percent(double part, double whole);

#endif
