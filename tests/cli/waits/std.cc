/* SPDX-License-Identifier: MIT */
/* std: what the C++ library waits by. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "asleep.h"

using namespace std::chrono_literals;

std::atomic<int> flag;
std::mutex door;
std::condition_variable bell;
bool rung;
pid_t sleeps;

int main()
{
	std::thread sleeper([] {
		i_am(&sleeps);
		flag.wait(0);
		std::unique_lock<std::mutex> lock(door);
		bell.wait(lock, [] { return rung; });
	});
	std::thread counter([] {
		volatile long n = 0;

		for (long i = 0; i < 3000000; i++)
			n = n + i;
	});

	until_asleep(&sleeps);
	std::this_thread::sleep_for(50ms);
	flag = 1;
	flag.notify_one();
	until_asleep(&sleeps);
	std::this_thread::sleep_for(50ms);
	{
		std::lock_guard<std::mutex> lock(door);
		rung = true;
	}
	bell.notify_one();
	sleeper.join();
	counter.join();
}
