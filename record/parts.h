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

/* The chunks of @image in file order, checked; -EINVAL if one runs over the end. */
int chunks_walk(struct run_process *p, const struct image *image, struct chunk_list *out, struct err *err);

/* Modules, units and threads of a process out of its chunks. */
void gather_tables(struct run_process *p, const struct chunk_list *chunks);

/* Everything that belongs to one thread; after gather_tables(). */
void gather_threads(struct run_process *p, const struct chunk_list *chunks);

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
