/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Bit-fields of a union, and a longer view that lies on no other member. */
struct port {
	unsigned id;
	__extension__ union {
		char head;
		__extension__ struct { volatile unsigned lo : 12, hi : 20; };
		struct { unsigned a, b; } wide;
	};
	volatile unsigned tx;
};


static void *first(void *arg)
{
	struct port *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->hi++;
		AGAIN;
	}
	return NULL;
}

static void *second(void *arg)
{
	struct port *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->tx++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct port *p = malloc(sizeof(*p));

	memset(p, 0, sizeof(*p));
	mine(0, &p->wide, 8);
	mine(1, &p->tx, 4);
	return two(first, p, second, p);
}
