/* SPDX-License-Identifier: MIT */
/* Kinds of work that training programs are made of, as C. */
#ifndef PERSEUS_RECORDER_TRAIN_SEGMENTS_H
#define PERSEUS_RECORDER_TRAIN_SEGMENTS_H

#include <stddef.h>

struct segment {
	const char *name;
	const char *family; /* of those that use the same part of the machine */
	size_t memory;      /* bytes of its thread that it needs */
	const char *before; /* declarations and functions, may be "" */
	/*
	 * The statements of one round, about a tenth of a millisecond, in a function
	 * with `struct state *s`: x and y (unsigned long), d and e (double), f and g
	 * (float), mem and its size, calls to count.
	 */
	const char *round;
};

extern const struct segment train_segments[];
extern const size_t train_n_segments;

#endif
