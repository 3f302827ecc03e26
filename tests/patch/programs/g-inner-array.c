/* SPDX-License-Identifier: MIT */
#include "two.h"

#define EACH(i) for (i = 0; i < TURNS; i++)
#define SLOTS (sizeof(hall.in.w) / sizeof(hall.in.w[0]))

/* Another struct has a member of that name; both are used. */
struct other {
	long w[4];
};
static struct other other;

struct hall {
	int id;
	struct {
		volatile long w[2];
	} in;
};
static struct hall hall = {.id = 1, .in = {.w = {0, 0}}};

static void *run(void *arg)
{
	struct hall *h = &hall;
	long me = (long)arg;
	long i;

	EACH(i) h->in.w[me]++;
	return NULL;
}

int main(void)
{
	mine(0, &hall.in.w[0], sizeof(long));
	mine(1, &hall.in.w[1], sizeof(long));
	other.w[3] = (long)sizeof(other);
	return two(run, (void *)0, run, (void *)1);
}
