/* SPDX-License-Identifier: MIT */
/*
 * The one reader of run directories.  run_open() reads the manifest, the
 * site tables and symbols, copies every record file, and checks all
 * of it once; afterwards every index and offset that these structs hold is
 * in range, or PRS_NO_THREAD, PRS_NO_SITE.  Times are ticks of the record unless the name says _ns;
 * run_ns() converts.
 */
#ifndef PERSEUS_RECORD_RUN_H
#define PERSEUS_RECORD_RUN_H

#include "record/file/folder.h"
#include "record/file/sites.h"
#include "record/file/types.h"
#include "record/names/names.h"

/*
 * Open the run directory @path: a path, "@last" (perseus.data/last, a
 * symbolic link), or a name below perseus.data/.  Fails with -ENOENT (no
 * such run), -ENODATA (the run has no record file: "built without
 * -fplugin=perseus.so"), -EINVAL (corrupt beyond use, or truncated).
 * A run that is merely incomplete opens, with complete = false.
 */
int run_open(struct run *run, const char *path, struct err *err);

/* Free everything inside; @run is empty afterwards. */
void run_close(struct run *run);

/*
 * Fill the waits of all threads from what was gathered; p->end must be set.
 * run_open() has done it; only for a run that was put together otherwise.
 */
void run_process_waits(struct run_process *p);

/*
 * The call of @t that its wait @w was in when it was met first, innermost of
 * those that were timed; NULL: not known.
 */
const struct rec_call *run_wait_call(const struct run_thread *t, const struct prs_wait *w);

/* True if an event or wait of @kind (enum prs_event_kind) is a wait. */
bool run_is_wait(uint32_t kind);

/* The value behind @key in the text of @p and its length; it has no NUL behind it.  NULL: not there. */
const char *run_text(const struct run_process *p, const char *key, size_t *len);

/* True if an event of @kind ends a wait of another thread. */
bool run_is_signal(uint32_t kind);

/* True if @kind is a lock that one thread holds. */
bool run_is_lock(uint32_t kind);

#endif
