/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What code that counts denormals refers to, and how the object's part of it is printed. */
#ifndef PERSEUS_PLUGIN_ARCH_DENORMAL_H
#define PERSEUS_PLUGIN_ARCH_DENORMAL_H

#include "gcc-plugin/base/gcc-common.h"
#include "perseus/denormal.h"

/* *@table: SSA name, the thread's table; the call touches no memory that GCC knows of. */
gimple *asm_den_table(tree *table);

/* prs_den_array(@site, @address, @count), if there is one and @count is not 0. */
gimple *asm_den_array(tree site, tree address, tree count);

/* May @stmt write the register that holds flush-to-zero? */
bool asm_den_sets(gimple *stmt);

/*
 * prs_den_copy (@site, @from, @bytes), 0 if there is none; it reads memory.  At first @site is a text, which
 * asm_den_copy_late() replaces.
 */
gimple *asm_den_copy(tree site, tree from, tree bytes);
bool asm_den_is_copy(gimple *stmt);
void asm_den_copy_late(gcall *call, tree site);

/* The option by which values have more bits in registers than in memory: what is looked at is rounded; NULL: none. */
const char *asm_den_wide(void);

/* Does the processor note operands of arithmetic on numbers of @type that are denormal? */
bool asm_den_notes(tree type);

/* *@raised: SSA name of 32 bits, 1 if it has noted one, or denormals are flushed, else 0. */
gimple *asm_den_raised(tree *raised);

/* *@one: SSA name of @type, a 1 that GCC does not know. */
gimple *asm_den_one(tree type, tree *one);

/* *@same: SSA name, what the number @value of at most 64 bits is, of which GCC does not know that. */
gimple *asm_den_apart(tree value, tree *same);

/* @value is computed, though nobody uses it. */
gimple *asm_den_keep(tree value);

/* memcpy (@to, @from, @bytes), which no pass takes for a copy of the program's. */
gimple *asm_den_move(tree to, tree from, tree bytes);

/* prs_den_calm(), prs_den_clear(), if there is one. */
gimple *asm_den_calm(void);
gimple *asm_den_clear(void);

/* prs_den_look(), if there is one. */
gimple *asm_den_look(void);
bool asm_den_is_look(gimple *stmt);

/*
 * prs_den_flow(@what, ...), if there is one.  @args: site, address, step, count,
 * bits; NULL_TREE is 0.  *@result: SSA name, the tag; NULL: nobody wants it.
 */
bool asm_den_is_flow(gimple *stmt);
gimple *asm_den_flow(unsigned what, const tree *args, tree *result);

/* The address of the @index-th site of the object. */
tree asm_den_site(unsigned index);

/* prs_den_group(@group, @words, ...), if there is one; it reads the words, and writes nothing that GCC knows of. */
gimple *asm_den_count_group(tree group, tree words);

/* The same of prs_den_told(). */
gimple *asm_den_told(tree told, tree words);

/* The address of the numbers from @at on. */
tree asm_den_group(unsigned at);

/* Can the vector units that the current function may use compare signed numbers of @bits? */
bool asm_den_compares(unsigned bits);

/* At the end of a unit, in this order: sites in the order of their index, slots, functions, the rest. */
void asm_den_begin(void);
void asm_den_write_site(const struct prs_den_site *site);
void asm_den_slots(void);
void asm_den_write_slot(unsigned site, unsigned role, unsigned operand);
void asm_den_loops(void);
/* Function @number, called @name in the assembler's text, has loops that count in registers; @several: so may other units'. */
void asm_den_write_loops(const char *name, bool several, unsigned number);
void asm_den_end(unsigned mode, unsigned n_slots, const char *unit);

/* Behind that: the numbers of all groups, and the function that hands them on. */
void asm_den_write_groups(const unsigned *numbers, unsigned n);

/* At the end of a unit: what asm_den_look(), asm_den_copy() and others call, if anything does. */
void asm_den_extras(void);

#endif
