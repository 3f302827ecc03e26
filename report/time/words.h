/* SPDX-License-Identifier: MIT */
/* Names and figures as people read them. */
#ifndef PERSEUS_REPORT_TIME_WORDS_H
#define PERSEUS_REPORT_TIME_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "report/time/types.h"

/* True if perseus.data/last leads to the run. */
bool text_is_last(const struct run *run);

/* Name by which the other verbs know the run; lives as long as the run. */
const char *text_run_name(const struct report_summary *s);

/* "file.c:12" with the directories left out, or "". */
void text_place(const char *file, uint32_t line, struct strbuf *out);

/* " (@how file.c:12)" behind @name, nothing if the place is not known or already in @name. */
void text_beside(const char *name, const char *how, const char *file, uint32_t line, struct strbuf *out);

/* @name, with "<..>" for what stands in its templates if it has more than @limit bytes. */
void text_short(const char *name, size_t limit, struct strbuf *out);

/* @name in exactly @width columns: as text_short(), and if that is not enough, shortened at its end with "..". */
void text_cell(const char *name, int width, struct strbuf *out);

/*
 * @ns for people, as num_time(); what is shorter than @resolution, the step of
 * the clock, as "< 10 ns".  Returns @buf.
 */
const char *text_duration(char *buf, size_t size, double ns, double resolution);

/* A number of calls, with `~' in front if it is an estimate.  Returns @buf. */
const char *text_calls(char *buf, size_t size, uint64_t calls, bool about);

/* @part of @whole in percent, 0 if there is no whole. */
double text_percent(double part, double whole);

#endif
