/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaced operators new and delete.  From C++17 on `new' of a type that is aligned beyond 16
 * bytes calls another operator than before the plan, and `delete' another one, too:
 *
 *     void *operator new(std::size_t);                        of the program
 *     void *operator new(std::size_t, std::align_val_t);      of the library, if the program has none
 *
 * A block would go back to whom it is not from.  So a unit that replaces the one without the
 * other is refused.  Where they are in two units, perseus verify looks.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/layouts/layouts.h"

/* Of one group: by default the forms for arrays call the first ones. */
struct operators {
	const char *what, *plain, *array, *aligned;
};

static tree body_of(const char *name)
{
	struct cgraph_node *node;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	if (TREE_PUBLIC(node->decl) && DECL_ASSEMBLER_NAME_SET_P(node->decl) &&
	    !strcmp(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(node->decl)), name))
		return node->decl;
	return NULL_TREE;
}

/* A layout by which `new' of a type calls another operator; NULL: none. */
static struct plan_layout *beyond_usual(void)
{
	for (unsigned i = 0; i < prs_plan.layouts.length(); i++)
		if (!prs_plan.layouts[i].variable &&
		    prs_plan.layouts[i].align > MALLOC_ABI_ALIGNMENT / BITS_PER_UNIT)
			return &prs_plan.layouts[i];
	return NULL;
}

void layouts_check_operators(void)
{
	static const struct operators groups[] = {
		{"new", "_Znwm", "_Znam", "_ZnwmSt11align_val_t"},
		{"delete", "_ZdlPv", "_ZdaPv", "_ZdlPvSt11align_val_t"},
	};
	struct plan_layout *l = beyond_usual();

	/* The option of -faligned-new, on from C++17: before, `new' knows one operator. */
	if (!lang_GNU_CXX() || aligned_new_threshold <= 0 || !l)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(groups); i++) {
		tree own = body_of(groups[i].plain);

		own = own ? own : body_of(groups[i].array);
		if (own && !body_of(groups[i].aligned))
			layouts_refuse(l, DECL_SOURCE_LOCATION(own),
				       "this unit replaces operator %s, but not its form with "
				       "std::align_val_t, which an object of that alignment needs from C++17 "
				       "on: define both",
				       groups[i].what);
	}
}
