/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <vector>

struct Base { long id = 0; virtual ~Base() {} };
struct Worker : Base { long done = 0; int state = 0; };

static std::vector<Worker> workers(4);

static void *run(void *arg)
{
	Worker *w = static_cast<Worker *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		w->done++;
		w->state ^= 1;
		AGAIN;
	}
	return NULL;
}

int main()
{
	for (int i = 0; i < 4; i++)
		mine(i % 2, &workers[i].done, 12);
	return two(run, &workers[0], run, &workers[1]) |
	       two(run, &workers[2], run, &workers[1]);
}
