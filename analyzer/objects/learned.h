/* SPDX-License-Identifier: MIT */
/* What accesses tell of an allocation that does not say its type: the type, and where it begins. */
#ifndef PERSEUS_ANALYZER_OBJECTS_LEARNED_H
#define PERSEUS_ANALYZER_OBJECTS_LEARNED_H

#include "analyzer/objects/objects.h"

struct heap_block;

/* False of a part of the C++ library: inside an object it does not tell what the object is. */
bool learned_tells(const struct run_mem_site *site);

/* The largest type seen in blocks of the allocation @ident that names none; NULL: none. */
struct object_type *learned_type(const struct objects *os, const void *ident);

/* Take note of an access, as objects_learn(). */
void learned_add(struct objects *os, uint64_t line, uint64_t tick, const struct run_mem_site *site,
		 uint64_t mask);

/*
 * Where in its block the object begins, and its bytes: whoever maps a file, or
 * takes a page (@pages), may put a struct anywhere.  There are several of it
 * only if several were used.  False: not known; *bytes are those of the block.
 */
bool learned_place(struct object *o, const struct object_type *l, bool pages, uint64_t *bytes);

/* True if the call maps pages. */
bool learned_maps(const struct run_call_site *alloc);

/*
 * Bytes that objects of @type (may be NULL) have in a mapping, which has whole pages: it
 * holds one as long as nobody uses a second one.
 */
uint64_t learned_mapped_bytes(const struct objects *os, const struct heap_block *b, const char *type);

#endif
