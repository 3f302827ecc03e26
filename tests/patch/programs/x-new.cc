/* SPDX-License-Identifier: MIT */
#include "two.h"

class Part {
public:
	Part() : n(0), sum(0) {}
	void add(long i) { n++; sum += i; }
	void tell(int t) { mine(t, &n, 16); }
private:
	long n;
	long sum;
};

static void *run(void *arg)
{
	Part *p = static_cast<Part *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		p->add(i);
		AGAIN;
	}
	return NULL;
}

int main()
{
	Part *p = new Part[4];
	int bad;

	for (int i = 0; i < 4; i++)
		p[i].tell(i % 2);
	bad = two(run, &p[0], run, &p[1]) | two(run, &p[2], run, &p[3]);
	delete[] p;
	return bad;
}
