/* SPDX-License-Identifier: MIT */
/* Changes to structs. */
#ifndef PERSEUS_ANALYZER_PATCH_TYPES_TYPES_H
#define PERSEUS_ANALYZER_PATCH_TYPES_TYPES_H

#include "analyzer/patch/sources/sources.h"

/*
 * Find the definition of the struct of @l, type of @o in finding @f, and
 * change it.  -ENOENT and others name the reason, and nothing is changed.
 */
int patch_struct(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		 const struct remedy_layout *l, struct err *err);

/*
 * The same where threads meet inside of member *@member of @o: in elements of
 * an array of structs, or in fields of a struct in the struct.  *@member becomes the
 * way to the struct that was changed, "in.deeper".
 */
int patch_member(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		 char **member, struct err *err);

#endif
