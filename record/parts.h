/* SPDX-License-Identifier: MIT */
/* What the files of record/ share with each other; nobody else includes it. */
#ifndef PERSEUS_RECORD_PARTS_H
#define PERSEUS_RECORD_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/file/file.h"
#include "record/run.h"

/*
 * Read one record file.  0; 1: nothing was published yet (killed at its first
 * breath), @p is empty; -EINVAL: not a record, of another major version, or
 * truncated.
 */
int process_load(struct run_process *p, const char *dir, const char *file, struct err *err);
void process_release(struct run_process *p);

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

/* Tie the units of all processes to their site tables; fills the counts of sites. */
void bind_sites(struct run *run);

#endif
