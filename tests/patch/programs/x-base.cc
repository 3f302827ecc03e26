/* SPDX-License-Identifier: MIT */
#include "two.h"
#include "x-base.h"

class radar : public app::sensor
{
	volatile long echoes = 0;

public:
	void poll() override { echoes = echoes + 1; }
	long *mine() { return const_cast<long *>(&echoes); }
};

static void *sample(void *arg)
{
	app::sensor *s = static_cast<app::sensor *>(arg);

	for (long i = 0; i < TURNS; i++)
		s->sample();
	return NULL;
}

static void *poll(void *arg)
{
	app::sensor *s = static_cast<app::sensor *>(arg);

	for (long i = 0; i < TURNS; i++)
		s->poll();
	return NULL;
}

int main()
{
	app::sensor *s = new radar;

	mine(0, s->place(), 8);
	mine(1, static_cast<radar *>(s)->mine(), 8);
	return two(sample, s, poll, s);
}
