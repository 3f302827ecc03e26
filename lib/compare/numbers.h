/* SPDX-License-Identifier: MIT */
/* How far two outputs are apart, number by number. */
#ifndef PERSEUS_LIB_COMPARE_NUMBERS_H
#define PERSEUS_LIB_COMPARE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct numbers_change {
	bool equal;         /* byte by byte */
	bool text;          /* else compared as bits alone: one of them holds no text */
	bool words_differ;  /* they differ in more than numbers, or have not as many */
	uint64_t n, differ; /* numbers in both; those that are not the same */
	double relative;    /* largest |a - b| / max(|a|, |b|) */
	double absolute;    /* largest |a - b| */
	double a, b;        /* the pair of the largest relative change */
	uint64_t at;        /* ... which number it is, from 1 */
	uint64_t ulp;       /* largest distance in doubles of the last place */
	uint64_t float_ulp; /* the same of floats */
	uint64_t bits;      /* that differ, of the bytes that both have */
};

/*
 * Compare @a and @b.  Text is read as words and numbers (decimal, with exponent, nan, inf); white space
 * only parts them.  What is not text is compared by bits.
 */
void numbers_compare(const char *a, size_t a_len, const char *b, size_t b_len, struct numbers_change *c);

#endif
