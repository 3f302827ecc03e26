/* SPDX-License-Identifier: MIT */
/*
 * Variables of functions, on the stacks of threads.  No table says where a
 * frame lies, but accesses that call a variable by its name show where it is.
 */
#ifndef PERSEUS_ANALYZER_OBJECTS_FRAMES_H
#define PERSEUS_ANALYZER_OBJECTS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"
#include "record/run.h"

/* Bytes of a line of a stack that an access touched. */
struct frame_use {
	uint64_t line;                   /* address of the line */
	uint64_t mask;                   /* bytes, 0: not known which */
	const struct run_mem_site *site; /* that calls the variable by its name, else NULL */
};

struct frames {
	const struct run *run;
	const struct run_process *p;
	struct frame_use *at;
	size_t n;
	struct VEC(const struct run_call_site *) notes; /* of variables, before threads began */
};

/* A variable that was found. */
struct frame_variable {
	const struct run_mem_site *site; /* accesses it by its name; the same one for all places of it */
	uint64_t base;                   /* address, 0: not known */
};

enum frame_memory { FRAME_NONE, FRAME_STACK, FRAME_TLS };

void frames_make(struct frames *f, const struct run *run, const struct run_process *p);
void frames_release(struct frames *f);

/* Whether the stack of a thread, or its thread-local data, holds @address, and whose it is. */
enum frame_memory frames_thread(const struct run_process *p, uint64_t address, uint32_t *thread);

/* An access by @site (may be NULL) to the bytes @mask of the line at address @line. */
void frames_learn(struct frames *f, uint64_t line, const struct run_mem_site *site, uint64_t mask);

/*
 * The variable at @address of a stack, from all that was learned: the one seen at that
 * byte, else the only one seen in the line that may reach so far.  False: not known.
 */
bool frames_find(const struct frames *f, uint64_t address, struct frame_variable *out);

#endif
