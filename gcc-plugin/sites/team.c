/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/sites/team.h"

/* Where the name of a region's function begins to differ from that of the one it was cut from; NULL: it is none. */
static const char *mark_in(const char *name)
{
	const char *mark = strstr(name, "._omp_fn.");

	return mark ? mark : strstr(name, "._loopfn."); /* -ftree-parallelize-loops */
}

bool team_is_region(tree decl)
{
	return DECL_ARTIFICIAL(decl) && mark_in(callee_asm_name(decl));
}

/* The region among the arguments of @call, NULL_TREE: none. */
static tree region_of(const gcall *call)
{
	for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
		tree arg = gimple_call_arg(call, i);

		if (TREE_CODE(arg) == ADDR_EXPR && TREE_CODE(TREE_OPERAND(arg, 0)) == FUNCTION_DECL &&
		    team_is_region(TREE_OPERAND(arg, 0)))
			return TREE_OPERAND(arg, 0);
	}
	return NULL_TREE;
}

/* Does @call call GCC's OpenMP library? */
static bool is_library(const gcall *call)
{
	tree callee = gimple_call_fndecl(call);
	const char *name = callee ? callee_asm_name(callee) : "";

	return !strncmp(name, "GOMP_", 5) || !strncmp(name, "omp_", 4);
}

location_t team_location(const gimple *stmt, tree fndecl)
{
	location_t own = gimple_location(stmt);
	const gcall *call = dyn_cast<const gcall *>(stmt);
	tree region = NULL_TREE;

	if (LOCATION_LOCUS(own) != UNKNOWN_LOCATION)
		return own;
	/* Calls that optimisers made (f.part.0) belong to no directive. */
	if (call && !is_library(call))
		return own;
	if (call)
		region = region_of(call);
	if (!region && team_is_region(fndecl))
		region = fndecl;
	return region ? DECL_SOURCE_LOCATION(region) : own;
}

/* ---- names ------------------------------------------------------------------ */

/* What the callee @name of the library makes of a region. */
static const char *kind_by(const char *name)
{
	if (!strncmp(name, "GOMP_task", 9))
		return "task";
	if (!strncmp(name, "GOMP_target", 11))
		return "target region";
	if (!strncmp(name, "GOMP_teams", 10))
		return "teams region";
	return "parallel region";
}

/* Who hands @decl to the library tells what it is. */
static const char *kind_of(tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);
	struct ipa_ref *ref;

	for (unsigned i = 0; node && node->iterate_referring(i, ref); i++)
		if (ref->stmt && is_gimple_call(ref->stmt) && gimple_call_fndecl(ref->stmt))
			return kind_by(callee_asm_name(gimple_call_fndecl(ref->stmt)));
	return "parallel region";
}

const char *team_name(tree decl)
{
	static struct text out;
	const char *name = callee_asm_name(decl), *mark = mark_in(name), *file;
	symtab_node *round =
		symtab_node::get_for_asmname(get_identifier_with_length(name, (size_t)(mark - name)));
	expanded_location at = expand_location(DECL_SOURCE_LOCATION(decl));

	text_clear(&out);
	if (round && TREE_CODE(round->decl) == FUNCTION_DECL)
		text_str(&out, name_of_function(round->decl, 1));
	else
		text_add(&out, "%.*s", (int)(mark - name), name);
	file = at.file ? strrchr(at.file, '/') : NULL;
	text_add(&out, " (%s %s:%d)", kind_of(decl), file ? file + 1 : at.file ? at.file : "-", at.line);
	return text_get(&out);
}

/* ---- probes ------------------------------------------------------------------ */

static void clear_tails(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (gcall *call = dyn_cast<gcall *>(gsi_stmt(gsi)))
			gimple_call_set_tail(call, false);
}

void team_enclose(function *fun, unsigned site)
{
	edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)), e;
	basic_block first = split_edge(entry);
	gimple_stmt_iterator gsi = gsi_after_labels(first);
	tree token;
	edge_iterator ei;
	gimple *enter = asm_enter(site, NULL_TREE, NULL, 0, &token);

	clear_tails(fun);
	gimple_set_location(enter, DECL_SOURCE_LOCATION(fun->decl));
	gsi_insert_before(&gsi, enter, GSI_SAME_STMT);
	FOR_EACH_EDGE(e, ei, EXIT_BLOCK_PTR_FOR_FN(fun)->preds)
	{
		gimple *leave;

		gsi = gsi_last_nondebug_bb(e->src);
		if (gsi_end_p(gsi) || gimple_code(gsi_stmt(gsi)) != GIMPLE_RETURN)
			continue;
		leave = asm_leave(site, token);
		gimple_set_location(leave, DECL_SOURCE_LOCATION(fun->decl));
		gsi_insert_before(&gsi, leave, GSI_SAME_STMT);
	}
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
}
