/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one thread does to a line between two places in the program matters only
 * if another one may have its turn in between by arrangement: at a call that may
 * wait or wake, an atomic operation, assembler.
 *
 * A function of this unit of which all that was seen is none of these is quiet.
 * Callees are compiled before their callers, but for recursion, so one look at
 * each body does; what is not known yet is not quiet.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/ranges/quiet.h"

/* DECL_UID of the functions that are. */
static hash_set<int_hash<unsigned, 0, -1u>> *quiet;

/* Calls that neither wait nor wake anybody, though they may write memory. */
static bool plain_builtin(gimple *stmt)
{
	tree decl = gimple_call_fndecl(stmt);
	int code;

	if (!decl || !fndecl_built_in_p(decl, BUILT_IN_NORMAL))
		return false;
	code = DECL_FUNCTION_CODE(decl);
	return IN_RANGE(code, BUILT_IN_ACOS, BUILT_IN_YNL) || IN_RANGE(code, BUILT_IN_BCMP, BUILT_IN_STRSTR);
}

/* The body that was seen is the one that is called. */
static bool quiet_callee(gimple *stmt)
{
	tree decl = gimple_call_fndecl(stmt);
	cgraph_node *node = decl && quiet ? cgraph_node::get(decl) : NULL;

	if (!node)
		return false;
	/* Not its availability: that is about what GCC may use of a body (noipa), not whether it is run. */
	node = node->ultimate_alias_target();
	return !node->ifunc_resolver && decl_binds_to_current_def_p(decl) &&
	       quiet->contains(DECL_UID(node->decl));
}

bool stmt_may_synchronise(gimple *stmt)
{
	if (gimple_code(stmt) == GIMPLE_ASM)
		return !asm_is_probe(stmt) && (gimple_asm_clobbers_memory_p(as_a<gasm *>(stmt)) ||
					       gimple_asm_volatile_p(as_a<gasm *>(stmt)));
	if (!is_gimple_call(stmt))
		return false;
	if (gimple_has_volatile_ops(stmt))
		return true;
	return !(gimple_call_flags(stmt) & (ECF_CONST | ECF_PURE)) && !plain_builtin(stmt) &&
	       !quiet_callee(stmt);
}

/* A volatile access may be a wait for another thread. */
static bool may_wait(gimple *stmt)
{
	if (is_gimple_debug(stmt) || gimple_clobber_p(stmt) || asm_is_probe(stmt))
		return false;
	return gimple_has_volatile_ops(stmt) || stmt_may_synchronise(stmt);
}

static bool all_quiet(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (may_wait(gsi_stmt(gsi)))
			return false;
	return true;
}

void quiet_note(function *fun)
{
	if (fun->calls_setjmp || fun->has_nonlocal_label || !all_quiet(fun))
		return;
	if (!quiet)
		quiet = new hash_set<int_hash<unsigned, 0, -1u>>;
	quiet->add(DECL_UID(fun->decl));
}
