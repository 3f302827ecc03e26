/* SPDX-License-Identifier: MIT */
/* One lock, taken by one thread in two functions through the same function of the library's headers. */
#include <mutex>
#include <stdio.h>
#include <thread>
#include <time.h>

static std::mutex door;
static long visits, calls;
static volatile bool over;

static void rest(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, nullptr);
}

__attribute__((noinline)) static void keep()
{
	std::lock_guard<std::mutex> held(door); // keep takes it
	calls++;
	rest(3000);
}

__attribute__((noinline)) static void first()
{
	std::lock_guard<std::mutex> held(door); // first takes it
	visits++;
}

__attribute__((noinline)) static void second()
{
	std::lock_guard<std::mutex> held(door); // second takes it
	visits += 2;
}

static void keeper()
{
	while (!over) {
		keep();
		rest(300);
	}
}

static void visitor()
{
	for (int i = 0; i < 20; i++) {
		first();
		rest(500);
	}
	for (int i = 0; i < 40; i++) {
		second();
		rest(500);
	}
	over = true;
}

int main()
{
	std::thread a(keeper), b(visitor);

	a.join();
	b.join();
	printf("%ld\n", calls);
}
