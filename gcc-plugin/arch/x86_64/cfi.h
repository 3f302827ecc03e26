/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The unwind state at a probe, so that its cold part, printed at the end of
 * the function, can be unwound like the rest of it.
 */
#ifndef PERSEUS_PLUGIN_ARCH_CFI_H
#define PERSEUS_PLUGIN_ARCH_CFI_H

#include "gcc-plugin/base/gcc-common.h"

#define CFI_REGS 64

struct cfi_row {
	dw_cfi_ref cfa;             /* expression that gives the frame address, or NULL: */
	unsigned reg;               /*   register (DWARF number) ... */
	HOST_WIDE_INT offset;       /*   ... and bytes to add */
	dw_cfi_ref saved[CFI_REGS]; /* where each register is saved, NULL: nowhere */
};

/* Are unwind directives printed at all? */
bool cfi_used(void);

/* State at @insn, which the compiler is printing; insns come in their order. */
const struct cfi_row *cfi_at(rtx_insn *insn);

/* State behind the last insn; cfi_at() was called in this function before. */
const struct cfi_row *cfi_at_end(void);

/* *row: the state at a function's entry. */
void cfi_entry(struct cfi_row *row);

/* Print what turns @from into @to. */
void cfi_print_change(FILE *f, const struct cfi_row *from, const struct cfi_row *to);

/* Is the frame address counted from the stack pointer? */
bool cfi_by_stack(const struct cfi_row *row);

/* The next call starts with another function. */
void cfi_reset(void);

#endif
