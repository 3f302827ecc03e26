/* SPDX-License-Identifier: MIT */
/*
 * Which objects have hooks, and how their probes come here.
 *
 * Beside the recording runtime an object's stubs are exchanged once it has filled them in; slots
 * without a hook go on to its own.  Alone, this library is the runtime: objects that have hooks are
 * attached, all others stay dormant.
 */
#include <limits.h>
#include <sys/mman.h>

#include "arch/own.h"
#include "runtime/trial/trial.h"

#define EXPORT __attribute__((visibility("default")))

/* The first hook of a unit; n_hooks: it has none. */
static uint32_t hooks_of(uint64_t unit_id)
{
	const struct prs_trial *p = trial.plan;
	uint32_t i = 0;

	while (i < p->n_hooks && p->hooks[i].unit_id != unit_id)
		i++;
	return i;
}

static void *trial_room(uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void trial_fill(struct trial_unit *u, uint32_t from)
{
	const struct prs_trial *p = trial.plan;

	for (uint32_t i = from; i < p->n_hooks && p->hooks[i].unit_id == u->unit_id; i++)
		if (p->hooks[i].slot < u->n_calls && !u->first[p->hooks[i].slot])
			u->first[p->hooks[i].slot] = (uint16_t)(i + 1);
}

/* Objects that are equal have one id, and what is behind a slot knows no state: they may share slots. */
static struct trial_unit *unit_of(const struct prs_desc *d)
{
	uint32_t from = hooks_of(d->unit_id);
	struct trial_unit *u;

	if (from == trial.plan->n_hooks || d->version != PRS_ABI_VERSION)
		return NULL;
	for (u = trial.units; u; u = u->next)
		if (u->unit_id == d->unit_id && u->n_calls == d->n_calls)
			return u;
	u = trial_room(sizeof(*u) + sizeof(*u->first) * d->n_calls);
	if (!u || trial.slots_end + d->n_calls > trial.plan->n_slots) {
		if (trial.status)
			__atomic_fetch_add(&trial.status->no_room, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	*u = (struct trial_unit){d->unit_id, (uint32_t)sizeof(struct prs_block) + 8 * trial.slots_end,
				 d->n_calls, (uint16_t *)(u + 1), trial.units};
	trial_fill(u, from);
	trial.slots_end += d->n_calls;
	trial.units = u;
	if (trial.status && trial.first)
		__atomic_fetch_add(&trial.status->units, 1, __ATOMIC_RELAXED);
	return u;
}

static void exchange(struct prs_desc *d, struct trial_unit *u)
{
	d->spare[TRIAL_FIRST] = (uint64_t)u->first;
	d->spare[TRIAL_UNIT] = (uint64_t)u;
	d->spare[TRIAL_ENTER] = (uint64_t)d->enter_stub;
	d->spare[TRIAL_ENTER_TO] = (uint64_t)d->enter_to_stub;
	d->spare[TRIAL_LEAVE] = (uint64_t)d->leave_stub;
	d->enter_stub = trial.doors ? trial_entry_enter : trial_entry_enter_all;
	d->enter_to_stub = trial.doors ? trial_entry_enter_to : trial_entry_enter_all;
	d->leave_stub = trial_entry_leave;
}

EXPORT void __prs_trial(struct prs_desc *d, const struct prs_trial_doors *doors)
{
	struct trial_unit *u;

	if (!trial.plan)
		return;
	trial.doors = doors;
	u = unit_of(d);
	if (u)
		exchange(d, u);
}

/*
 * Only where no recording runtime is loaded, which would stand in front.  The loader runs constructors
 * one at a time.
 */
EXPORT void __prs_attach(struct prs_desc *d)
{
	struct trial_unit *u = trial.plan && !d->tls ? unit_of(d) : NULL;

	if (!u)
		return;
	d->base = u->base;
	exchange(d, u);
	__atomic_store_n(&d->tls, RT_OWN_FS(block), __ATOMIC_RELEASE);
}

EXPORT void __prs_detach(struct prs_desc *d)
{
	__atomic_store_n(&d->tls, 0, __ATOMIC_RELEASE);
}
