/* SPDX-License-Identifier: MIT */
#include "two.h"

typedef struct cell {
	long n;
	int kind;
} cell_t, *cell_ptr;

struct context {
	int n;
	struct cell *cells;
};

static struct context context;

static void *run(void *arg)
{
	cell_ptr c = (cell_ptr)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		c->n++;
		c->kind ^= 1;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	context.n = 2;
	context.cells = calloc((size_t)context.n, sizeof *context.cells);
	mine(0, &context.cells[0].n, 12);
	mine(1, &context.cells[1].n, 12);
	return two(run, &context.cells[0], run, &context.cells[1]);
}
