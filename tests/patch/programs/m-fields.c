/* SPDX-License-Identifier: MIT */
#include "two.h"

struct ring { long head, heads; long tail; char *data; };

static void *put(void *arg)
{
	struct ring *r = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		r->head++;
		r->heads ^= i;
		AGAIN;
	}
	return NULL;
}

static void *get(void *arg)
{
	struct ring *r = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		r->tail++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct ring *r = calloc(1, sizeof(*r));

	mine(0, &r->head, 8);
	mine(0, &r->heads, 8);
	mine(1, &r->tail, 8);
	return two(put, r, get, r);
}
