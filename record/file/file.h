/* SPDX-License-Identifier: MIT */
/* A record file: its bytes, chunks and sums; for the reader only. */
#ifndef PERSEUS_RECORD_FILE_FILE_H
#define PERSEUS_RECORD_FILE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"
#include "record/file/types.h"

/* A published chunk whose place and entry count were checked. */
struct chunk_ref {
	uint64_t offset;
	uint64_t bytes;
	uint64_t used; /* entries that lie inside the chunk */
	uint32_t thread;
	uint32_t stride; /* bytes from entry to entry, >= those this reader knows */
	uint16_t type;
};
struct chunk_list VEC(struct chunk_ref);

/* A stretch of a file that holds data; the rest is holes. */
struct extent {
	size_t begin, end;
};
struct extent_list VEC(struct extent);

/* A copy of a record file in memory; holes stay holes. */
struct image {
	unsigned char *base;
	size_t bytes;
	struct extent_list data; /* ascending */
};

/*
 * Copy the record file @path.  A copy, because the process may still be
 * writing (what was checked must stay as it was) and may shorten the file (a
 * mapping would fault).  Fails with -errno, -EFBIG, -ENODATA (empty).
 */
int image_load(struct image *image, const char *path, struct err *err);

void image_release(struct image *image);

/*
 * The first page at or after @at that may hold data, or the end of the file;
 * @extent, 0 to begin with, remembers the place from call to call.
 */
uint64_t image_skip_hole(const struct image *image, uint64_t at, size_t *extent);

/* True for the name of a record file. */
bool process_is_record(const char *name);

/* The checksum of a header page as @kind (enum prs_checksum, not NONE) says; header_crc does not count. */
uint32_t sum_of_header(const void *page, uint32_t kind);

/* Bytes of content behind the chunk's header that its checksum covers; @c->bytes must be sane. */
uint64_t sum_covers(const struct prs_chunk *c);

/* The checksum of the chunk at byte @at of its file, never 0; its `crc` does not count. */
uint32_t sum_of_chunk(const struct prs_chunk *c, uint64_t at);

/* The same of the one at byte @at of @image, whose bytes must be there; holes are not read. */
uint32_t sum_in_image(const struct image *image, uint64_t at);

/* Add one sentence to what is wrong with a process; the first few are kept. */
void process_damage(struct run_process *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The chunks of @image in file order, checked.  @sealed: the header is right
 * and says that each has a checksum.  Damage is named and passed over;
 * -EINVAL if a chunk runs over the end.
 */
int chunks_walk(struct run_process *p, const struct image *image, bool sealed, struct chunk_list *out,
		struct err *err);

/* Entry @i of a chunk. */
const void *chunk_entry(const struct run_process *p, const struct chunk_ref *c, uint64_t i);

/* Parse a `address size type name` listing into @m->symbols; -EINVAL names the line. */
int symbols_parse(struct run_module *m, const char *text, size_t len, const char *name, struct err *err);

/* True if @n items of 8 bytes at @base lie inside a block of @bytes. */
bool chunk_holds(uint64_t base, uint64_t n, uint64_t bytes);

#endif
