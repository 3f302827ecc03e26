/* SPDX-License-Identifier: MIT */
/*
 * Patches: changes to declarations that end a conflict.
 * Sources are read, never written: what comes out is a diff.
 */
#ifndef PERSEUS_ANALYZER_PATCH_PATCH_H
#define PERSEUS_ANALYZER_PATCH_PATCH_H

#include "analyzer/patch/layouts/items.h"
#include "analyzer/patch/sources/sources.h"

/*
 * The variable that lies next behind @o, a global one, no more than a line further, if its
 * declaration is known: aligned alone, @o would be on one line with it.  Strings are the run's.
 */
bool patch_neighbour(const struct patch *p, const struct sharing_object *o, struct sharing_object *out);

/* True if threads meet between two members of one struct of @o, which no alignment of @o parts. */
bool patch_meets_inside(const struct sharing_finding *f, const struct sharing_object *o);

/* True if both sides of enough meetings are in @o, a global variable, whatever it holds. */
bool patch_meets_within(const struct sharing_finding *f, const struct sharing_object *o);

/* True if the object, or what uses it, is written in Fortran. */
bool patch_fortran(const struct sharing_finding *f, const struct sharing_object *o);

/* What people can do about @o of @f, which is not changed; owned by the caller. */
char *patch_advice(const struct sharing_finding *f, const struct sharing_object *o);

/* A declaration that is not changed. */
struct patch_refusal {
	char *why;
	char *advice; /* what people can do */
};

/* The changes for a number of findings. */
struct patch_result {
	struct strbuf diff;  /* for patch -p1 below the root; empty: nothing to change */
	struct strbuf notes; /* "# ..." lines on what people have to look at; part of the diff, too */
	struct patch_refusal *refusals;
	size_t n_refusals;
	uint64_t bytes;                /* more memory, of the objects that were seen */
	struct remedy_layout *layouts; /* of the structs that change, `object` that of the first finding */
	size_t n_layouts;
};

/*
 * The changes for @findings in the sources of @p, which are not written; @p can be used for
 * others then.  @r is to be released.
 */
void patch_findings(struct patch_result *r, struct patch *p, const struct sharing_finding *const *findings,
		    size_t n);

/*
 * The same as layouts of a plan: what begins a line in a patch is added to @items. There is no
 * diff; what no layout does is refused, in the notes, too.  -EEXIST as layout_items_finish().
 */
int patch_layouts(struct patch_result *r, struct patch *p, const struct sharing_finding *const *findings,
		  size_t n, struct layout_items *items, struct err *err);

/*
 * True if a plan with nothing in it would get layouts for @f; @r has what they leave as it is,
 * and is to be released.
 */
bool patch_by_plan(struct patch_result *r, struct patch *p, const struct sharing_finding *f);

void patch_result_release(struct patch_result *r);

#endif
