/* SPDX-License-Identifier: MIT */
#include "tuner/space/order.h"

#include <stdbool.h>

#include "tuner/space/space.h"

uint32_t order_count(unsigned n)
{
	uint32_t count = 1;

	for (unsigned i = 2; i <= n; i++)
		count *= i;
	return count;
}

void order_decode(uint32_t code, unsigned n, uint8_t *place)
{
	bool taken[SPACE_ORDER] = {false};

	for (unsigned i = 0; i < n; i++) {
		uint32_t below = order_count(n - 1 - i), skip = code / below;
		uint8_t k = 0;

		code %= below;
		for (;; k++) {
			if (taken[k])
				continue;
			if (!skip--)
				break;
		}
		taken[k] = true;
		place[i] = k;
	}
}

uint32_t order_encode(const uint8_t *place, unsigned n)
{
	uint32_t code = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t smaller = 0;

		for (unsigned k = i + 1; k < n; k++)
			smaller += place[k] < place[i];
		code += smaller * order_count(n - 1 - i);
	}
	return code;
}

double order_apart(uint32_t a, uint32_t b, unsigned n)
{
	uint8_t pa[SPACE_ORDER], pb[SPACE_ORDER], at[SPACE_ORDER];
	unsigned swapped = 0;

	if (a == b || n < 2)
		return 0;
	order_decode(a, n, pa);
	order_decode(b, n, pb);
	for (uint8_t i = 0; i < n; i++)
		at[pb[i]] = i;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++)
			swapped += at[pa[i]] > at[pa[k]];
	return 2.0 * swapped / (n * (n - 1));
}
