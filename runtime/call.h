/* SPDX-License-Identifier: MIT */
/* Call slots and their records. */
#ifndef RUNTIME_CALL_H
#define RUNTIME_CALL_H

#include "runtime/rt.h"

/* Calls made at the slot so far by its thread, exact. */
uint64_t call_total(const struct prs_slot *slot);

/* Take back the calls that reloads paid for and that were not made; the slot is zero afterwards. */
void call_fold(struct prs_slot *slot);

/* Time every call of this record from now on. */
static inline void call_pin(struct prs_call *r)
{
	r->period = 1;
	r->pad[0] = 1;
}

static inline bool call_pinned(const struct prs_call *r)
{
	return r->pad[0];
}

#endif
