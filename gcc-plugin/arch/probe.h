/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probes as one volatile asm statement each: what the folder of each processor has.
 *
 * The statement's template is empty; its last operands are a mark, what it is,
 * and the site.  When the compiler prints it, probe.c there writes the hot path in
 * place and keeps the cold path for the end of the function, so that to the
 * passes in between a probe is one instruction, whatever it does.
 */
#ifndef PERSEUS_PLUGIN_ARCH_PROBE_H
#define PERSEUS_PLUGIN_ARCH_PROBE_H

#include "gcc-plugin/base/gcc-common.h"

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

/* The token of an enter probe: 0 if its call is not timed. */
tree asm_token(const gimple *enter);

/* A statement that copies the token of @leave, which takes the copy from then on. */
gimple *asm_keep(gimple *leave);

/* Is @insn a call probe, and which? */
bool asm_call_probe(rtx_insn *insn, bool *enter);

/* Is @stmt one of the statements built here? */
bool asm_is_probe(const gimple *stmt);

/* How a memory probe watches; the rest of the project says what is enabled when (perseus/abi.h). */
enum mem_form {
	MEM_DIRECT, /* a no-op, enabled in a precise run */
	MEM_BURST,  /* a no-op, enabled while a burst is on: a range covers the access */
	MEM_INLINE, /* no no-op: tested in place, always (loops.c) */
};

/* Memory site @site is an access of this kind and width, PRS_ACCESS(); nothing for a number of parts. */
void stub_access(unsigned site, unsigned access);

#define STUB_PARTS_MAX 32

/*
 * Number that stands at a probe in the place of a site: for the @n parts, 2 to
 * STUB_PARTS_MAX, each a PRS_PART(), of @bytes in all.  Equal ones have one number.
 */
unsigned stub_parts(const uint32_t *parts, unsigned n, unsigned bytes);

/* A memory probe for @ref, the first byte of an access; @access is PRS_ACCESS(). */
gimple *asm_mem(unsigned site, tree ref, unsigned access, enum mem_form form);

/* The reference of the memory probe @stmt and its form; NULL_TREE: it is none. */
tree asm_mem_form(const gimple *stmt, enum mem_form *form);

/* The same probe in another form, to put in its place; @sharer is asm_sharer()'s for MEM_INLINE, else NULL_TREE. */
gimple *asm_mem_reform(const gimple *stmt, enum mem_form form, tree sharer);

/* *@sharer: SSA name with what probes in place compare with; a probe that misses may find another one for the thread. */
gimple *asm_sharer(tree *sharer);

/* A memory probe for as many bytes from @first on as @access says, in front of a loop; it is enabled as MEM_DIRECT. */
gimple *asm_block(unsigned site, tree first, unsigned access, bool straddles);

/* The numbers of the memory sites that the probe @insn stands for, into @sites[STUB_PARTS_MAX]; how many, 0: none. */
unsigned asm_mem_sites(rtx_insn *insn, unsigned *sites);

/* Is @insn a memory probe with a cold part that could use registers? */
bool asm_is_mem(rtx_insn *insn);

/*
 * A range: the loop behind it accesses the bytes [@first, @first + @bytes)
 * @count times in all (0: at least once).  Names or constants of 64 bits.
 * It belongs into a block that asm_ranges_on() guards.
 */
gimple *asm_ranges_on(tree *on);
gimple *asm_range(unsigned site, tree first, tree bytes, tree count, unsigned access);

/* A memory probe for the bytes [@first, @first + @bytes), enabled as MEM_DIRECT; of no bytes it is none. */
gimple *asm_span(unsigned site, tree first, tree bytes, unsigned access);

/* The same for @rows ranges, at least one, each @pitch bytes behind the one before (sizetype, may wrap);
   @count: accesses in each.  Any of them may be a constant of 64 bits. */
gimple *asm_rows(unsigned site, tree first, tree bytes, tree count, tree pitch, tree rows, unsigned access);

/* *depth: SSA name with the number of timed calls open + 1; 0: the thread is not recorded.  Goes to asm_leave(). */
gimple *asm_depth(tree *depth);

/* The entry of a plain body, which can be switched to its twin (base/bodies.h), as an instruction that
   prints what its first one needs, an enum entry_first. */
rtx asm_entry(unsigned first);

/* *enabled: SSA name with the descriptor's word at offset @word: PRS_DESC_LOOPS and
   PRS_DESC_RANGES are not zero while doubled loops and ranges are watched. */
gimple *asm_enabled(unsigned word, tree *enabled);

/* Heap notes: @bytes is an SSA name or constant of size_t, NULL_TREE: the
   length of the string at @ptr.  @status: *@ptr is the block if it is 0. */
gimple *asm_note_alloc(unsigned site, tree ptr, tree bytes, tree status);
gimple *asm_note_free(unsigned site, tree ptr);

/* Descriptor, stubs, constructor and destructor of the object. */
void asm_write_object(unsigned n_calls, unsigned n_mems, uint64_t unit_id);

#endif
