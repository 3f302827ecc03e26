/* SPDX-License-Identifier: MIT */
/* For this folder only. */
#ifndef PERSEUS_REPORT_ANNOTATE_PARTS_H
#define PERSEUS_REPORT_ANNOTATE_PARTS_H

#include "report/annotate/annotate.h"

/*
 * Read the source: @name, what the record calls it, either of them below @source.
 * Sets path, text, at, match, functions and placed; nothing found is ANNOTATE_ABSENT.
 */
void annotate_source(struct annotate *a, const char *name, const char *source);

/* "source   radar.c, as it was when ...", what is known of whether it is the one compiled. */
void annotate_match_text(const struct annotate *a, struct strbuf *out);

/* "same", ... : the JSON word for it. */
const char *annotate_match_word(enum annotate_match match);

#endif
