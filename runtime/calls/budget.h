/* SPDX-License-Identifier: MIT */
/*
 * An overhead that is promised and held (perseus record --budget).
 *
 * One number per record says how much is seen of its calls, `period`; one per
 * thread says how much is seen of all, the threshold: calls that last at least
 * that long on average are all timed, shorter ones as much more seldom as they
 * are shorter.  Every probe is charged to its thread; when a grant is used up,
 * the thread's CPU time says what it has earned meanwhile, and the threshold
 * is moved.
 */
#ifndef RUNTIME_CALLS_BUDGET_H
#define RUNTIME_CALLS_BUDGET_H

#include "runtime/base/rt.h"

#define BUDGET_LEARN 4u /* timed calls between two looks at a record; a power of two */

/* What probes cost, in ticks * 256; with a budget only. */
struct rt_prices {
	int64_t pair;       /* of a timed call, where all are timed */
	int64_t count;      /* of a call that is only counted */
	int64_t log;        /* of an entry of the block log, which reads the CPU time */
	uint64_t per_ns;    /* what a nanosecond of CPU time earns, * 2^20 */
	int64_t look_ticks; /* between two looks at the CPU time, at most */
};

extern struct rt_prices budget_prices __attribute__((visibility("hidden")));

/* The environment asks for a promise of @ppm millionths of the CPU time, 0: for none. */
void budget_ask(uint32_t ppm);

/*
 * Enter the promise into the header @h of a new record, the process's own or a
 * fork child's.  The first time: find out what probes cost, which needs the
 * clock's price in @h, and set rt.budget_ppm.  Without room for its tables, in
 * a sharing run, or with a fixed period nothing is promised.
 */
void budget_start(struct prs_rec_header *h);

/* The thread begins to earn; @cpu_ns: its CPU time. */
void budget_begin(struct rt_thread *t, uint64_t cpu_ns);

/* The thread ends at the CPU time @cpu_ns: what it took and spent goes to the process's sums. */
void budget_end(struct rt_thread *t, uint64_t cpu_ns);

/* Enter the share of CPU time that probes took so far, as the runtime reckons it; under rt_lock(). */
void budget_close(struct prs_rec_header *h);

/* First period of a new record of the slot whose newest record is @head (NULL: it has none). */
uint32_t budget_first(const struct prs_call *head, uint32_t number);

/* After about BUDGET_LEARN more timed calls of a record, at the end of the leave that read the clock at @now. */
void budget_review(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r, uint64_t now);

/*
 * Before each reload of a record whose calls are sampled: to how many calls it
 * shall go.  1: the next one is timed, too.
 */
uint32_t budget_reload(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r) RT_COLD;

/* A call that was to be timed lies too deep for it. */
void budget_too_deep(struct rt_thread *t, const struct prs_slot *slot, struct prs_call *r);

/* An entry of the block log was written. */
static inline void budget_log(struct rt_thread *t)
{
	if (rt_unlikely(rt.budget_ppm))
		local_add64(&t->budget.spent, (uint64_t)budget_prices.log);
}

#endif
