/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <utility>

class Link {
public:
	Link() : id(0), bytes(0, 0) {}
	void reset() { bytes = {3, 4}; }
	int id;
	std::pair<long, unsigned> bytes;
};

static Link here;

static void *in(void *arg)
{
	Link *l = static_cast<Link *>(arg);

	for (long i = 0; i < TURNS; i++) {
		l->bytes.first += i;
		AGAIN;
	}
	return nullptr;
}

static void *out(void *arg)
{
	Link *l = static_cast<Link *>(arg);

	for (long i = 0; i < TURNS; i++) {
		l->bytes.second++;
		AGAIN;
	}
	return nullptr;
}

static int run(Link *l)
{
	l->reset();
	two_n = 0;
	mine(0, &l->bytes.first, sizeof(long));
	mine(1, &l->bytes.second, sizeof(int));
	return two(in, l, out, l);
}

int main()
{
	Link *there = new Link;
	int bad = run(&here) | run(there);

	delete there;
	return bad;
}
