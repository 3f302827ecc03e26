/* SPDX-License-Identifier: MIT */
/*
 * Blocks that hold several types: a header and an array behind it, or what a program
 * cuts from a large block itself.  Each type is an object of its own.
 */
#ifndef PERSEUS_ANALYZER_OBJECTS_REGIONS_H
#define PERSEUS_ANALYZER_OBJECTS_REGIONS_H

#include "analyzer/objects/objects.h"

/* What regions_find() says of a place in a block. */
struct region_place {
	size_t number; /* 0: what the block goes by; SIZE_MAX: there is nothing else in it */
	const struct run_type *type;
	uint64_t offset, bytes; /* in the block: where it begins, how far it goes */
	bool numbered;          /* it begins with the first element */
};

/* Take note of an access, as objects_learn(), after learned_add() has seen all of them. */
void regions_add(struct objects *os, uint64_t line, uint64_t tick, const struct run_mem_site *site,
		 uint64_t mask);

/* True if the struct ends in an array without a bound, of which a block has as many elements as fit. */
bool regions_open(const struct run_type *type);

/* Which of the types of block @b lies at byte @at of it. */
void regions_find(const struct objects *os, const struct heap_block *b, uint64_t at,
		  struct region_place *out);

#endif
