/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probes as one volatile asm statement each.
 *
 * The statement's template is empty; its last operands are a mark, what it is,
 * and the site.  When the compiler prints it, asm-x86.c writes the hot path in
 * place and keeps the cold path for the end of the function, so that to the
 * passes in between a probe is one instruction, whatever it does.
 */
#ifndef PERSEUS_PLUGIN_ASM_X86_H
#define PERSEUS_PLUGIN_ASM_X86_H

#include "gcc-plugin/gcc-common.h"

/* NULL if probes can be printed for the target and options of this compilation,
   else what is not supported. */
const char *asm_unsupported(void);

/* Take over the printing of probes and of function ends.  Once, at start. */
void asm_install(void);

/* An enter probe; @target is the callee's address (a register value) or
   NULL_TREE.  The @n values in before[] (scalar SSA names) are computed before
   the probe runs.  *token: SSA name to hand to the leave probe. */
gimple *asm_enter(unsigned site, tree target, const tree *before, unsigned n, tree *token);
gimple *asm_leave(unsigned site, tree token);

/* A memory probe for @ref; @access is PRS_ACCESS().  @in_loop: worth the room
   of a hit test of its own. */
gimple *asm_mem(unsigned site, tree ref, unsigned access, bool in_loop);

/* *awake: SSA name that is not zero while memory probes are watched. */
gimple *asm_awake(tree *awake);

/* Heap notes: @bytes is an SSA name or constant of size_t, NULL_TREE: the
   length of the string at @ptr.  @status: *@ptr is the block if it is 0. */
gimple *asm_note_alloc(unsigned site, tree ptr, tree bytes, tree status);
gimple *asm_note_free(unsigned site, tree ptr);

/* Descriptor, stubs, constructor and destructor of the object. */
void asm_write_object(unsigned n_calls, unsigned n_mems, uint64_t unit_id);

#endif
