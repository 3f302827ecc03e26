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
#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimplify.h"
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
#include "cfghooks.h"
#include "tree-into-ssa.h"
#include "predict.h"
#include "except.h"
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

/*
 * Unwind notes.  dwarf2out.h is shipped to plugins, but dwarf2.h, which it
 * includes, is not; so the little that cfi.c reads stands here, as in GCC 12
 * to 15.  The numbers are those of the DWARF standard.
 */
enum dwarf_call_frame_info {
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

/* include/perseus/ is C; this is the one C word in it that C++ lacks. */
#define _Static_assert static_assert

#if !defined(GCCPLUGIN_VERSION_MAJOR)
#error "gcc-common.h: plugin-version.h does not name GCC's major version"
#endif
#if GCCPLUGIN_VERSION_MAJOR < 12
#error "the back end is written for GCC 12 and later"
#endif

#endif
