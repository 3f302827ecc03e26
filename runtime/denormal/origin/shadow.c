// SPDX-License-Identifier: MIT
/*
 * Two levels: blocks for 16 MB of the program each, made when the first tag is
 * set there, and a table of them.  Both are mapped without being reserved, so
 * memory is used for pages with tags only.  Blocks are never given back; the one
 * that is there first stays.
 */
#include <string.h>
#include <sys/mman.h>

#include "runtime/denormal/origin/origin.h"

#define ADDRESS_BITS 47
#define BLOCK_BITS   24
#define BLOCKS       (1ull << (ADDRESS_BITS - BLOCK_BITS))
#define BLOCK_TAGS   (SHADOW_BYTES / 4)
#define GIVE_BACK    65536 /* bytes of tags from which on pages are given back */

static uint16_t **table, *zeros;

static void *reserve(size_t bytes, int protection)
{
	void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* @*to is @p from now on, unless somebody was first. */
static void settle(void *to, void *p, size_t bytes)
{
	void *none = NULL;

	if (p &&
	    !__atomic_compare_exchange_n((void **)to, &none, p, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(p, bytes);
}

static uint16_t *block_of(uint64_t address)
{
	uint16_t **all = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

	if (!all || address >> ADDRESS_BITS)
		return NULL;
	return __atomic_load_n(&all[address >> BLOCK_BITS], __ATOMIC_ACQUIRE);
}

static uint64_t within(uint64_t address)
{
	return (address & (SHADOW_BYTES - 1)) >> 2;
}

uint16_t shadow_get(uint64_t address)
{
	const uint16_t *b = block_of(address);

	return b ? b[within(address)] : 0;
}

bool shadow_there(uint64_t address)
{
	return block_of(address) != NULL;
}

const uint16_t *shadow_look(uint64_t address)
{
	const uint16_t *b = block_of(address);

	if (!b && !__atomic_load_n(&zeros, __ATOMIC_ACQUIRE))
		settle(&zeros, reserve(SHADOW_BYTES / 2, PROT_READ), SHADOW_BYTES / 2);
	if (!b)
		b = __atomic_load_n(&zeros, __ATOMIC_ACQUIRE);
	return b ? b + within(address) : NULL;
}

uint16_t *shadow_make(uint64_t address)
{
	const size_t bytes = BLOCKS * sizeof(*table);
	uint16_t *b = block_of(address);

	if (b)
		return b + within(address);
	if (address >> ADDRESS_BITS)
		return NULL;
	if (!__atomic_load_n(&table, __ATOMIC_ACQUIRE))
		settle(&table, reserve(bytes, PROT_READ | PROT_WRITE), bytes);
	if (table)
		settle(&table[address >> BLOCK_BITS], reserve(SHADOW_BYTES / 2, PROT_READ | PROT_WRITE),
		       SHADOW_BYTES / 2);
	b = block_of(address);
	if (!b)
		__atomic_fetch_add(&den.head->lost, 1, __ATOMIC_RELAXED);
	return b ? b + within(address) : NULL;
}

void shadow_set(uint64_t address, uint16_t tag)
{
	uint16_t *to = tag || shadow_there(address) ? shadow_make(address) : NULL;

	if (to)
		*to = tag;
}

/* Pages that are whole go back; of others what is set is cleared. */
static void wipe(uint16_t *from, uint16_t *to)
{
	uint64_t a = ((uint64_t)from + 4095) & ~4095ull, b = (uint64_t)to & ~4095ull;

	if (b > a && b - a >= GIVE_BACK && !madvise((void *)a, b - a, MADV_DONTNEED)) {
		wipe(from, (uint16_t *)a);
		wipe((uint16_t *)b, to);
		return;
	}
	for (; from < to; from++)
		if (*from)
			*from = 0;
}

void shadow_clear(uint64_t start, uint64_t bytes)
{
	uint64_t end = start + bytes;

	while (start < end) {
		uint64_t next = (start & ~(SHADOW_BYTES - 1)) + SHADOW_BYTES;
		uint16_t *b = block_of(start);

		if (next > end)
			next = end;
		if (b)
			wipe(b + within(start), b + within(next - 1) + 1);
		start = next;
	}
}

/* Is there a tag in [@from, @from + @bytes), or room for one? */
static bool any_block(uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from & ~(SHADOW_BYTES - 1); at < from + bytes; at += SHADOW_BYTES)
		if (block_of(at))
			return true;
	return false;
}

void shadow_copy(uint64_t to, uint64_t from, uint64_t bytes)
{
	bool back = to > from && to < from + bytes;

	if (!__atomic_load_n(&table, __ATOMIC_ACQUIRE) || bytes < 4 || to == from ||
	    (!any_block(from, bytes) && !any_block(to, bytes)))
		return;
	for (uint64_t i = 0, n = bytes / 4; i < n; i++) {
		uint64_t at = (back ? n - 1 - i : i) * 4;
		uint16_t tag = shadow_get(from + at);

		if (tag || shadow_get(to + at))
			shadow_set(to + at, tag);
	}
}
