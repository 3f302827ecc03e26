// SPDX-License-Identifier: MIT
// The same for std::thread: creation happens inside libstdc++.
#include <sched.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "perseus_triggers.h"

static std::string look()
{
	cpu_set_t mask;
	std::string text;

	if (sched_getaffinity(0, sizeof(mask), &mask))
		return text;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &mask))
			text += (text.empty() ? "" : ",") + std::to_string(i);
	return text;
}

int main()
{
	std::vector<std::string> mask(4);
	std::vector<std::thread> threads;

	perseus_program_start();
	std::printf("main %s\n", look().c_str());
	for (int i = 0; i < 4; i++) {
		perseus_create_1_begin();
		threads.emplace_back([&mask, i] { mask[i] = look(); });
		perseus_create_end();
	}
	for (auto &t : threads)
		t.join();
	for (int i = 0; i < 4; i++)
		std::printf("worker%d %s\n", i, mask[i].c_str());
	std::printf("machine %u started %u unplanned %u not_created %u\n", perseus_status.machine, perseus_status.started,
		    perseus_status.unplanned, perseus_status.not_created);
}
