/* SPDX-License-Identifier: MIT */
/* What the victim of the kill test notes about itself, in a page that outlives it. */
#ifndef TESTS_KILL_H
#define TESTS_KILL_H

#include <stdint.h>

enum kill_function { KILL_LEAF, KILL_BLOCK, KILL_NEST, KILL_INDIRECT, KILL_FUNCTIONS };

#define KILL_LANES 1024 /* threads */
#define KILL_DEPTH 16

/* One thread.  Lane i is thread i of the record: main makes them all, in order. */
struct kill_lane {
	uint64_t begun[KILL_FUNCTIONS]; /* calls about to be made */
	uint64_t done[KILL_FUNCTIONS];  /* calls that returned */
	uint64_t barriers_begun, barriers_done;
	uint64_t started, ended;
	uint32_t depth; /* calls open; raised before the call, lowered after it */
	uint32_t stack[KILL_DEPTH];
};

struct kill_page {
	uint32_t pid;
	uint32_t finished; /* the program came to its end */
	uint64_t created_begun, created_done;
	uint64_t joined_begun, joined_done;
	uint64_t slept_begun, slept_done;
	struct kill_lane lane[KILL_LANES];
};

#endif
