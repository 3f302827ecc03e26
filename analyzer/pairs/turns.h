/* SPDX-License-Identifier: MIT */
/* Threads that did not run at the same time, as far as a run knows. */
#ifndef PERSEUS_ANALYZER_PAIRS_TURNS_H
#define PERSEUS_ANALYZER_PAIRS_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/cores/cores.h"
#include "record/run.h"

/* On which core threads of @run were seen; nothing if that is not known.  The caller releases @looks. */
void turns_looks(struct core_looks *looks, const struct run *run);

/*
 * True if the threads @a and @b of @p came to a line, that moved @transfers times between them, one after
 * the other: it moved no more often than they left their cores.
 */
bool turns_only(const struct run_process *p, uint32_t a, uint32_t b, uint64_t transfers);

/* True if all threads of @p that @looks saw work were seen on one core, the same; two at least did. */
bool turns_one_core(const struct run_process *p, const struct core_looks *looks);

/* The same of the threads @a and @b. */
bool turns_one_core_of(const struct run_process *p, const struct core_looks *looks, uint32_t a, uint32_t b);

#endif
