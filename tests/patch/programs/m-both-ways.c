/* SPDX-License-Identifier: MIT */
/* Two objects of one type, whose members two threads use the other way round in the second. */
#include "two.h"

struct port { volatile long rx[2]; volatile long tx; };

static struct port *port[2];

static void *first(void *arg)
{
	long i;

	for (i = 0; i < TURNS; i++) {
		port[0]->rx[1]++;
		port[1]->tx++;
	}
	return arg;
}

static void *second(void *arg)
{
	long i;

	for (i = 0; i < TURNS; i++) {
		port[0]->tx++;
		port[1]->rx[0]++;
	}
	return arg;
}

int main(void)
{
	port[0] = malloc(sizeof(struct port));
	port[1] = malloc(sizeof(struct port));
	memset(port[0], 0, sizeof(struct port));
	memset(port[1], 0, sizeof(struct port));
	mine(0, &port[0]->rx[1], sizeof(long));
	mine(1, &port[0]->tx, sizeof(long));
	mine(0, &port[1]->tx, sizeof(long));
	mine(1, &port[1]->rx[0], sizeof(long));
	return two(first, NULL, second, NULL);
}
