/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Two views of the same bytes, which have to stay on each other. */
struct port {
	short kind;
	__extension__ union {
		__extension__ struct { volatile unsigned rx, drop; };
		volatile unsigned long both;
	};
	long rest;
};

static struct port port;

static void *first(void *arg)
{
	struct port *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->drop++;
		AGAIN;
	}
	return NULL;
}

static void *second(void *arg)
{
	struct port *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->rx++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct port *p = &port;

	mine(0, &p->rx, 4);
	mine(1, &p->drop, 4);
	return two(first, p, second, p);
}
