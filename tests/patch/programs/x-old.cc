/* SPDX-License-Identifier: MIT */
#include "two.h"

class Meter {
public:
	Meter() : in_(0), in_errors_(0), out_(0) {}
	void in(long i) { in_++; in_errors_ += i & 1; }
	void out() { out_++; }
	void tell() { mine(0, &in_, 16); mine(1, &out_, 8); }

private:
	long in_, in_errors_;
	long out_;
};

static void *in(void *arg)
{
	Meter *m = static_cast<Meter *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		m->in(i);
		AGAIN;
	}
	return NULL;
}

static void *out(void *arg)
{
	Meter *m = static_cast<Meter *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		m->out();
		AGAIN;
	}
	return NULL;
}

int main()
{
	Meter *m = new Meter();
	int bad;

	m->tell();
	bad = two(in, m, out, m);
	delete m;
	return bad;
}
