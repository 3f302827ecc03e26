/* SPDX-License-Identifier: MIT */
/*
 * Which line of the source an instruction comes from, by .debug_line of the
 * executable (DWARF 2 to 5).  It is not loaded and no proof: whoever can write
 * the file can write it, too; it is what the compiler says it did.
 */
#ifndef PERSEUS_VERIFY_ELF_LINES_H
#define PERSEUS_VERIFY_ELF_LINES_H

#include "verify/elf/image.h"

enum lines_state {
	LINES_READ,
	LINES_NONE,   /* there is no .debug_line */
	LINES_PACKED, /* it is compressed */
};

struct line_query {
	uint64_t address;
	const char *file; /* last part of its name, NULL: not known; lives as long as the image */
	uint32_t line;    /* 0: not known */
	uint64_t program; /* where what says so begins in .debug_line */
	bool doubtful;    /* two rows disagree */
};

/* Answer @n queries; what is damaged is left out. */
enum lines_state lines_find(const struct image *e, struct line_query *const *query, size_t n);

/* A file of a table; texts live as long as the image. */
struct line_file {
	const char *name;
	const char *folder; /* that the name counts from; NULL: the root */
	const char *root;   /* where the compiler ran; NULL: the unit says it */
};

/* File @i of the program at @at of .debug_line; false if that is not known. */
bool lines_file(const struct image *e, uint64_t at, uint64_t i, struct line_file *f);

#endif
