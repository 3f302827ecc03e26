/* SPDX-License-Identifier: MIT */
/* Heap blocks over time, from the notes of all threads. */
#ifndef PERSEUS_ANALYZER_OBJECTS_HEAP_H
#define PERSEUS_ANALYZER_OBJECTS_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "record/run.h"

struct heap_block {
	uint64_t start, bytes; /* run-time address */
	uint64_t born, freed;  /* ticks; UINT64_MAX: not freed */
	uint64_t reach;        /* highest end of this and all blocks before it */
	uint32_t site;         /* process-wide call number */
	uint32_t thread;       /* that allocated it */
	uint64_t path;         /* byte of the file of the call record open round the allocation, 0: none */
};

/* All noted blocks of a process, ascending start; the caller frees the array. */
struct heap_block *heap_blocks(const struct run_process *p, size_t *n);

/* The block that held @address at @tick, NULL: none was noted. */
const struct heap_block *heap_find(const struct heap_block *blocks, size_t n, uint64_t address,
				   uint64_t tick);

/* How many blocks, one after the other or side by side, had a part of the line of 64 bytes at @address. */
uint64_t heap_lives(const struct heap_block *blocks, size_t n, uint64_t address);

/* The call record of @t at byte @at of the file; NULL: none, or @at is 0. */
const struct rec_call *heap_record(const struct run_thread *t, uint64_t at);

/* The innermost call that the allocation of @b was made in, NULL: not known.  The others are up from it. */
const struct rec_call *heap_caller(const struct run_process *p, const struct heap_block *b);

#endif
