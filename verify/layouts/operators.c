/* SPDX-License-Identifier: MIT */
/*
 * Replaced operators new and delete: `new' of a type that a plan aligns beyond 16 bytes calls an operator
 * with an alignment from C++17 on.  Of a program that has the plain one of its own and that one from the
 * library, a block may go back to whom it is not from.
 */
#include "verify/layouts/layouts.h"
#include "verify/start/target.h"

#define USUAL 16 /* bytes that each block is aligned to */

/* Does the image that is read define it? */
static bool defines_operator(const struct layouts *l, const char *name)
{
	return symbols_named(l->symbols, name) < l->symbols->n_places;
}

static bool is_beyond_usual(const struct vplan *p)
{
	bool beyond = false;

	for (size_t i = 0; i < p->n_layouts; i++)
		beyond |= p->layout[i].kind == VPLAN_FIELD && p->layout[i].align > USUAL;
	return beyond;
}

void layouts_operators(struct layouts *l)
{
	static const struct {
		const char *what, *plain, *array, *aligned;
	} groups[] = {
		{"new", "_Znwm", "_Znam", "_ZnwmSt11align_val_t"},
		{"delete", "_ZdlPv", "_ZdaPv", "_ZdlPvSt11align_val_t"},
	};
	/* What units call: of several forms, by the type and the compiler's options. */
	static const char *const called[] = {"_ZnwmSt11align_val_t",  "_ZnamSt11align_val_t",
					     "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t",
					     "_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t"};
	bool used = false;

	for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++)
		used |= target_exists(l->e, called[i]);
	for (size_t i = 0; used && is_beyond_usual(l->plan) && i < sizeof(groups) / sizeof(*groups); i++)
		if ((defines_operator(l, groups[i].plain) || defines_operator(l, groups[i].array)) &&
		    !defines_operator(l, groups[i].aligned))
			findings_add(l->notes,
				     "that blocks with the plan's alignment go back to where they are from: "
				     "'%s' replaces operator %s, but not its form with std::align_val_t, and "
				     "uses such forms",
				     l->e->path, groups[i].what);
}
