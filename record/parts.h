/* SPDX-License-Identifier: MIT */
/* What the files of record/ share with each other; nobody else includes it. */
#ifndef PERSEUS_RECORD_PARTS_H
#define PERSEUS_RECORD_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/run.h"

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

/* Add one sentence to what is wrong with a process; the first few are kept. */
void process_damage(struct run_process *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Read one record file.  0; 1: nothing was published yet (killed at its first
 * breath), @p is empty; -EINVAL: not a record, of another major version, or
 * truncated.
 */
int process_load(struct run_process *p, const char *dir, const char *file, struct err *err);
void process_release(struct run_process *p);

/* Entry @i of a chunk. */
const void *chunk_entry(const struct run_process *p, const struct chunk_ref *c, uint64_t i);

/*
 * The chunks of @image in file order, checked.  @sealed: the header is right
 * and says that each has a checksum.  Damage is named and passed over;
 * -EINVAL if a chunk runs over the end.
 */
int chunks_walk(struct run_process *p, const struct image *image, bool sealed, struct chunk_list *out,
		struct err *err);

/* Modules, units and threads of a process out of its chunks. */
void gather_tables(struct run_process *p, const struct chunk_list *chunks);

/* Add call record @entry of @chunk to @t->records, which has room; in file order. */
void calls_add(struct run_process *p, struct run_thread *t, const struct chunk_ref *chunk, const void *entry);

/*
 * All records of @t are there: ties them to one another, adds what its block
 * (NULL: none; @bytes long) knows of its last and its open calls, and fills
 * calls, totals and open.
 */
void calls_finish(struct run_process *p, struct run_thread *t, const unsigned char *block, uint64_t bytes);

/* The record of @t at byte @at of the file; NULL: none that counts.  Only once all are added. */
struct rec_call *calls_find(const struct run_thread *t, uint64_t at);

/*
 * The sums of traced calls that lie beside the record of @p in @dir; the caller
 * releases @sums.  False: there are none.  What is wrong is named as damage.
 */
bool sums_load(struct run_process *p, struct image *sums, const char *dir);

/* Add them (NULL: there are none) to the records they belong to; all records are there. */
void sums_merge(struct run_process *p, const struct image *sums);

/* Add a wait entry to @t->waits, which has room. */
void waits_add(struct run_process *p, struct run_thread *t, const struct prs_wait *w);

/* p->text out of the TEXT chunks. */
void gather_text(struct run_process *p, const struct chunk_list *chunks);

/* p->counters, if events were to be counted; after gather_text() and gather_threads(). */
void gather_counts(struct run_process *p, const struct chunk_list *chunks);

/* Free what the two made. */
void counts_release(struct run_process *p);

/* Everything that belongs to one thread, with its @sums, or NULL; after gather_tables(). */
void gather_threads(struct run_process *p, const struct chunk_list *chunks, const struct image *sums);

/* ns_per_tick from the process's own clock pairs; 0 if it has none that make sense. */
double clock_calibrate(const struct run_process *p, const char **how);

/*
 * Read the site tables and symbols of the run's modules: those that the
 * manifest lists, or without a manifest those that go by a build id of the
 * records.  0; 1: a table that the manifest promises is missing; -EINVAL.
 */
int modules_load(struct run *run, struct err *err);
void modules_release(struct run *run);

/* Build id as lower case hex, "" if the module has none. */
void module_build_id(const struct prs_module *m, char hex[41]);

/* Parse a `address size type name` listing into @m->symbols; -EINVAL names the line. */
int symbols_parse(struct run_module *m, const char *text, size_t len, const char *name, struct err *err);

/* The last unit whose first call (or memory) site is not above @site; NULL: none. */
const struct run_unit *process_unit(const struct run_process *p, bool mems, uint32_t site);

/* Tie the units of all processes to their site tables; fills the counts of sites. */
void bind_sites(struct run *run);

#endif
