/* SPDX-License-Identifier: MIT */
/* Parts of a document in the Static Analysis Results Interchange Format, version 2.1.0. */
#ifndef PERSEUS_LIB_SARIF_SARIF_H
#define PERSEUS_LIB_SARIF_SARIF_H

#include "lib/json.h"

/* Open the document and its list of runs at the end of @out; sarif_end() closes both. */
void sarif_begin(struct json *j, struct strbuf *out);
void sarif_end(struct json *j);

struct sarif_rule {
	const char *id, *name, *text;
	const char *level; /* "warning", "note" */
};

/* What a reader must know of a recording: a list of sentences of one @level. */
struct sarif_notes {
	const char *level; /* "warning": why its results are not to be relied on; "note": what it lacks */
	char *const *at;
	size_t n;
};

/*
 * Open a run: the tool with its @rules, whether the recording was @complete, and @lists of notes.
 * "results" and json_end() are the caller's.
 */
void sarif_run(struct json *j, const struct sarif_rule *rules, size_t n_rules, bool complete,
	       const struct sarif_notes *lists, size_t n_lists);

/* The object @key with a member "text". */
void sarif_text(struct json *j, const char *key, const char *value);

/* "physicalLocation": @line and @column from 1, 0: not known. */
void sarif_place(struct json *j, const char *file, unsigned line, unsigned column);

#endif
