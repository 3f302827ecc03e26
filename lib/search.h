/* SPDX-License-Identifier: MIT */
/* Binary search in what lies in order. */
#ifndef PERSEUS_LIB_SEARCH_H
#define PERSEUS_LIB_SEARCH_H

#include <stddef.h>

/*
 * The number of the first of @n things for which @before, an expression in @i, their number, does not hold;
 * @n if it holds for all.  Those for which it holds come first:
 *
 *	size_t first = search_first(list->n, i, list->at[i].start < start);
 */
#define search_first(n, i, before)                                                                           \
	({                                                                                                   \
		size_t low_ = 0, high_ = (n);                                                                \
                                                                                                             \
		while (low_ < high_) {                                                                       \
			size_t i = low_ + (high_ - low_) / 2;                                                \
                                                                                                             \
			if (before)                                                                          \
				low_ = i + 1;                                                                \
			else                                                                                 \
				high_ = i;                                                                   \
		}                                                                                            \
		low_;                                                                                        \
	})

#endif
