/* SPDX-License-Identifier: MIT */
/* A stream through a semaphore in one direction, between threads that met at a latch before. */
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

std::counting_semaphore<64> items{0};
std::latch start{2};

static void giver()
{
	start.arrive_and_wait();
	for (int i = 0; i < 20; i++) {
		std::this_thread::sleep_for(10ms);
		items.release();
	}
}

static void taker()
{
	std::this_thread::sleep_for(30ms);
	start.arrive_and_wait();
	for (int i = 0; i < 20; i++)
		items.acquire();
}

int main()
{
	std::thread a(giver), b(taker);

	a.join();
	b.join();
}
