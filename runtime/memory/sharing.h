/* SPDX-License-Identifier: MIT */
/* Sharing runs: the line directory and who holds which bit of its words. */
#ifndef RUNTIME_MEMORY_SHARING_H
#define RUNTIME_MEMORY_SHARING_H

#include "runtime/base/rt.h"

struct rt_sharing {
	uint32_t mode;     /* enum prs_sharing_mode */
	uint32_t first;    /* adaptive: everything is looked at, as in a precise run */
	uint32_t alone;    /* the process has one thread, and its memory probes sleep */
	uint32_t burst_on; /* probes that wait for bursts are enabled */
	uint32_t n_shared; /* shared.c: mappings that other processes may have, ended ones, too */
	uint64_t *dir_words;
	uint32_t slot_owner[PRS_DIR_SHARERS]; /* thread index, the last one */
};

extern struct rt_sharing sharing __attribute__((visibility("hidden"), aligned(64)));

/*
 * What memory/ asks of those who attach objects, which are above it (attach.h says
 * what each does).  A constant, so that the linker makes direct calls of them.
 */
struct rt_objects {
	void (*company)(void);
	void (*words)(void);
	void (*fill)(struct prs_desc *d);
};

extern const struct rt_objects sharing_objects __attribute__((visibility("hidden")));

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

/* True while DIRECT memory probes are enabled without a burst. */
bool sharing_direct(void);

/* Give the calling thread a bit of the directory words, and take it back; under rt_lock(). */
void sharing_thread_begin(struct rt_thread *t);
void sharing_thread_end(struct rt_thread *t);

#endif
