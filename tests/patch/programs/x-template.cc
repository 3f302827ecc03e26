/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <vector>

template <typename T>
struct Slot {
	T value;
	T more;
};

static Slot<long> slots[2];
static std::vector<Slot<int> > small(2);

static void *run(void *arg)
{
	Slot<long> *s = static_cast<Slot<long> *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		s->value++;
		s->more++;
		AGAIN;
	}
	return NULL;
}

static void *run_int(void *arg)
{
	Slot<int> *s = static_cast<Slot<int> *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		s->value++;
		s->more++;
		AGAIN;
	}
	return NULL;
}

int main()
{
	int bad;

	mine(0, &slots[0].value, 16);
	mine(1, &slots[1].value, 16);
	bad = two(run, &slots[0], run, &slots[1]);
	two_n = 0;
	mine(0, &small[0].value, 8);
	mine(1, &small[1].value, 8);
	return two(run_int, &small[0], run_int, &small[1]) | bad;
}
