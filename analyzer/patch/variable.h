/* SPDX-License-Identifier: MIT */
/* A variable's declaration and its uses; for this folder alone. */
#ifndef PERSEUS_ANALYZER_PATCH_VARIABLE_H
#define PERSEUS_ANALYZER_PATCH_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/patch/patch.h"

struct declaration {
	struct patch *p;
	struct patch_file *f;
	const struct source *s;
	struct source_members all; /* of the declaration */
	const struct source_member *m;
	char *name;
	enum dialect d;
	bool container, pointer; /* a std::vector or std::array; a pointer to allocated elements */
};

/* The first token behind "static", "extern" and the like. */
size_t declaration_behind_storage(const struct declaration *v);

/*
 * Put @member behind each use of an element of the variable, an array of @dims
 * dimensions; -ENOTSUP names a use that is not one of an element.
 */
int declaration_edit_uses(const struct declaration *v, struct edits *e, const char *member, unsigned dims,
			  struct err *err);

/* -ENOTSUP if something outside of the file may use the variable. */
int declaration_check_elsewhere(const struct declaration *v, struct err *err);

/* True if it has no initialiser, or {} or {0}. */
bool declaration_is_zero(const struct declaration *v);

#endif
