/* SPDX-License-Identifier: MIT */
/* A stream through a semaphore in one direction, between threads that meet at a latch before and at a barrier after. */
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>

#include "asleep.h"

using namespace std::chrono_literals;

std::counting_semaphore<64> items{0};
std::latch start{2};
std::barrier<> stop{2};

static pid_t takes;

static void giver()
{
	start.arrive_and_wait();
	for (int i = 0; i < 20; i++) {
		until_asleep(&takes);
		std::this_thread::sleep_for(10ms);
		items.release();
	}
	for (int i = 0; i < 20; i++) {
		std::this_thread::sleep_for(3ms);
		stop.arrive_and_wait();
	}
}

static void taker()
{
	std::this_thread::sleep_for(30ms);
	start.arrive_and_wait();
	i_am(&takes);
	for (int i = 0; i < 20; i++)
		items.acquire();
	for (int i = 0; i < 20; i++)
		stop.arrive_and_wait();
}

int main()
{
	std::thread a(giver), b(taker);

	a.join();
	b.join();
}
