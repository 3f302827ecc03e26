/* SPDX-License-Identifier: MIT */
/* Bursts: for a short time now and then, probes that sleep otherwise are enabled in all threads at once. */
#ifndef RUNTIME_MEMORY_BURST_H
#define RUNTIME_MEMORY_BURST_H

#include "runtime/base/rt.h"

/* What the environment asks for. */
void burst_ask(void);

/* Enter it into the header, and how many places there are. */
void burst_describe(struct prs_rec_header *h);

/* The module's probes were enabled: its places take part from now on.  Under rt_lock(). */
void burst_add(struct rt_module *m);

/* The module goes; under rt_lock(). */
void burst_remove(struct rt_module *m);

/* The calling thread begins: a burst is due, unless one was just now.  Under rt_lock(). */
void burst_thread(const struct rt_thread *t);

/* A line changed hands at memory site @site while a burst was on. */
void burst_saw(uint32_t site);

/* No more bursts: returns when all places sleep and the helper has ended; and undo that, under rt_lock(). */
void burst_stop(void);
void burst_go_on(void);

/* Round a fork, inside rt_lock(): places sleep, none is written between the two; and first thing in the child. */
void burst_pause(void);
void burst_resume(void);
void burst_forked(void);

#endif
