/* SPDX-License-Identifier: MIT */
/* A field that one thread has a line for itself with must not come near what the others fight for. */
#include "two.h"

struct state {
	volatile long own;
	char name[72];
	volatile long left, right;
};

static void *up(void *arg)
{
	struct state *s = arg;
	long i;

	for (i = 0; i < TURNS; i++)
		s->left++;
	return NULL;
}

static void *down(void *arg)
{
	struct state *s = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		s->right++;
		s->own++;
	}
	return NULL;
}

int main(void)
{
	struct state *s = calloc(1, sizeof(*s));
	int bad;

	mine(0, &s->left, 8);
	mine(1, &s->right, 8);
	mine(1, &s->own, 8);
	bad = two(up, s, down, s);
	free(s);
	return bad;
}
