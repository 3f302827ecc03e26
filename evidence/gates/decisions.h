/* SPDX-License-Identifier: MIT */
/* Instructions of a disassembly that decide something: by a condition, or by a table of jumps. x86-64. */
#ifndef PERSEUS_EVIDENCE_GATES_DECISIONS_H
#define PERSEUS_EVIDENCE_GATES_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

struct decisions {
	bool (*ours)(void *ctx, const char *function); /* is a function to be looked at? */
	void *ctx;
	struct strbuf list; /* for objcov */
	size_t jumps, moves, tables;
	struct strbuf unknown; /* lines: decisions that cannot be watched */
	size_t n_unknown;
	/* of the function that is read */
	char function[120];
	bool looked_at;
	unsigned long bound, table; /* by the last comparison and the last address taken; 0: none */
	bool distances;             /* entries of 4 bytes are being read */
};

/* One line of `objdump -d --no-show-raw-insn -w`; @arg is a struct decisions.  Always true. */
bool decisions_line(void *arg, char *line);

#endif
