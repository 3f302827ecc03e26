/* SPDX-License-Identifier: MIT */
#include <memory>
#include <vector>
#include "two.h"

namespace app {
class Pool {
public:
	struct Slot {
		long used = 0;
		int last = 0;
	};
	explicit Pool(int n) : slots_(n) {}
	Slot &at(int i) { return slots_[i]; }

private:
	std::vector<Slot> slots_;
};
}

static void *run(void *arg)
{
	app::Pool::Slot *s = static_cast<app::Pool::Slot *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		s->used++;
		s->last ^= 1;
		AGAIN;
	}
	return NULL;
}

int main()
{
	auto pool = std::make_unique<app::Pool>(2);

	mine(0, &pool->at(0).used, 12);
	mine(1, &pool->at(1).used, 12);
	return two(run, &pool->at(0), run, &pool->at(1));
}
