/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/allocated.h"

#include <string.h>

#include "perseus/sites.h"

/* "c++98" to "c++14", and what is not known, call an operator new that knows no alignment. */
static bool aligns_new(const struct sites_unit *u)
{
	static const char *const old[] = {"c++98", "c++03", "c++0x", "c++11", "c++1y", "c++14"};

	if (strncmp(u->language, "c++", 3))
		return false;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		if (!strcmp(u->language, old[i]))
			return false;
	return true;
}

/* All units of C++ do, since any of them may allocate the type in a header's code. */
static bool all_align_new(const struct run *run)
{
	bool any = false;

	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_units; i++) {
			const struct sites_unit *u = &run->modules[m].sites.units[i];

			if (!strncmp(u->language, "c++", 3) || !strcmp(u->language, "-")) {
				if (!aligns_new(u))
					return false;
				any = true;
			}
		}
	return any;
}

/* operator new and operator new[]. */
static bool is_new(const struct run_call_site *call)
{
	return !strncmp(call->callee, "_Znw", 4) || !strncmp(call->callee, "_Zna", 4);
}

/* True if some call allocates objects of @type; *@by_new: all of those calls are of operator new. */
static bool allocates(const struct run *run, const char *type, bool *by_new)
{
	bool any = false;

	*by_new = true;
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_units; i++) {
			const struct sites_unit *u = &run->modules[m].sites.units[i];

			for (uint32_t c = 0; c < u->n_calls; c++) {
				const char *of = u->calls[c].alloc_type;

				if (!of || strcmp(of, type) || !run_has_flag(u->calls[c].flags, PRS_CF_ALLOC))
					continue;
				any = true;
				*by_new &= is_new(&u->calls[c]);
			}
		}
	return any;
}

void allocated_look(struct sharing_object *o, const struct run *run)
{
	bool by_new, any;

	if (!o->layout)
		return;
	any = allocates(run, o->layout->name, &by_new);
	by_new &= all_align_new(run);
	if (o->kind == OBJECT_HEAP)
		o->keeps_alignment = by_new && o->allocator && is_new(o->allocator);
	else
		o->also_allocated = any && !by_new;
}
