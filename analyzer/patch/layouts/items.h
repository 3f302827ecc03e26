/* SPDX-License-Identifier: MIT */
/* Layouts for a plan, in the place of changes to declarations. */
#ifndef PERSEUS_ANALYZER_PATCH_LAYOUTS_ITEMS_H
#define PERSEUS_ANALYZER_PATCH_LAYOUTS_ITEMS_H

#include "analyzer/patch/sources/sources.h"
#include "lib/vec.h"
#include "yaml/plan.h"

struct layout_item {
	struct plan_layout *l;           /* owned, unless old */
	const struct run_type *type;     /* of a field, the run's; NULL: not known */
	const struct run_type *grows;    /* ... and what of the objects grows with it */
	uint64_t objects;                /* that grow with it */
	bool old;                        /* the plan had it */
	bool loose;                      /* its struct begins anywhere in a line */
	struct VEC(const void *) idents; /* of a new one of variables: which of them it is of */
};

struct layout_items {
	struct VEC(struct layout_item) at;
	size_t n_known; /* that were asked for and were there */
};

/* One declaration of a template makes several: the figures are those of what was seen. */
bool layout_is_template(const struct plan_layout *l);

/* What a plan has already; its strings must live as long. */
void layout_items_begin(struct layout_items *x, const struct run *run, struct plan_layout *layouts, size_t n);
void layout_items_release(struct layout_items *x);

/* For whom a struct is changed. */
struct layout_asked {
	const char *ids;              /* findings */
	uint64_t objects;             /* that grow */
	const struct run_type *grows; /* what each of them is of; NULL: the struct itself */
};

/*
 * Align the members of the struct of @o that @l keeps apart, or those of its base class; all or
 * none.  Fails with the reason as patch_struct().
 */
int layout_items_struct(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
			const struct sharing_object *o, const struct remedy_layout *l,
			const struct layout_asked *asked, struct err *err);

/* The same where threads meet inside of @member of @o, a struct or an array of such. */
int layout_items_member(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
			const struct sharing_object *o, const char *member, const struct layout_asked *asked,
			struct err *err);

/*
 * The same where the members that @l keeps apart are those of base class @part of the type of @o.
 */
int layout_items_base(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
		      const struct sharing_object *o, const struct run_part *part,
		      const struct layout_asked *asked, struct err *err);

/* Give the variable @o lines of its own. */
int layout_items_variable(struct layout_items *x, struct patch *p, const struct sharing_object *o,
			  const char *ids, struct err *err);

/*
 * Fill in what depends on all layouts together.  -EEXIST: those of the plan do not go with the
 * new ones, or with the run.
 */
int layout_items_finish(struct layout_items *x, const struct run *run, struct err *err);

#endif
