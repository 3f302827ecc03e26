// SPDX-License-Identifier: MIT
/* What a thread counts of origins, in the file; and the numbers of birth sites. */
#include <string.h>

#include "runtime/denormal/origin/origin.h"

#define FIRST_SIZE 256
#define TAGS       65536
#define TAG_CHAINS 1024

/* ---- tags ---- */

struct birth_site {
	struct birth_site *next;
	const struct prs_den_site *site;
	uint16_t tag;
};

static struct birth_site *chains[TAG_CHAINS];
static const struct prs_den_site **sites; /* by tag */
static uint32_t n_tags = PRS_DEN_TAG_SITES;

static struct birth_site *birth_of(const struct prs_den_site *site)
{
	struct birth_site *b = __atomic_load_n(&chains[((uint64_t)site >> 3) % TAG_CHAINS], __ATOMIC_ACQUIRE);

	while (b && b->site != site)
		b = b->next;
	return b;
}

/* Under the lock. */
static struct birth_site *give_tag(const struct prs_den_site *site)
{
	struct birth_site *b = birth_of(site);

	if (b)
		return b;
	if (!sites)
		sites = den_alloc(&den.arena, TAGS * sizeof(*sites));
	b = sites && n_tags < TAGS ? den_alloc(&den.arena, sizeof(*b)) : NULL;
	if (!b) {
		den.head->lost++;
		return NULL;
	}
	*b = (struct birth_site){chains[((uint64_t)site >> 3) % TAG_CHAINS], site, (uint16_t)n_tags};
	sites[n_tags++] = site;
	__atomic_store_n(&chains[((uint64_t)site >> 3) % TAG_CHAINS], b, __ATOMIC_RELEASE);
	return b;
}

uint16_t origin_tag(const struct prs_den_site *site)
{
	struct birth_site *b = birth_of(site);
	sigset_t old;

	if (!b) {
		den_lock(&old);
		b = give_tag(site);
		den_unlock(&old);
	}
	return b ? b->tag : PRS_DEN_TAG_LOST;
}

uint64_t origin_site(uint16_t tag)
{
	return tag < PRS_DEN_TAG_SITES ? tag : (uint64_t)sites[tag];
}

/* ---- rows ---- */

static uint32_t place(const struct origin_rows *rows, uint64_t hash)
{
	return (uint32_t)((hash * 0x9e3779b97f4a7c15ull) >> 32) & (rows->size - 1);
}

static uint64_t flow_hash(const struct prs_den_flow_row *r)
{
	return (r->site >> 3) ^ (uint64_t)r->kind << 61 ^ (uint64_t)r->from << 40 ^ (uint64_t)r->to << 20;
}

static uint64_t state_hash(const struct prs_den_state *r)
{
	return r->site >> 3;
}

/* Under the lock: the hash has room for one more. */
static bool widen(struct origin_rows *rows, bool states)
{
	void **old = rows->hash;
	uint32_t n = rows->size;

	if (rows->n * 2 < rows->size)
		return true;
	rows->hash = den_alloc(&den.arena, (n ? n * 2 : FIRST_SIZE) * sizeof(*rows->hash));
	if (!rows->hash) {
		rows->hash = old;
		den.head->lost++;
		return false;
	}
	rows->size = n ? n * 2 : FIRST_SIZE;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = old[i] ? place(rows, states ? state_hash(old[i]) : flow_hash(old[i])) : 0;

		while (old[i] && rows->hash[at])
			at = (at + 1) & (rows->size - 1);
		if (old[i])
			rows->hash[at] = old[i];
	}
	return true;
}

/* Under the lock: room for a row of @bytes in the file; it is seen when item->n covers it. */
static void *new_row(struct den_origin *o, struct origin_rows *rows, enum prs_den_item_type type,
		     size_t bytes)
{
	if (!rows->item || rows->item->n == DEN_ROWS) {
		struct prs_den_arrays *item = den_take(type, sizeof(*item) + DEN_ROWS * bytes);

		if (!item)
			return NULL;
		item->thread = o->self->number;
		den_publish(item);
		rows->item = item;
	}
	return (unsigned char *)(rows->item + 1) + rows->item->n * bytes;
}

