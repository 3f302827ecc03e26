/* SPDX-License-Identifier: MIT */
/* The checksums of perseus-record(5): what they cover, in one place for who checks and who seals. */
#include <stddef.h>
#include <string.h>

#include "lib/crc32c.h"
#include "lib/search.h"
#include "record/file/file.h"

/* What a chunk's checksum covers of its header; behind it are the runtime's own notes. */
#define CHUNK_FRONT 32u
_Static_assert(offsetof(struct prs_chunk, pad) == CHUNK_FRONT, "format");

static uint32_t sum_of_start(const unsigned char *page)
{
	static const uint16_t range[][2] = PRS_SUM_START_RANGES;
	uint32_t crc = 0;

	for (size_t i = 0; i < sizeof(range) / sizeof(range[0]); i++)
		crc = crc32c(crc, page + range[i][0], range[i][1] - range[i][0]);
	return crc;
}

uint32_t sum_of_header(const void *page, uint32_t kind)
{
	static const uint32_t zero;
	const unsigned char *p = page;
	size_t at = offsetof(struct prs_rec_header, header_crc), behind = at + sizeof(zero);
	uint32_t crc;

	if (kind == PRS_SUM_START)
		return sum_of_start(p);
	crc = crc32c(0, p, at);
	crc = crc32c(crc, &zero, sizeof(zero));
	return crc32c(crc, p + behind, PRS_PAGE_BYTES - behind);
}

uint64_t sum_covers(const struct prs_chunk *c)
{
	uint64_t room = c->bytes - sizeof(*c), each = c->entry_bytes ? c->entry_bytes : 1;

	return c->used > room / each ? room : c->used * each;
}

/* What stands before the content. */
static uint32_t sum_of_front(const struct prs_chunk *c, uint64_t at)
{
	struct prs_chunk front = *c;

	front.crc = 0;
	return crc32c(crc32c(0, &at, sizeof(at)), &front, CHUNK_FRONT);
}

uint32_t sum_of_chunk(const struct prs_chunk *c, uint64_t at)
{
	uint32_t crc = crc32c(sum_of_front(c, at), c + 1, sum_covers(c));

	return crc ? crc : 1;
}

/* The first stretch of data that ends behind @at. */
static size_t extent_behind(const struct image *image, uint64_t at)
{
	return search_first(image->data.n, i, image->data.at[i].end <= at);
}

uint32_t sum_in_image(const struct image *image, uint64_t at)
{
	const struct prs_chunk *c = (const void *)(image->base + at);
	uint64_t from = at + sizeof(*c), end = from + sum_covers(c);
	uint32_t crc = sum_of_front(c, at);

	for (size_t i = extent_behind(image, from); i < image->data.n; i++) {
		struct extent e = image->data.at[i];
		uint64_t begin = e.begin > from ? e.begin : from, stop = e.end < end ? e.end : end;

		if (begin >= stop)
			break;
		crc = crc32c_zeros(crc, begin - from);
		crc = crc32c(crc, image->base + begin, stop - begin);
		from = stop;
	}
	crc = crc32c_zeros(crc, end - from);
	return crc ? crc : 1;
}
