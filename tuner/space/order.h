/* SPDX-License-Identifier: MIT */
/* Orders of a few words as numbers (Lehmer code). */
#ifndef PERSEUS_TUNER_SPACE_ORDER_H
#define PERSEUS_TUNER_SPACE_ORDER_H

#include <stdint.h>

/* n!, n <= SPACE_ORDER. */
uint32_t order_count(unsigned n);

/* The @code-th order of 0..n-1 in dictionary order, and back. */
void order_decode(uint32_t code, unsigned n, uint8_t *place);
uint32_t order_encode(const uint8_t *place, unsigned n);

/* Share of the pairs that stand the other way round (Kendall), 0 to 1. */
double order_apart(uint32_t a, uint32_t b, unsigned n);

#endif
