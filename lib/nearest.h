/* SPDX-License-Identifier: MIT */
/* "Did you mean": the word of a list that a mistyped one is nearest to. */
#ifndef PERSEUS_LIB_NEAREST_H
#define PERSEUS_LIB_NEAREST_H

#include <stddef.h>

/* Longer words are no typing errors of anything. */
#define NEAREST_LONGEST 32

/*
 * Single characters that have to be added, removed, replaced or exchanged with their
 * neighbour to make @b of @a (optimal string alignment); SIZE_MAX if one is longer than
 * NEAREST_LONGEST.
 */
size_t nearest_edits(const char *a, const char *b);

/*
 * The one of @words[0..@n) that @word was most likely meant to be: at most one edit in
 * three characters away, or the only one that @word begins.  NULL: none.
 */
const char *nearest_word(const char *word, const char *const *words, size_t n);

#endif
