/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C++ front end prints the arguments of a template in full wherever they
 * occur.  That of a lambda inside a template names the template, so each level
 * of such lambdas doubles the length: twenty levels are minutes and gigabytes.
 * The mangled name is short, and has a Z for each function that something
 * local lies in.  (The demangler is no way out: it gives up on such names.)
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/base/names.h"

#define LEVELS_MAX 10

static bool is_deep(tree decl)
{
	const char *name = callee_asm_name(decl);
	unsigned levels = 0;

	if (strncmp(name, "_Z", 2))
		return false;
	while ((name = strchr(name + 1, 'Z')))
		levels++;
	return levels > LEVELS_MAX;
}

const char *name_of_function(tree decl, int verbosity)
{
	return is_deep(decl) ? IDENTIFIER_POINTER(DECL_NAME(decl))
			     : lang_hooks.decl_printable_name(decl, verbosity);
}

const char *name_of_type(tree decl)
{
	tree context = DECL_CONTEXT(decl);

	while (context && TREE_CODE(context) != FUNCTION_DECL)
		context = get_containing_scope(context);
	if ((context && DECL_ASSEMBLER_NAME_SET_P(context) && is_deep(context)) ||
	    (current_function_decl && is_deep(current_function_decl)))
		return IDENTIFIER_POINTER(DECL_NAME(decl));
	/* A typedef names a type that has no other; in full, C++ prints "typedef T T". */
	return lang_hooks.decl_printable_name(decl, DECL_ARTIFICIAL(decl) ? 2 : 1);
}

const char *name_of_unit(void)
{
	return in_lto_p || !main_input_filename ? "-" : remap_debug_filename(main_input_filename);
}
