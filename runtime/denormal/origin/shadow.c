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

/* Is any of @n tags set? */
static bool any_tag(const uint16_t *tags, uint64_t n)
{
	uint64_t all = 0, four;

	for (; n && (uint64_t)tags % 8; n--)
		all |= *tags++;
	for (; n >= 4 && !all; n -= 4, tags += 4) {
		__builtin_memcpy(&four, tags, 8);
		all |= four;
	}
	for (; n && !all; n--)
		all |= *tags++;
	return all;
}

/* Tags that lie in one block each. */
static void copy_some(uint64_t to, uint64_t from, uint64_t bytes)
{
	const uint16_t *source = shadow_look(from);
	bool there = shadow_there(to);
	uint16_t *target;

	if (!source || !(any_tag(source, bytes / 4) || (there && any_tag(shadow_look(to), bytes / 4))))
		return;
	target = shadow_make(to);
	if (target)
		memmove(target, source, bytes / 2);
}

/* How many of @bytes from @at on lie in one page of tags; backwards, those before @at. */
static uint64_t in_page(uint64_t at, uint64_t bytes, bool back)
{
	uint64_t n = back ? (at & 8191) : 8192 - (at & 8191);

	n = n ? n : 8192;
	return n < bytes ? n : bytes;
}

void shadow_copy(uint64_t to, uint64_t from, uint64_t bytes)
{
	bool back = to > from && to < from + bytes;

	if (!__atomic_load_n(&table, __ATOMIC_ACQUIRE) || to == from)
		return;
	bytes &= ~3ull;
	while (bytes) {
		uint64_t at = back ? bytes : 0, n = in_page(from + at, in_page(to + at, bytes, back), back);

		copy_some(back ? to + bytes - n : to, back ? from + bytes - n : from, n);
		bytes -= n;
		to += back ? 0 : n;
		from += back ? 0 : n;
	}
}
