/* SPDX-License-Identifier: MIT */
/* Heap notes: which lines changed hands, and which allocation they belong to. */
#ifndef RUNTIME_MEMORY_NOTE_H
#define RUNTIME_MEMORY_NOTE_H

#include "runtime/base/rt.h"

/* No line changed hands: at the start and in fork children. */
void note_setup(void);

/* @line changed hands; notes of blocks that hold it stay. */
void note_moved(uint64_t line);

/* True for the first access of memory site @site to such a line, and seldom not even then. */
bool note_first(uint32_t site);

/* It did, or one that shares its bit. */
bool note_has_moved(uint64_t line);

/* The allocation that a line which changed hands belongs to since; 0: none was seen. */
uint32_t note_owner(uint64_t line);

/* Behind desc.note, see abi.h. */
void rt_note(const struct prs_desc *d, uint32_t site, void *ptr, uint64_t bytes, uint32_t op);

#endif
