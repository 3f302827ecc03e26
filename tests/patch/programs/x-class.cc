/* SPDX-License-Identifier: MIT */
#include "two.h"

class Queue {
public:
	void put() { head_++; puts_ += 2; }
	void get() { tail_++; }
	void tell() { mine(0, &head_, 8); mine(0, &puts_, 8); mine(1, &tail_, 8); }
private:
	long head_ = 0;
	long puts_ = 0;
	long tail_ = 0;
};

static Queue queue;

static void *put(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		queue.put();
		AGAIN;
	}
	return NULL;
}

static void *get(void *arg)
{
	Queue *q = static_cast<Queue *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		q->get();
		AGAIN;
	}
	return NULL;
}

int main()
{
	queue.tell();
	return two(put, nullptr, get, &queue);
}
