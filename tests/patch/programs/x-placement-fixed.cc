/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <new>

struct Stats { long in, out; };

/* A larger Stats would not fit, and where the room begins parts nothing in it. */
alignas(16) static unsigned char room[32];

static void *in(void *arg)
{
	Stats *s = static_cast<Stats *>(arg);

	for (long i = 0; i < TURNS; i++) {
		s->in += i;
		AGAIN;
	}
	return nullptr;
}

static void *out(void *arg)
{
	Stats *s = static_cast<Stats *>(arg);

	for (long i = 0; i < TURNS; i++) {
		s->out += i;
		AGAIN;
	}
	return nullptr;
}

int main()
{
	Stats *s = new (room) Stats();

	mine(0, &s->in, sizeof(long));
	mine(1, &s->out, sizeof(long));
	return two(in, s, out, s);
}
