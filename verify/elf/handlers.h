/* SPDX-License-Identifier: MIT */
/* .gcc_except_table: where an exception goes that a call of a function lets through, read without trust. */
#ifndef PERSEUS_VERIFY_ELF_HANDLERS_H
#define PERSEUS_VERIFY_ELF_HANDLERS_H

#include "verify/elf/frames.h"

enum handled {
	HANDLED_HERE,    /* at a place of the function */
	HANDLED_BEYOND,  /* the function's table says: nowhere in it */
	HANDLED_NOT,     /* it has no table: nowhere in it */
	HANDLED_ENDS,    /* the program ends by it */
	HANDLED_UNKNOWN, /* the table could not be read */
};

/* For the instruction at @at of @e; *place: where, if it is HANDLED_HERE. */
enum handled handlers_find(const struct image *e, const struct frames *f, uint64_t at, uint64_t *place);

#endif
