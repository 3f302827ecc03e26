/* SPDX-License-Identifier: MIT */
/* Where a block of the heap comes from. */
#ifndef PERSEUS_ANALYZER_OBJECTS_ORIGIN_H
#define PERSEUS_ANALYZER_OBJECTS_ORIGIN_H

#include <stdbool.h>

#include "record/run.h"

struct heap_block;

/* True if the call says of what type its blocks are; bytes are of no type. */
bool origin_says_type(const struct run_call_site *alloc);

/*
 * The call that stands for the allocation of @b: of the allocator, or where
 * that is called in a function that hands the block on and knows no type, of
 * that function.  NULL: not known.
 */
const struct run_call_site *origin_call(const struct run_process *p, const struct heap_block *b);

/* Names of the functions round the allocation @alloc of @b, as the tables have them; to be freed. */
char *origin_functions(const struct run_process *p, const struct heap_block *b,
		       const struct run_call_site *alloc);

/*
 * The place of the program that asks for @b, which @alloc allocated: the call
 * that stands for the allocation, or what calls the library that it stands
 * in.  *@outer becomes the first call round that place, or NULL.  Returns the call site that the place
 * is of if that is further out than the call that stands for the allocation, else NULL.
 */
const struct run_call_site *origin_place(const struct run *run, const struct run_process *p,
					 const struct heap_block *b, const struct run_call_site *alloc,
					 struct run_place *place, const struct rec_call **outer);

/*
 * The place of the program where thread @t accessed memory at @site so often, in the call @round (may
 * be NULL): of a function of the library that was not inlined, the program's line that calls it.
 */
void origin_access(const struct run *run, const struct run_process *p, const struct run_thread *t,
		   const struct run_mem_site *site, double accesses, const struct rec_call *round,
		   struct run_place *place);

/*
 * "main() main.c:17, start() main.c:9": who called from @r on, innermost
 * first, without the library; to be freed, NULL: nobody known.
 */
char *origin_chain(const struct run *run, const struct run_process *p, const struct rec_call *r);

#endif
