/* SPDX-License-Identifier: MIT */
/* Finding the definition of a struct in the sources; for this folder alone. */
#ifndef PERSEUS_ANALYZER_PATCH_SEARCH_H
#define PERSEUS_ANALYZER_PATCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/patch/patch.h"
#include "analyzer/sharing/remedy.h"

/* The definition looked for, and those found. */
struct search {
	struct patch *p;
	const struct remedy_layout *l;
	const char *type; /* NULL: only its members are known */
	struct patch_file *file;
	struct source_struct def;
	struct source_members members;
	bool nested;  /* inside of the struct that was looked for */
	bool partial; /* of its members only those that threads fight for are known */
	int rank;
	size_t n;      /* definitions that fit as well */
	bool named;    /* one of that name was met that does not fit */
	bool inherits; /* ... and it has base classes */
	bool added;    /* ... or the misfit is a member that the build did not have */
	char *misfit;  /* what it lacks */
	struct patch_file *seen[256];
	size_t n_seen;
};

/*
 * 0: @t of @f, whose members are @ms, is another type; 1: it has the members
 * that are looked for; 2: and no others, which a condition could have left out.
 */
int search_fits(struct search *q, const struct patch_file *f, const struct source_struct *t,
		const struct source_members *ms);

/* Look for @q->type in the files of the object, of the accesses, in what they include, then in all. */
void search_all(struct search *q, const struct sharing_finding *f, const struct sharing_object *o);

/*
 * Find the one definition of the type of @o.  Returns 0, -EEXIST if there are
 * several, -ENOENT if there is none that has its members.
 */
int search_find(struct search *q, const struct sharing_finding *f, const struct sharing_object *o,
		struct err *err);

/* Free what a search holds; the files are those of its patch. */
void search_release(struct search *q);

#endif
