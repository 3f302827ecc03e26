/* SPDX-License-Identifier: MIT */
/*
 * A probe comes here before and after each call of a slot that has hooks, and once in a thread for
 * each slot that has none: its counter is set so high then that 2^31 calls do not come.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "arch/own.h"
#include "runtime/trial/trial.h"

/* Of a depth that no recorded call has: not timed, but to be left. */
#define OWN_TOKEN (0xffffull << 48 | 1)
#define DEPTH(t)  ((t) >> 48)

static pthread_key_t key;

static uint64_t block_bytes(void)
{
	return sizeof(struct prs_block) + 8ull * trial.plan->n_slots;
}

/* A thread ends; what it still calls gets another block, and is asked again. */
static void give_back(void *block)
{
	RT_OWN->block = NULL;
	munmap(block, block_bytes());
}

bool trial_blocks_begin(void)
{
	return !pthread_key_create(&key, give_back);
}

static void make_block(void)
{
	void *at = mmap(NULL, block_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return;
	pthread_setspecific(key, at);
	RT_OWN->block = at;
}

/* NULL: there is no room, and so every call of the thread comes here. */
static struct prs_block *own_block(void)
{
	if (!RT_OWN->block)
		trial_run(make_block);
	return RT_OWN->block;
}

/* Run the hooks of a side, from number @first on; true: the slot has some of the other side, too. */
static bool run(uint32_t first, bool after)
{
	const struct prs_trial *p = trial.plan;
	const struct prs_trial_hook *h = p->hooks + first, *end = p->hooks + p->n_hooks;
	bool others = false, any = false;

	for (uint64_t unit = h->unit_id, slot = h->slot; h < end && h->unit_id == unit && h->slot == slot;
	     h++) {
		if (!h->after != !after) {
			others = true;
			continue;
		}
		trial_run(h->run);
		any = true;
	}
	if (any) {
		if (trial.status)
			__atomic_fetch_add(&trial.status->visits, 1, __ATOMIC_RELAXED);
		trial_run(trial_tell); /* ordinary C, too */
	}
	return others;
}

/* The slot's next call comes here again, or not so soon. */
static void reload(const struct trial_unit *u, uint32_t site, bool hooked)
{
	struct prs_block *b = own_block();
	struct prs_slot *slots = b ? (struct prs_slot *)((unsigned char *)b + u->base) : NULL;

	if (slots)
		__atomic_store_n(&slots[site].left, hooked ? 0 : INT32_MAX, __ATOMIC_RELAXED);
}

uint64_t trial_enter(const struct prs_desc *d, uint32_t site, const void *target)
{
	const struct trial_unit *u = (const struct trial_unit *)d->spare[TRIAL_UNIT];
	uint32_t first = u->first[site];
	uint64_t token = 0;
	bool after;

	if (!trial.doors)
		reload(u, site, first != 0);
	if (!first)
		return 0;
	after = run(first - 1, false);
	if (trial.doors) {
		trial.doors->pin(d, site);
		token = trial.doors->enter(d, site, target);
	}
	return token || !after ? token : OWN_TOKEN;
}

void trial_leave(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	const struct trial_unit *u = (const struct trial_unit *)d->spare[TRIAL_UNIT];

	if (trial.doors && token != OWN_TOKEN)
		trial.doors->leave(d, site, token);
	/* Depth 0: no call is left, but an exception was caught. */
	if (DEPTH(token) && u->first[site])
		run(u->first[site] - 1u, true);
}
