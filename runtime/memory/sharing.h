/* SPDX-License-Identifier: MIT */
/* Sharing runs: the line directory and who holds which bit of its words. */
#ifndef RUNTIME_MEMORY_SHARING_H
#define RUNTIME_MEMORY_SHARING_H

#include "runtime/base/rt.h"

/* What the environment asks for; before sharing_setup(). */
void sharing_ask(void);

/* Make the directory, or empty it (a fork child); false: no memory. */
bool sharing_setup(void);

/* Address of the tags of threads that are not known: there are none. */
uint64_t sharing_nobody(void);

/* Enter into the header how the run is made, and what probes cost here; after file_open(). */
void sharing_describe(struct prs_rec_header *h);

/* What probes know of lines without asking is forgotten: an address may be other memory now. */
void sharing_forget(void);

/* True if every access must be seen, as if there were neither ranges nor bursts. */
bool sharing_all(void);

/* True while DIRECT memory probes are awake without a burst. */
bool sharing_direct(void);

/* Give the calling thread a bit of the directory words, and take it back; under rt_lock(). */
void sharing_thread_begin(struct rt_thread *t);
void sharing_thread_end(struct rt_thread *t);

#endif
