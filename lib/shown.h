/* SPDX-License-Identifier: MIT */
/*
 * What may be shown.  Names of symbols, files and threads, and what stands in
 * files, are chosen by others: control characters (C0, DEL, C1), and those
 * that change the order in which text is read, would rule the terminal, or
 * let a line say what it does not.
 */
#ifndef PERSEUS_LIB_SHOWN_H
#define PERSEUS_LIB_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The character at @s and its bytes in *n: a sequence of UTF-8, or one byte
 * that begins none, for which it is 0xfffd.  *n is 0 only at the NUL.
 */
uint32_t shown_char(const char *s, size_t *n);

/* True if it may not be shown. */
bool shown_not(uint32_t c);

/* Replace each byte of what may not be shown by '?'; but for the characters of @keep, like "\n\t". */
void shown_make(char *s, const char *keep);

#endif
