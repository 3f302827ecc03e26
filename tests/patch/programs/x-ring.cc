/* SPDX-License-Identifier: MIT */
#include <atomic>
#include <memory>
#include "two.h"

struct Ring {
	std::atomic<unsigned long> head{0};
	unsigned long puts = 0;
	std::atomic<unsigned long> tail{0};
	unsigned long gets = 0;
};

static void *put(void *arg)
{
	Ring *r = static_cast<Ring *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		r->head.store(i, std::memory_order_release);
		r->puts++;
		AGAIN;
	}
	return NULL;
}

static void *get(void *arg)
{
	Ring *r = static_cast<Ring *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		r->tail.store(i, std::memory_order_release);
		r->gets++;
		AGAIN;
	}
	return NULL;
}

int main()
{
	std::unique_ptr<Ring> r(new Ring);

	mine(0, &r->head, 16);
	mine(1, &r->tail, 8);
	mine(1, &r->gets, 8);
	return two(put, r.get(), get, r.get());
}
