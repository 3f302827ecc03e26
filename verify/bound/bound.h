/* SPDX-License-Identifier: MIT */
/*
 * Is the bound that a plan names one?  Of small plans all placements and frequency
 * steps of each phase are looked at, one after the other, by the model of time and power
 * of recompute.h, without the prices of changes.  No search, no cuts: what is too large
 * for that is not judged.
 */
#ifndef PERSEUS_VERIFY_BOUND_BOUND_H
#define PERSEUS_VERIFY_BOUND_BOUND_H

#include "verify/figures/recompute.h"

/* So many evaluations of a phase are made at most, over all phases. */
#define BOUND_MOST 300000u

enum bound_verdict {
	BOUND_NONE,  /* the plan is for another figure than time or energy, or has differences already */
	BOUND_OPEN,  /* not judged: why says so */
	BOUND_BELOW, /* no placement costs less */
	BOUND_EXACT, /* ... and one costs just that */
};

struct bound_answer {
	enum bound_verdict verdict;
	const char *why;
	uint64_t looked; /* placements and steps */
};

/*
 * Judge bound_time_ns, or bound_energy_nj of a plan for energy, and what `proven` and
 * `method` say of it.  Each contradiction is a line in @list.  After claims_check().
 */
struct bound_answer bound_check(const struct vplan *p, const struct vmodel *m, size_t n_models,
				const struct vplatform *f, struct findings *list);

/* On standard output: the closed-form saving, @closed %, and the tighter one, @tight %, and what @a is. */
void bound_print(const struct bound_answer *a, double closed, double tight);

#endif