static bool same_flow(const struct prs_den_flow_row *a, const struct prs_den_flow_row *b)
{
	return a->site == b->site && a->kind == b->kind && a->from == b->from && a->to == b->to;
}

static struct prs_den_flow_row *flow(struct den_origin *o, const struct prs_den_flow_row *want)
{
	struct origin_rows *rows = &o->flows;
	struct prs_den_flow_row *row = NULL;
	uint32_t at, module;
	sigset_t old;

	for (at = rows->size ? place(rows, flow_hash(want)) : 0; rows->size && rows->hash[at];
	     at = (at + 1) & (rows->size - 1))
		if (same_flow(rows->hash[at], want))
			return rows->hash[at];
	module = want->site < PRS_DEN_TAG_SITES ? DEN_NONE : den_module(want->site);
	den_lock(&old);
	if (widen(rows, false))
		row = new_row(o, rows, PRS_DEN_ITEM_FLOWS, sizeof(*row));
	if (row) {
		*row = *want;
		row->module = module;
		__atomic_store_n(&rows->item->n, rows->item->n + 1, __ATOMIC_RELEASE);
		for (at = place(rows, flow_hash(want)); rows->hash[at]; at = (at + 1) & (rows->size - 1))
			;
		rows->hash[at] = row;
		rows->n++;
	}
	den_unlock(&old);
	return row;
}

void origin_add(struct den_origin *o, uint32_t kind, uint64_t site, uint32_t from, uint32_t to,
		uint64_t count)
{
	uint64_t mixed = (site >> 3) ^ kind << 4 ^ from * 5 ^ to * 11;
	struct prs_den_flow_row **near = &o->recent[mixed % ORIGIN_NEAR], *row = *near;

	if (!count)
		return;
	if (!row || row->site != site || row->from != from || row->to != to || row->kind != kind) {
		struct prs_den_flow_row want = {.site = site, .kind = kind, .from = from, .to = to};

		row = flow(o, &want);
		if (!row)
			return;
		*near = row;
	}
	row->count += count;
}

/* ---- states ---- */

static struct prs_den_state *state_of(struct den_origin *o, const struct prs_den_site *site)
{
	struct prs_den_state *row = NULL, want = {.site = (uint64_t)site};
	struct origin_rows *rows = &o->states;
	uint32_t at, module;
	sigset_t old;

	for (at = rows->size ? place(rows, state_hash(&want)) : 0; rows->size && rows->hash[at];
	     at = (at + 1) & (rows->size - 1)) {
		row = rows->hash[at];
		if (row->site == want.site)
			return row;
	}
	row = NULL;
	module = den_module((uint64_t)site);
	den_lock(&old);
	if (widen(rows, true))
		row = new_row(o, rows, PRS_DEN_ITEM_STATES, sizeof(*row));
	if (row) {
		*row = want;
		row->module = module;
		row->first_ns = den_now();
		__atomic_store_n(&rows->item->n, rows->item->n + 1, __ATOMIC_RELEASE);
		for (at = place(rows, state_hash(&want)); rows->hash[at]; at = (at + 1) & (rows->size - 1))
			;
		rows->hash[at] = row;
		rows->n++;
	}
	den_unlock(&old);
	return row;
}

void origin_state(struct den_origin *o, const struct prs_den_site *site, uint64_t address, uint64_t bits)
{
	uint32_t i = ((uint64_t)site >> 3) % ORIGIN_NEAR;
	struct prs_den_state *row;

	/* One place twice in succession is a variable; an array goes on. */
	if (o->state[i].site != site || o->state[i].address != address) {
		o->state[i].site = site;
		o->state[i].address = address;
		o->state[i].row = NULL;
		return;
	}
	row = o->state[i].row;
	if (!row)
		row = o->state[i].row = state_of(o, site);
	if (!row)
		return;
	row->count++;
	row->run = row->bits == bits ? row->run + 1 : 1;
	row->bits = bits;
	if (row->run > row->most)
		row->most = row->run;
	row->last_ns = o->now;
}
