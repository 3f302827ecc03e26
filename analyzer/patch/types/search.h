/* SPDX-License-Identifier: MIT */
/* Finding the definition of a struct in the sources; for the rooms of patches alone. */
#ifndef PERSEUS_ANALYZER_PATCH_TYPES_SEARCH_H
#define PERSEUS_ANALYZER_PATCH_TYPES_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/patch/types/types.h"
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
	struct search *bases; /* classes that members of the layout are declared in, else NULL; owned */
	size_t n_bases;
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

/* Add a member of that name, which is the list's then, to those that the struct has to have, once; NULL: none. */
void search_member(struct remedy_layout *l, char *name, int32_t group, uint64_t bytes);

/* The members that the type of @o has. */
void search_members(struct remedy_layout *l, const struct sharing_object *o);

/* From the struct that holds @member to that of the member; fails as search_find(). */
int search_descend(struct search *inner, const struct search *outer, const char *member,
		   const struct sharing_finding *f, const struct sharing_object *o, struct err *err);

/* True if something in tokens @from to @to is aligned to whole lines, under no condition of its own. */
bool search_of_lines(const struct source *s, size_t from, size_t to);

/* Make all changes to what was found, or none. */
int search_change(struct search *q, struct err *err);

/* What keeps a member apart goes in front of these tokens. */
struct anchor {
	size_t first; /* a gap: the declaration */
	size_t align; /* an alignment: the same, or the keyword of the union */
	bool whole;   /* it is in a union of the struct, all of which is to stand apart */
};

void anchor_of(const struct search *q, const struct source_member *sm, struct anchor *out);

/* -ENOTSUP: why nothing can stand in front of member @name, and nothing else. */
int anchor_refused(const struct search *q, const struct source_member *sm, const char *name, struct err *err);

/* Preprocessor conditions open at token @i, counted from token @from. */
int place_conditions(const struct source *s, size_t from, size_t i);

/* True if nothing but white space stands in front of token @i on its line. */
bool place_first_on_line(const struct source *s, size_t i);

/* "struct job", "job_t", "__typeof__(jobs[0])"; NULL: it has no name.  Owned by the caller. */
char *search_type_name(const struct search *q, enum dialect d);

/* Bit-fields without a name of @bytes, which initialisers do not see; owned by the caller. */
char *search_gap(uint32_t bytes, enum dialect d);

/*
 * Find the base classes that declare members of @q, found, which it has not itself but which
 * are to be kept apart.  Fails as search_find().
 */
int search_bases(struct search *q, const struct sharing_finding *f, const struct sharing_object *o,
		 struct err *err);

/* The class that declares member @name of @q: itself, or one of its bases; NULL: neither. */
struct search *search_holder(struct search *q, const char *name);

/* Free what a search holds; the files are those of its patch. */
void search_release(struct search *q);

#endif
