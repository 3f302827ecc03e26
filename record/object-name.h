/* SPDX-License-Identifier: MIT */
/*
 * What people call the things that threads wait at: a variable by its name,
 * what lies on the heap by type and member, as the calls were given it.
 */
#ifndef PERSEUS_RECORD_OBJECT_NAME_H
#define PERSEUS_RECORD_OBJECT_NAME_H

#include "lib/strbuf.h"
#include "record/run.h"

/* Which calls of a process were given what; points into the run. */
struct object_names;
struct object_names *object_names_make(const struct run *run, const struct run_process *p);
void object_names_free(struct object_names *names);

/*
 * The name of the lock, condition or the like at address @object, appended to
 * @out: "log_lock", "queue.lock", "locks[3]", "Pool::stats_mutex", "struct
 * account.lock", "m, local of main".  False: nothing tells.  The same thing
 * has the same name in every run.
 */
bool object_name(struct strbuf *out, const struct object_names *names, uint64_t object);

/* True if it is a variable of the C++ library's own, which stands for many things of the program at once. */
bool object_is_of_library(const struct object_names *names, uint64_t object);

#endif
