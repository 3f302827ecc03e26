/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <array>
#include <vector>

static int seven = 7;
static std::vector<long> listed = {1, 2 + 3};
static std::vector<unsigned> filled(2, seven);
static std::array<short, 2> plain = {1, -2};
static std::array<long, 2> braced{{3, 4}};

static void *run_listed(void *arg)
{
	long me = reinterpret_cast<long>(arg);

	for (long i = 0; i < TURNS; i++) {
		listed[me] += i;
		AGAIN;
	}
	return nullptr;
}

static void *run_filled(void *arg)
{
	long me = reinterpret_cast<long>(arg);

	for (long i = 0; i < TURNS; i++) {
		filled[me]++;
		AGAIN;
	}
	return nullptr;
}

static void *run_plain(void *arg)
{
	long me = reinterpret_cast<long>(arg);

	for (long i = 0; i < TURNS; i++) {
		plain[me]++;
		AGAIN;
	}
	return nullptr;
}

static void *run_braced(void *arg)
{
	long me = reinterpret_cast<long>(arg);

	for (long i = 0; i < TURNS; i++) {
		braced[me] += i;
		AGAIN;
	}
	return nullptr;
}

static int both(two_run f, const void *a, const void *b, unsigned long n)
{
	two_n = 0;
	mine(0, a, n);
	mine(1, b, n);
	return two(f, nullptr, f, reinterpret_cast<void *>(1));
}

int main()
{
	int bad = listed[1] != 5 || filled[1] != 7 || plain[1] != -2 || braced[1] != 4;

	bad |= both(run_listed, &listed[0], &listed[1], sizeof(long));
	bad |= both(run_filled, &filled[0], &filled[1], sizeof(int));
	bad |= both(run_plain, &plain[0], &plain[1], sizeof(short));
	bad |= both(run_braced, &braced[0], &braced[1], sizeof(long));
	return bad;
}
