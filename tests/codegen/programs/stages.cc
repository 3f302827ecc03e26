// SPDX-License-Identifier: MIT
// The same with std::thread; an exception crosses a call that carries triggers.
#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static pthread_barrier_t barrier;

static std::string look()
{
	cpu_set_t mask;
	std::string text;

	sched_getaffinity(0, sizeof(mask), &mask);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &mask))
			text += (text.empty() ? "" : ",") + std::to_string(i);
	return text;
}

__attribute__((noinline)) static void meet(int stage)
{
	pthread_barrier_wait(&barrier);
	if (stage == 2)
		throw std::runtime_error("last stage");
}

int main()
{
	std::vector<std::vector<std::string>> seen(4);
	std::vector<std::thread> threads;

	pthread_barrier_init(&barrier, nullptr, 4);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&seen, i] {
			seen[i].push_back(look());
			for (int stage = 1; stage < 3; stage++) {
				try {
					meet(stage);
				} catch (const std::exception &) {
				}
				seen[i].push_back(look());
			}
		});
	for (auto &t : threads)
		t.join();
	for (int i = 0; i < 4; i++)
		std::printf("w%d %s %s %s\n", i, seen[i][0].c_str(), seen[i][1].c_str(), seen[i][2].c_str());
	return 0;
}
