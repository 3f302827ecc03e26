/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of a callee by its name or its builtin code. */
#ifndef PERSEUS_PLUGIN_CALLEE_H
#define PERSEUS_PLUGIN_CALLEE_H

#include "gcc-plugin/base/gcc-common.h"

/* What an allocating or releasing call does with which argument. */
enum heap_op {
	HEAP_NONE,
	HEAP_ALLOC,    /* result, argument 0 is the size */
	HEAP_ALLOC1,   /* result, argument 1 is the size (aligned_alloc, memalign) */
	HEAP_CALLOC,   /* result, arguments 0 and 1 multiplied */
	HEAP_REALLOC,  /* releases argument 0; result, argument 1 is the size */
	HEAP_REALLOC3, /* releases argument 0; result, arguments 1 and 2 multiplied */
	HEAP_MEMALIGN, /* posix_memalign: *argument 0 if the result is 0, argument 2
                    is the size */
	HEAP_STRDUP,   /* result, as long as its string */
	HEAP_FREE,     /* releases argument 0 */
};

/* Assembler name of @decl as in the object file; a leading '*' is dropped. */
const char *callee_asm_name(tree decl);

/* Name by which sites speak of the callee of @call: assembler name or "indirect". */
const char *callee_name(const gcall *call);

/*
 * How many calls of the same callee at the same place lie inside the arguments
 * of @call: 0, 1 and 2 for the calls of g in g (h (g (g (x)))), which GCC puts
 * at one place.  Innermost first; found by following values, so it survives LTO.
 */
unsigned callee_depth(gcall *call);

/* NULL if the call ends as a call instruction to real code; else why it gets no
   probe: "" where there is nothing to list (it expands to no call at all). */
const char *callee_no_probe_reason(gcall *call);

/* What the callee named @name does to the heap. */
enum heap_op callee_heap_op(const char *name);

/* Does the callee named @name start a thread, or may it block? */
bool callee_creates(const char *name);
bool callee_waits(const char *name);

/* Is @name one of the functions of a plan's triggers? */
bool callee_is_trigger(const char *name);

#endif
