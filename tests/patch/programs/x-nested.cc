/* SPDX-License-Identifier: MIT */
#include "two.h"

struct Node {
	struct { volatile long rx, tx; } io;
	struct Stats { volatile long ok, bad; } stats;
	int id;
};

static Node node;

static void *in(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		node.io.rx = node.io.rx + 1;
		node.stats.ok = node.stats.ok + 1;
		AGAIN;
	}
	return arg;
}

static void *out(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		node.io.tx = node.io.tx + 1;
		node.stats.bad = node.stats.bad + 1;
		AGAIN;
	}
	return arg;
}

int main()
{
	mine(0, &node.io.rx, sizeof(long));
	mine(1, &node.io.tx, sizeof(long));
	mine(0, &node.stats.ok, sizeof(long));
	mine(1, &node.stats.bad, sizeof(long));
	return two(in, nullptr, out, nullptr);
}
