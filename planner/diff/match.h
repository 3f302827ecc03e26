/* SPDX-License-Identifier: MIT */
/* Pairs of items of two lists that have the same key, without regard to their order. */
#ifndef PERSEUS_PLANNER_DIFF_MATCH_H
#define PERSEUS_PLANNER_DIFF_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"

struct match_item {
	char *key; /* owned by the list */
	uint32_t index;
};
struct match_list VEC(struct match_item);

/* Append an item; @key is taken over. */
void match_add(struct match_list *l, char *key, uint32_t index);

/*
 * Sort both lists and call @pair for each two items with the same key, in the
 * order of keys, among equals in the order of indices: with n of a key here and
 * m there, min(n, m) pairs.
 */
void match_pairs(struct match_list *a, struct match_list *b,
		 void (*pair)(void *arg, uint32_t in_a, uint32_t in_b), void *arg);

/* Sort a list: by key, then by index. */
void match_sort(struct match_list *l);

/* Free keys and list. */
void match_release(struct match_list *l);

#endif
