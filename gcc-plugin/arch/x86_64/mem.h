/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printing the memory probes and the heap notes; gcc-plugin/arch/probe.h makes them. */
#ifndef PERSEUS_PLUGIN_ARCH_MEM_H
#define PERSEUS_PLUGIN_ARCH_MEM_H

#include "gcc-plugin/base/gcc-common.h"

/* In the number of an access: it may touch two lines; the rest is PRS_ACCESS(). */
#define MEM_STRADDLES (1u << 23)

/* The probe at @insn of memory operand @mem: a no-op in place. */
void mem_print(FILE *f, rtx_insn *insn, rtx mem, unsigned access, unsigned site, bool burst);

/* The calling thread's sharer into @reg, for the probes of a loop. */
void mem_print_sharer(FILE *f, rtx reg);

/* With its hit test in place; @regs: two registers of its own, and the sharer's. */
void mem_print_inline(FILE *f, rtx_insn *insn, rtx *regs, rtx mem, unsigned access, unsigned site);

/* A range: @ops are first byte, bytes, times (@n 3), or what is in struct prs_rows (5). */
void mem_print_range(FILE *f, rtx_insn *insn, rtx *ops, int n, unsigned access, unsigned site);

/* A call's span: @ops are first byte and bytes; a no-op, which the runtime makes a jump. */
void mem_print_span(FILE *f, rtx_insn *insn, rtx *ops, unsigned access, unsigned site);

/*
 * A heap note: @ptr; @bytes NULL: it takes none; @status not NULL: only if it is 0.
 * @stub: an enum stub_kind.
 */
void mem_print_note(FILE *f, rtx_insn *insn, rtx ptr, rtx bytes, rtx status, int stub, unsigned site);

#endif
