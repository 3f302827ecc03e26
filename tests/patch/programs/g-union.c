/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Two views of the same bytes, which have to stay on each other. */
struct port {
	short kind;
	volatile unsigned tx;
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
		p->tx++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct port *p = &port;

	if ((char *)&p->both != (char *)&p->rx || (char *)&p->drop != (char *)&p->rx + 4)
		return 3;
	mine(0, &p->both, 8);
	mine(1, &p->tx, 4);
	return two(first, p, second, p);
}
