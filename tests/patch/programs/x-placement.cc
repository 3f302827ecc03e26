/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <new>

struct Stats { long in, out; };
struct Cell { long n; };

alignas(Stats) static unsigned char room[sizeof(Stats)];
alignas(Cell) static char cells[2 * sizeof(Cell)];

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

static void *count(void *arg)
{
	Cell *c = static_cast<Cell *>(arg);

	for (long i = 0; i < TURNS; i++) {
		c->n++;
		AGAIN;
	}
	return nullptr;
}

int main()
{
	Stats *s = new (room) Stats();
	Cell *c = new (cells) Cell[2]();
	int bad;

	mine(0, &s->in, sizeof(long));
	mine(1, &s->out, sizeof(long));
	bad = two(in, s, out, s);
	two_n = 0;
	mine(0, &c[0].n, sizeof(long));
	mine(1, &c[1].n, sizeof(long));
	return two(count, c, count, c + 1) | bad;
}
