/* SPDX-License-Identifier: MIT */
/* Bytes that are read one after the other, and never past their end. */
#ifndef PERSEUS_VERIFY_ELF_CUT_H
#define PERSEUS_VERIFY_ELF_CUT_H

#include <stdbool.h>
#include <stdint.h>

/* bad: the end was met; all that is read from then on is 0, or NULL. */
struct cut {
	const uint8_t *at, *end;
	bool bad;
};

/* The next @n bytes. */
const uint8_t *cut_take(struct cut *c, uint64_t n);

/* A number of @n bytes, at most 8. */
uint64_t cut_number(struct cut *c, unsigned n);

/* LEB128, of variable length; bits beyond 64 are dropped. */
uint64_t cut_leb(struct cut *c, bool is_signed);

/* A text up to its NUL. */
const char *cut_text(struct cut *c);

#endif
