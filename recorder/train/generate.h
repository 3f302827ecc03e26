/* SPDX-License-Identifier: MIT */
/* Training programs: one for each kind of work, and seeded random mixes of them. */
#ifndef PERSEUS_RECORDER_TRAIN_GENERATE_H
#define PERSEUS_RECORDER_TRAIN_GENERATE_H

#include <stdint.h>

#include "lib/strbuf.h"

#define TRAIN_MOST_PARTS 6

/* What a program is made of. */
struct train_program {
	char name[32], family[24];
	size_t n;
	struct {
		size_t segment;
		uint32_t rounds; /* in each turn */
	} part[TRAIN_MOST_PARTS];
};

/* Program @number of @seed: basis programs first, one for each segment; then mixes without end. */
void train_program_make(struct train_program *p, uint64_t seed, uint32_t number);

/* How many basis programs there are. */
uint32_t train_n_basis(void);

/*
 * Append @p as C11 with POSIX threads: PROGRAM THREADS SECONDS works for so long in so many
 * threads, and prints "calls N".
 */
void train_program_text(const struct train_program *p, struct strbuf *out);

#endif
