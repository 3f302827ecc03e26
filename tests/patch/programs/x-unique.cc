/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <memory>

namespace app {
struct Cell {
	int hits = 0;
	int misses = 0;
};
}

static void *run(void *arg)
{
	app::Cell *c = static_cast<app::Cell *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		c->hits++;
		c->misses++;
		AGAIN;
	}
	return NULL;
}

int main()
{
	std::unique_ptr<app::Cell[]> cells(new app::Cell[2]);

	mine(0, &cells[0].hits, 8);
	mine(1, &cells[1].hits, 8);
	return two(run, &cells[0], run, &cells[1]);
}
