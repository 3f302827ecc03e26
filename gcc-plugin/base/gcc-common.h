/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GCC's headers in the one order in which they compile, and everything that
 * differs between versions of GCC.  Include it first.
 */
#ifndef PERSEUS_GCC_COMMON_H
#define PERSEUS_GCC_COMMON_H

#include <stdint.h>
#include "gcc-plugin.h"
#include "plugin-version.h"

#if !defined(GCCPLUGIN_VERSION_MAJOR)
#error "gcc-common.h: plugin-version.h does not name GCC's major version"
#endif
#define GCC_FROM(major) (GCCPLUGIN_VERSION_MAJOR >= (major))
#if !GCC_FROM(11)
#error "the back end is written for GCC 11 and later"
#endif

#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "gimple-ssa.h"
#include "gimple-pretty-print.h"
#include "tree-pass.h"
#include "context.h"
#include "cgraph.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-dfa.h"
#include "tree-inline.h"
#include "tree-ssa-alias.h"
#include "tree-ssanames.h"
#include "value-range.h"
#include "value-query.h"
#include "tree-ssa-operands.h"
#include "ssa-iterators.h"
#include "stringpool.h"
#include "attribs.h"
#include "diagnostic-core.h"
#include "diagnostic.h"
#include "langhooks.h"
#include "fold-const.h"
#include "cfganal.h"
#include "cfgloop.h"
#include "cfgloopmanip.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-manip.h"
#include "tree-ssa-loop-niter.h"
#include "tree-affine.h"
#include "tree-chrec.h"
#include "tree-scalar-evolution.h"
#include "gimple-fold.h"
#include "cfghooks.h"
#include "tree-into-ssa.h"
#include "predict.h"
#include "except.h"
#include "builtins.h"
#include "toplev.h"
#include "output.h"
#include "target.h"
#include "varasm.h"
#include "memmodel.h"
#include "rtl.h"
#include "emit-rtl.h"
#include "tm_p.h"
#include "regs.h"
#include "insn-config.h"
#include "insn-attr.h"
#include "debug.h"
#include "file-prefix-map.h"
#include "version.h"

/* gcov-io.h of GCC 11 includes a header that is not shipped; of it lto-streamer.h has this one struct. */
#if !GCC_FROM(12)
#define GCC_GCOV_IO_H
struct gcov_summary {
	unsigned runs;
	gcov_type sum_max;
};
#endif
#include "lto-streamer.h"

/*
 * Unwind notes.  dwarf2out.h is shipped to plugins, but dwarf2.h, which it
 * includes, is not; so the little that cfi.c reads stands here, as in GCC 11
 * to 16.  The numbers are those of the DWARF standard.
 */
