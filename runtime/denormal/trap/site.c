// SPDX-License-Identifier: MIT
/*
 * Instructions that trapped, found again by their address and their bytes, so
 * that code which is written anew is another one; and the rows of threads.
 */
#include <string.h>

#include "runtime/denormal/trap/trap.h"

#define CHAINS 4096

static struct trap_site *sites[CHAINS];
static struct den_arena arena; /* under the lock */

static unsigned hash(uint64_t address)
{
	return (unsigned)(address * 0x9e3779b97f4a7c15ull >> 40);
}

/* The bytes at @address, as far as they are there: an instruction may end where its page does. */
static size_t fetch(unsigned char *to, uint64_t address)
{
	size_t page = 4096 - address % 4096, n = TRAP_BYTES_MAX;

	if (trap_peek(to, (const void *)address, n))
		return n;
	return page < n && trap_peek(to, (const void *)address, page) ? page : 0;
}

/* Under the lock. */
static struct trap_site *site_make(uint64_t address, const unsigned char *bytes, size_t n)
{
	struct trap_site found, *site = sites[hash(address) % CHAINS];

	if (!n || trap_decode(&found, address, bytes, n))
		return NULL;
	for (; site; site = site->next)
		if (site->address == address && site->length == found.length &&
		    !memcmp(site->bytes, found.bytes, found.length))
			return site;
	site = den_alloc(&arena, sizeof(*site));
	if (!site)
		return NULL;
	*site = found;
	site->next = sites[hash(address) % CHAINS];
	sites[hash(address) % CHAINS] = site;
	return site;
}

static struct prs_den_trap_row *row_make(struct den_trap *t, uint64_t address)
{
	struct trap_row **chain = &t->rows[hash(address) % 256], *r;
	struct prs_den_traps *item = t->item;

	for (r = *chain; r; r = r->next)
		if (r->row->address == address)
			return r->row;
	if (item->n == DEN_ROWS) {
		item = den_take(PRS_DEN_ITEM_TRAPS,
				sizeof(*item) + DEN_ROWS * sizeof(struct prs_den_trap_row));
		if (!item)
			return NULL;
		item->thread = t->self->number;
		den_publish(item);
		t->item = item;
	}
	r = den_alloc(&arena, sizeof(*r));
	if (!r)
		return NULL;
	r->row = (struct prs_den_trap_row *)(item + 1) + item->n;
	r->row->address = address;
	__atomic_store_n(&item->n, item->n + 1, __ATOMIC_RELEASE);
	r->next = *chain;
	*chain = r;
	return r->row;
}

static bool same_code(const struct trap_site *site)
{
	unsigned char now[TRAP_BYTES_MAX];

	return trap_peek(now, (const void *)site->address, site->length) &&
	       !memcmp(now, site->bytes, site->length);
}

bool trap_find(struct den_trap *t, uint64_t address, struct trap_site **site, struct prs_den_trap_row **row)
{
	struct trap_near *near = &t->near[hash(address) % TRAP_NEAR];
	unsigned char bytes[TRAP_BYTES_MAX];
	sigset_t old;
	size_t n;

	if (near->address != address || !same_code(near->site)) {
		n = fetch(bytes, address); /* may fault, which the lock would hold back */
		den_lock(&old);
		near->address = 0;
		near->site = site_make(address, bytes, n);
		near->row = near->site ? row_make(t, address) : NULL;
		if (near->row)
			near->address = address;
		den_unlock(&old);
		if (!near->address)
			return false;
		if (!near->row->operands && !near->row->results)
			trap_module(address);
	}
	*site = near->site;
	*row = near->row;
	return true;
}

struct trap_stub *trap_site_stub(struct trap_site *site, uint8_t control)
{
	struct trap_stub *stub;
	sigset_t old;

	for (stub = __atomic_load_n(&site->stubs, __ATOMIC_ACQUIRE); stub; stub = stub->next)
		if (stub->control == control)
			return stub;
	den_lock(&old);
	stub = trap_stub_make(site, control, &arena);
	if (stub) {
		stub->next = site->stubs;
		__atomic_store_n(&site->stubs, stub, __ATOMIC_RELEASE);
	}
	den_unlock(&old);
	return stub;
}
