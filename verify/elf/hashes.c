/* SPDX-License-Identifier: MIT */
#include "verify/elf/hashes.h"

#include <string.h>

static uint32_t hashes_hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

static bool word_at(const uint8_t *data, size_t size, uint64_t k, uint32_t *out)
{
	if (k >= size / 4)
		return false;
	memcpy(out, data + 4 * k, 4);
	return true;
}

struct hashes {
	const uint8_t *data;
	size_t size;
	uint32_t n, first, blooms, shift;
	uint64_t buckets, chain; /* words of four bytes in front of them */
};

static bool read_hashes(const struct image *e, struct hashes *h)
{
	size_t i = image_only(e, SHT_GNU_HASH);

	*h = (struct hashes){0};
	h->data = i < e->n_sections ? image_bytes(e, i, &h->size) : NULL;
	if (!h->data || !word_at(h->data, h->size, 0, &h->n) || !word_at(h->data, h->size, 1, &h->first) ||
	    !word_at(h->data, h->size, 2, &h->blooms) || !word_at(h->data, h->size, 3, &h->shift))
		return false;
	h->buckets = 4 + 2 * (uint64_t)h->blooms;
	h->chain = h->buckets + h->n;
	return h->n && h->blooms && !(h->blooms & (h->blooms - 1)) && h->shift < 32 &&
	       h->chain <= h->size / 4;
}

static uint64_t bloom_at(const struct hashes *h, uint32_t hash)
{
	uint64_t bloom;

	memcpy(&bloom, h->data + 16 + 8 * (size_t)(hash / 64 % h->blooms), 8);
	return bloom;
}

/* The symbols of a bucket stand together; the last one is marked. */
static bool is_hashed(const struct image *e, const struct hashes *h, size_t table, size_t n, size_t i)
{
	struct image_symbol s, next;
	uint32_t hash, at, found, other;
	bool last;

	if (!image_symbol(e, table, i, &s))
		return false;
	hash = hashes_hash_of(s.name);
	last = i + 1 == n || !image_symbol(e, table, i + 1, &next) ||
	       hashes_hash_of(next.name) % h->n != hash % h->n;
	if (!(bloom_at(h, hash) >> hash % 64 & bloom_at(h, hash) >> (hash >> h->shift) % 64 & 1) ||
	    !word_at(h->data, h->size, h->buckets + hash % h->n, &at) || at < h->first || at > i ||
	    !word_at(h->data, h->size, h->chain + (i - h->first), &found))
		return false;
	/* Between the bucket's first symbol and this one no mark stands. */
	for (uint64_t k = at; k < i; k++)
		if (!word_at(h->data, h->size, h->chain + (k - h->first), &other) || other & 1)
			return false;
	return found == ((hash & ~UINT32_C(1)) | last);
}

/* Each bucket is empty or begins with a symbol of its own. */
static bool is_bucket(const struct image *e, const struct hashes *h, size_t table, size_t n, uint32_t k)
{
	struct image_symbol s;
	uint32_t at;

	if (!word_at(h->data, h->size, h->buckets + k, &at))
		return false;
	return !at || (at >= h->first && at < n && image_symbol(e, table, at, &s) &&
		       hashes_hash_of(s.name) % h->n == k);
}

bool hashes_are_right(const struct image *e, size_t table)
{
	size_t n = image_symbols(e, table);
	struct image_symbol s;
	struct hashes h;
	bool right = read_hashes(e, &h);

	for (size_t i = 1; right && i < n; i++) {
		if (i >= h.first)
			right = is_hashed(e, &h, table, n, i);
		else
			right = image_symbol(e, table, i, &s) && s.section == SHN_UNDEF;
	}
	for (uint32_t k = 0; right && k < h.n; k++)
		right = is_bucket(e, &h, table, n, k);
	return right;
}
