/* SPDX-License-Identifier: MIT */
/* Types of objects that the site tables do not tell; for this folder alone. */
#ifndef PERSEUS_ANALYZER_PATCH_DECLARED_H
#define PERSEUS_ANALYZER_PATCH_DECLARED_H

#include <stdbool.h>

#include "analyzer/patch/sources/sources.h"

/* The struct that @o, a variable of bytes whose declaration takes its size, is room for; NULL: it is none. */
const struct run_type *declared_room(struct patch *p, const struct sharing_finding *f,
				     const struct sharing_object *o);

/* What the declaration says of a variable that the site tables do not know the type of; false: nothing. */
bool declared_struct(struct patch *p, const struct sharing_finding *f, struct sharing_object *o);

/* The elements of a std::array are what it is declared of, not the member that holds them; false: not known. */
bool declared_array(struct patch *p, struct sharing_object *o);

/* True if members are used of @o, whose accesses may also call it by its own name. */
bool declared_members(const struct sharing_object *o);

#endif
