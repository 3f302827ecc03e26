/* SPDX-License-Identifier: MIT */
/*
 * Runs the two functions of each flush with a counterfeit register: the reviewed one on entry, one
 * that differs in a bit, one that is changed inside, another machine, regions inside regions.
 */
#include "verify/source/flushes.h"

#include <stdio.h>

#define NAME_BYTES 48
#define FIRST_BIT  0x40u /* those below are flags */
#define BITS_END   0x10000u

/* Call "perseus_flush_K_begin" or "_end"; false after saying why it could not be run. */
static bool flushes_call(struct flush_run *x, uint32_t number, const char *side)
{
	char name[NAME_BYTES];
	uint64_t none;

	snprintf(name, sizeof(name), "perseus_flush_%u_%s", number, side);
	x->a->runs++;
	if (crun_defines(x->r, name) && !crun_call(x->r, name, NULL, 0, &none))
		return true;
	findings_add(x->list, "reviewed source, %s: %s", name,
		     crun_defines(x->r, name) ? x->f->text : "it is missing");
	return false;
}

static bool flushes_restart(struct flush_run *x, bool foreign)
{
	uint64_t none;

	crun_restart(x->r);
	*x->w = (struct world){.self = WORLD_NOBODY, .in_main = true, .foreign = foreign};
	return !crun_call(x->r, "perseus_program_start", NULL, 0, &none);
}

/* Is the register @want, and counter @name @n? */
static bool flushes_is(struct flush_run *x, uint32_t number, uint32_t want, const char *name, uint64_t n,
		       const char *when)
{
	const uint64_t *count = crun_field(x->r, "perseus_status", 0, name);

	if (x->w->control == want && count && *count == n)
		return true;
	findings_add(x->list,
		     "reviewed source, flush %u, %s: the register is 0x%x, planned 0x%x; %s counts %lld, "
		     "expected %llu",
		     number, when, x->w->control, want, name, count ? (long long)*count : -1,
		     (unsigned long long)n);
	return false;
}

/* Region @a, and @b inside it, entered with @entry; inside @change is done to the register. */
static bool flushes_round(struct flush_run *x, const struct vplan_flush *a, const struct vplan_flush *b,
			  uint32_t entry, uint32_t change)
{
	bool sets = entry == a->entry && !x->w->foreign;
	uint32_t inside = sets ? entry | a->bits : entry, left = inside ^ change;
	uint64_t unexpected = !x->w->foreign && entry != a->entry;

	x->w->control = entry;
	if (!flushes_call(x, a->number, "begin") ||
	    !flushes_is(x, a->number, inside, "fp_unexpected", unexpected, "begun") ||
	    !flushes_call(x, b->number, "begin") || !flushes_call(x, b->number, "end") ||
	    !flushes_is(x, b->number, inside, "fp_unexpected", unexpected, "begun and ended inside another"))
		return false;
	x->w->control = left;
	if (!flushes_call(x, a->number, "end") ||
	    !flushes_is(x, a->number, sets ? left & ~a->bits : left, "fp_changed", sets && change, "ended"))
		return false;
	x->a->settings++;
	return true;
}

/* Nothing is taken back that was not set. */
static bool flushes_bare_end(struct flush_run *x, const struct vplan_flush *u)
{
	x->w->control = u->entry | u->bits;
	return flushes_call(x, u->number, "end") &&
	       flushes_is(x, u->number, u->entry | u->bits, "suppressed", 0, "ended without a begin");
}

static bool flushes_pair(struct flush_run *x, const struct vplan_flush *a, const struct vplan_flush *b)
{
	if (!flushes_restart(x, true) || !flushes_round(x, a, b, a->entry, 0))
		return false;
	for (uint32_t bit = FIRST_BIT; bit < BITS_END; bit *= 2)
		if (!flushes_restart(x, false) || !flushes_round(x, a, b, a->entry ^ bit, 0) ||
		    !flushes_restart(x, false) || !flushes_round(x, a, b, a->entry, bit) ||
		    !flushes_bare_end(x, a))
			return false;
	return flushes_restart(x, false) && flushes_round(x, a, b, a->entry, 0) &&
	       flushes_round(x, b, a, a->entry, 0) && flushes_bare_end(x, a);
}

/* Functions of flushes that the plan does not have. */
static void check_others(struct flush_run *x)
{
	for (size_t i = 0; i < x->r->n_functions; i++) {
		const struct cfunction *f = &x->r->function[i];
		size_t k = 0;
		unsigned number;

		if (!f->body || sscanf(f->name, "perseus_flush_%u_", &number) != 1)
			continue;
		while (k < x->p->n_flushes && x->p->flush[k].number != number)
			k++;
		if (k == x->p->n_flushes)
			findings_add(x->list, "reviewed source: %s is not in the plan", f->name);
	}
}

void flushes_check(struct flush_run *x)
{
	const struct vplan_flush *u = x->p->flush;

	check_others(x);
	for (size_t i = 0; i < x->p->n_flushes; i++)
		for (size_t k = 0; k < x->p->n_flushes; k++)
			if (!flushes_pair(x, &u[i], &u[k]))
				break;
}
