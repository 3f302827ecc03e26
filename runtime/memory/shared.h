/* SPDX-License-Identifier: MIT */
/* Memory that processes share: which mappings it is, for the lines that other processes may use, too. */
#ifndef RUNTIME_MEMORY_SHARED_H
#define RUNTIME_MEMORY_SHARED_H

#include "runtime/base/rt.h"

/* Is the line in such a mapping?  Asked only while sharing.n_shared is not 0. */
bool shared_line(uint64_t line);

/* Devices in entries of mappings that belong to none. */
#define SHARED_ANONYMOUS (~0ull)
#define SHARED_SYSTEM_V  (~1ull)

/* Does this process look at such mappings now? */
bool shared_wanted(void);

/*
 * From now on accesses in [start, start + bytes) of @m are noted, also in a process of one
 * thread; fills in where it was made, and when.
 */
void shared_add(struct prs_shared *m);

/* The mapping that lies at @at ends; one that is cut in the middle goes on, as far as anybody asks. */
void shared_end(uint64_t at);

/* A fork child, which has the mappings of its parent, enters them into its own record. */
void shared_forked(void);

/*
 * Accesses to such lines are looked at in windows, and have tags between them.
 * Begin the windows in this process, unless they are on; end them.
 */
void shared_windows_start(void);
void shared_windows_stop(void);

/* In a fork child, before anything is recorded: the helper was the parent's. */
void shared_windows_forked(void);

/* An access of @t to such a line came to us: is it one that is looked at?  Starts @t's part of a new window. */
bool shared_look(struct rt_thread *t);

/* May @t put @line into its tags now?  Then ask shared_filled() afterwards: no: take it back. */
bool shared_may_fill(const struct rt_thread *t, uint64_t line);
bool shared_filled(uint64_t line);

#endif
