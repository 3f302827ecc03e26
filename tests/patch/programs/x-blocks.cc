/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <memory>

struct Node { long n = 0; };

static void *run(void *arg)
{
	Node *c = static_cast<Node *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		c->n++;
		AGAIN;
	}
	return NULL;
}

int main()
{
	std::unique_ptr<Node> at[4];

	for (int i = 0; i < 4; i++) {
		at[i] = std::make_unique<Node>();
		mine(i % 2, &at[i]->n, 8);
	}
	return two(run, at[0].get(), run, at[1].get()) |
	       two(run, at[2].get(), run, at[1].get());
}
