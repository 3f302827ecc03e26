// SPDX-License-Identifier: MIT
// Calls that an exception leaves, each 3,000 times; then a wait, and calls that take time.
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>
#define OUT __attribute__((noinline))
struct guard {
	long *n;
	OUT ~guard() { ++*n; }
};
static volatile long sink;
static long cleaned;
OUT static void inner(long i) { if (i >= 0) throw std::runtime_error("no"); }
OUT static void outer(long i) { guard g{&cleaned}; inner(i); }
OUT static void gives_back(long i) { if (i < -1) throw 1; sink = sink + 1; }
OUT static void rest(void)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(20)); /* the wait */
}
OUT static void work(void) { for (long i = 0; i < 2000000; i++) sink = sink + 1; }
OUT static long many(bool throws)
{
	long caught = 0;

	for (long i = 0; i < 3000; i++)
		try {
			throws ? outer(i) : gives_back(i);
		} catch (const std::exception &) { caught++; }
	return caught;
}
int main(int argc, char **)
{
	long caught = many(argc < 2);

	rest();
	for (int i = 0; i < 5; i++)
		work();
	printf("%ld %ld\n", caught, cleaned);
}
