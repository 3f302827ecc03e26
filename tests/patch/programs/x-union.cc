/* SPDX-License-Identifier: MIT */
#include "two.h"

/* The union that is to begin a line, in a class with members of functions. */
struct port {
	long sum() const { return rx + tx; }
	volatile int tx;
	int id;
	union {
		volatile int rx;
		char raw[12];
		double real;
	};
	int rest;
};

static struct port port;

static void *first(void *arg)
{
	struct port *p = (struct port *)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->rx++;
		AGAIN;
	}
	return NULL;
}

static void *second(void *arg)
{
	struct port *p = (struct port *)arg;
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

	if ((void *)&p->raw != (void *)&p->rx || (void *)&p->real != (void *)&p->rx)
		return 3;
	mine(0, &p->raw, 12);
	mine(1, &p->tx, 4);
	return two(first, p, second, p);
}
