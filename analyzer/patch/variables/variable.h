/* SPDX-License-Identifier: MIT */
/* A variable's declaration and its uses; for this folder alone. */
#ifndef PERSEUS_ANALYZER_PATCH_VARIABLES_VARIABLE_H
#define PERSEUS_ANALYZER_PATCH_VARIABLES_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/patch/variables/variables.h"

struct declaration {
	struct patch *p;
	struct patch_file *f;
	const struct source *s;
	struct source_members all; /* of the declaration */
	const struct source_member *m;
	char *name;
	enum dialect d;
	bool container, pointer; /* a std::vector or std::array; a pointer to allocated elements */
	bool filled;             /* the struct of a line has a second member, not an alignment */
	bool pair;               /* std::pair, whose second parts change */
};

/* The declaration of variable @o, to be released in any case; -ENOENT: why it was not found. */
int declaration_find(struct declaration *v, struct patch *p, const struct sharing_object *o, struct err *err);
void declaration_release(struct declaration *v);

/* Assert @condition, the variable's name in the place of its %s; nothing is said where none can stand. */
int declaration_assert(const struct declaration *v, struct edits *e, const char *condition, struct err *err);

/* The first token behind "static", "extern" and the like. */
size_t declaration_behind_storage(const struct declaration *v);

/* Number of [..] behind the name; the last of them in *@last. */
unsigned declaration_dimensions(const struct declaration *v, size_t *last);

/* A weaker alignment that the declaration has already is made one of lines. */
int declaration_raise_alignment(const struct declaration *v, struct edits *e, struct err *err);

/* A list of values becomes one of structs: braces round each. */
int declaration_brace_values(const struct declaration *v, struct edits *e, struct err *err);

/* The same of the list that opens at @open. */
int declaration_brace_list(const struct source *s, size_t open, struct edits *e, struct err *err);

/* The '<' of "std::vector<T>", "std::deque<T>" or "std::array<T, N>" in the declaration of @v; SOURCE_NONE: it is another type. */
size_t declaration_container_args(const struct declaration *v);

/* `std::array<T, N> v` becomes one of `struct v_line`, made in front of it, @aligned or of 64 bytes. */
int declaration_change_container(struct declaration *v, struct edits *e, bool aligned, struct err *err);

/*
 * The second type of a std::pair of numbers becomes a struct, declared in front: it begins a
 * line or, with @gaps, lies one apart from the first, wherever that begins.
 */
int declaration_change_pair(const struct declaration *v, struct edits *e, bool gaps, struct err *err);

/* The first token of `p->q[i].w`, of which @i is the last. */
size_t uses_first(const struct source *s, size_t i);

/* True if a preprocessor line at @i, that includes nothing, holds the word @name. */
bool uses_in_directive(const struct source *s, size_t i, const char *name);

/*
 * Put @member behind each use of an element of the variable, an array of @dims
 * dimensions; -ENOTSUP names a use that is not one of an element.
 */
int declaration_edit_uses(const struct declaration *v, struct edits *e, const char *member, unsigned dims,
			  struct err *err);

/*
 * The same of one use, tokens @first to *@i: `v`, `p->q.v`; *@i moves to the last token that
 * belongs to it.
 */
int declaration_edit_use(const struct declaration *v, struct edits *e, size_t first, size_t *i,
			 const char *member, unsigned dims, struct err *err);

/*
 * The value at @i of @v, a pointer, is memory for so many elements: what names their type
 * there names the struct of one then.  False: it is something else.
 */
bool declaration_allocate(const struct declaration *v, struct edits *e, size_t i, struct err *err);

/* -ENOTSUP if something outside of the file may use the variable. */
int declaration_check_elsewhere(const struct declaration *v, struct err *err);

/* True if it has no initialiser, or {} or {0}. */
bool declaration_is_zero(const struct declaration *v);

#endif