#if GCC_FROM(15)
enum dwarf_call_frame_info : int {
#else
enum dwarf_call_frame_info {
#endif
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_offset_extended = 0x05,
	DW_CFA_restore_extended = 0x06,
	DW_CFA_undefined = 0x07,
	DW_CFA_same_value = 0x08,
	DW_CFA_register = 0x09,
	DW_CFA_remember_state = 0x0a,
	DW_CFA_restore_state = 0x0b,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_register = 0x0d,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_def_cfa_offset_sf = 0x13,
	DW_CFA_val_expression = 0x16,
};
typedef union {
	unsigned int dw_cfi_reg_num;
	HOST_WIDE_INT dw_cfi_offset;
	const void *pointer;
} dw_cfi_oprnd;
struct dw_cfi_node {
	enum dwarf_call_frame_info dw_cfi_opc;
	dw_cfi_oprnd dw_cfi_oprnd1;
	dw_cfi_oprnd dw_cfi_oprnd2;
};
typedef struct dw_cfi_node *dw_cfi_ref;
extern void output_cfi_directive(FILE *f, struct dw_cfi_node *cfi);

#if !GCC_FROM(12)
/* GCC 11 asks for globals only; a local whose address has left is as public. */
static inline bool ptr_deref_may_alias_global_p(tree ptr, bool escaped_local)
{
	struct ptr_info_def *info = TREE_CODE(ptr) == SSA_NAME ? SSA_NAME_PTR_INFO(ptr) : NULL;

	if (!info || ptr_deref_may_alias_global_p(ptr))
		return true;
	return escaped_local && (info->pt.escaped || info->pt.vars_contains_escaped);
}
#endif

/* The last statement of a block that is not for debuggers. */
#if GCC_FROM(14)
#define GCC_LAST_STMT(bb) last_nondebug_stmt(bb)
#else
#define GCC_LAST_STMT(bb) last_stmt(bb)
#endif

/*
 * GCC 16 puts values into their uses after they were expanded, over whatever lies
 * between: what belongs in front of a pair of probes ends up in it.  So not in @fun,
 * whose passes are run now, if it is @probed; a user who asks for it has it.
 * What is set stays for the next function of the same options, which says anew.
 */
static inline void gcc_keep_in_place(function *fun, bool probed)
{
#if GCC_FROM(15)
	if (!global_options_set.x_flag_late_combine_instructions)
		global_options.x_flag_late_combine_instructions =
			!probed && opt_for_fn(fun->decl, flag_late_combine_instructions);
#else
	(void)fun;
	(void)probed;
#endif
}

/* The number of elements of an array type, less one. */
#if GCC_FROM(15)
#define GCC_ARRAY_TOP(type) array_type_nelts_minus_one(type)
#else
#define GCC_ARRAY_TOP(type) array_type_nelts(type)
#endif

/* Arithmetic that wraps, in place of @stmt. */
#if GCC_FROM(16)
#define GCC_WRAPPING(stmt) rewrite_to_defined_unconditional(stmt)
#else
#define GCC_WRAPPING(stmt) rewrite_to_defined_overflow(stmt)
#endif

/* The top-level asm after @node; from GCC 15 on one may be an expression with operands. */
#define GCC_NEXT_ASM(node) ((asm_node *)(node)->next)
static inline bool gcc_is_basic_asm(const asm_node *node)
{
	return TREE_CODE(node->asm_str) == STRING_CST;
}

/* Another top-level asm like @node, which left the list, at the end of the list. */
static inline void gcc_add_asm_again(const asm_node *node)
{
	asm_node *again = symtab->finalize_toplevel_asm(node->asm_str);

	again->order = node->order;
#if GCC_FROM(16)
	again->symbols_referenced = node->symbols_referenced;
#endif
}

/* @cst, whose type may be a pointer's, as a signed number. */
static inline HOST_WIDE_INT signed_value(tree cst)
{
	return offset_int::from(wi::to_wide(cst), SIGNED).to_shwi();
}

/* What the optimisers know of @value, a name: the upper end of its (first) range; false: nothing. */
static inline bool value_bound(tree value, unsigned HOST_WIDE_INT *most)
{
	int_range<2> range;

#if GCC_FROM(12)
	if (!get_global_range_query()->range_of_expr(range, value))
		return false;
#else
	get_range_info(value, range);
#endif
	if (range.undefined_p() || range.varying_p() || !wi::fits_uhwi_p(range.upper_bound(0)))
		return false;
	*most = range.upper_bound(0).to_uhwi();
	return true;
}

/* Atomic operations whose result is only compared with zero; as `case' labels. */
#if GCC_FROM(12)
#define CASE_IFN_ATOMIC_FETCH_CMP_0                                                                          \
	case IFN_ATOMIC_ADD_FETCH_CMP_0:                                                                     \
	case IFN_ATOMIC_SUB_FETCH_CMP_0:                                                                     \
	case IFN_ATOMIC_AND_FETCH_CMP_0:                                                                     \
	case IFN_ATOMIC_OR_FETCH_CMP_0:                                                                      \
	case IFN_ATOMIC_XOR_FETCH_CMP_0:
#else
#define CASE_IFN_ATOMIC_FETCH_CMP_0
#endif

/*
 * From GCC 13 on a call that returns twice must be the first statement of its
 * block: nothing goes in front of it there, what belongs before it goes into a
 * block of its own.  (The second holds in every version; the first costs the
 * probe of such a call's own result, so only where it must be.)
 */
#define GCC_RETURNS_TWICE_FIRST GCC_FROM(13)
static inline bool starts_with_returns_twice(basic_block bb)
{
	gimple_stmt_iterator gsi = gsi_start_nondebug_after_labels_bb(bb);

	return !gsi_end_p(gsi) && is_gimple_call(gsi_stmt(gsi)) &&
	       (gimple_call_flags(gsi_stmt(gsi)) & ECF_RETURNS_TWICE);
}

/* Whether -Werror is on; GCC 14 hid the member behind functions. */
#if GCC_FROM(14)
#define GCC_WERROR(dc)         (dc)->warning_as_error_requested_p()
#define GCC_SET_WERROR(dc, on) (dc)->set_warning_as_error_requested(on)
#else
#define GCC_WERROR(dc)         (dc)->warning_as_error_requested
#define GCC_SET_WERROR(dc, on) ((dc)->warning_as_error_requested = (on))
#endif

/* Whether warnings are kept back, as with -w; may be written. */
#if GCC_FROM(14)
#define GCC_SILENT(dc) (dc)->m_inhibit_warnings
#else
#define GCC_SILENT(dc) (dc)->dc_inhibit_warnings
#endif

/* include/perseus/ is C; this is the one C word in it that C++ lacks. */
#define _Static_assert static_assert

#endif
