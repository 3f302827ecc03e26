/* SPDX-License-Identifier: MIT */
/* Call slots, their records, and the calls that are open. */
#ifndef RUNTIME_CALLS_CALL_H
#define RUNTIME_CALLS_CALL_H

#include "runtime/base/rt.h"

/* Calls made at the slot so far by its thread, exact. */
uint64_t call_total(const struct prs_slot *slot);

/* Take back the calls that reloads paid for and that were not made; the slot is zero afterwards. */
void call_fold(struct prs_slot *slot);

/* The slot of an open call of @t. */
static inline struct prs_slot *call_slot(const struct rt_thread *t, const struct prs_open *o)
{
	return (struct prs_slot *)((unsigned char *)t->block + o->slot);
}

/* Choose anew how many of the slot's calls are timed, by what those so far took. */
void call_review(const struct prs_slot *slot);

/* A sharing run begins: calls are timed as seldom as names allow, unless they are traced. */
void call_thin(void);

/* Time every call of the slot from now on. */
void call_pin(const struct prs_slot *slot);

/*
 * True if the calling thread @t surely was on its core all the time since @since (ticks):
 * the kernel says when not, if it is one that does.
 */
bool call_ran_through(struct rt_thread *t, uint64_t since);

/* The state @t gets a new owner. */
void call_reset(struct rt_thread *t);

/* Thread @t has its block: no call is open.  In the thread itself. */
void call_begin(struct rt_thread *t);

/* The pair left last goes into its record.  In the thread itself, or while it cannot run. */
void call_flush(struct rt_thread *t);

/*
 * A fork child's only thread: keep the open calls of @t, before the parent's
 * file is unmapped; and put them into its new block, after call_begin().
 * They have no records there.
 */
void call_fork_keep(struct rt_thread *t);
void call_fork_restore(struct rt_thread *t);

/* What a timed call costs, measured in the calling thread: rt.pair_ticks, rt.own_ticks.  Needs the header. */
void call_calibrate(void);

/*
 * The runtime itself spent @ticks inside the innermost open call of @t, on
 * growing the record: that is no time of the call's own.
 */
void call_charge(struct rt_thread *t, uint64_t ticks);

/*
 * path.c: number of the record for a call of site @number (process-wide) to
 * @callee through @slot, inside the open calls of @t; made if there is none.
 * 0: there is no room.
 */
uint32_t path_find(struct rt_thread *t, struct prs_slot *slot, uint32_t number, uint64_t callee) RT_COLD;

#define RT_CACHE_MIX1 13u /* slots are 8 bytes apart, records some hundred */
#define RT_CACHE_MIX2 0x1e3779b1u
#define RT_CACHE_MIX3 19u
_Static_assert(RT_CACHE == 1u << (32 - RT_CACHE_MIX3), "the upper bits of the product");

/* Where the record of this call would be in the thread's cache; @path is a file offset. */
static inline uint64_t *path_place(struct rt_thread *t, uint64_t path, const struct prs_slot *slot,
				   uint64_t callee)
{
	uint32_t h = ((uint32_t)(uintptr_t)slot << RT_CACHE_MIX1) + (uint32_t)path + (uint32_t)callee;

	return &t->cache[h * RT_CACHE_MIX2 >> RT_CACHE_MIX3];
}

/* Behind desc.enter and desc.leave, see abi.h. */
uint64_t rt_enter(const struct prs_desc *d, uint32_t site, const void *target)
	__attribute__((visibility("hidden"), used));
void rt_leave(const struct prs_desc *d, uint32_t site, uint64_t token)
	__attribute__((visibility("hidden"), used));

/* rt_leave() by somebody who has read the clock: @now. */
void rt_leave_at(const struct prs_desc *d, uint32_t site, uint64_t token, uint64_t now)
	__attribute__((visibility("hidden"), used));

/* The same for the stubs of version 3, which call no C function: arch/entry.h. */
void rt_entry_enter(void);
void rt_entry_enter_to(void);
void rt_entry_leave(void);
void rt_entry_leave_trace(void); /* of a process whose threads may be traced */

/* ... where the clock is not the counter. */
void rt_entry_enter_plain(void);
void rt_entry_enter_to_plain(void);
void rt_entry_leave_plain(void);

#endif
