/* SPDX-License-Identifier: MIT */
/* The checksums of perseus-record(5): what they cover, in one place for who checks and who seals. */
#include <stddef.h>
#include <string.h>

#include "lib/crc32c.h"
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

uint32_t sum_of_chunk(const struct prs_chunk *c, uint64_t at)
{
	struct prs_chunk front = *c;
	uint32_t crc;

	front.crc = 0;
	crc = crc32c(0, &at, sizeof(at));
	crc = crc32c(crc, &front, CHUNK_FRONT);
	crc = crc32c(crc, c + 1, sum_covers(c));
	return crc ? crc : 1;
}
