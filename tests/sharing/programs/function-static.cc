/* SPDX-License-Identifier: MIT */
/* A static variable of a function, made at its first use. */
#include "crew.h"

struct Counters {
	long hits;
	APART long misses;
	explicit Counters(long n) : hits(n), misses(n) {}
};

static Counters &counters()
{
	alignas(LINE) static Counters all(crew_run_us() % 2);

	return all;
}

NOIPA static void hit(Counters &c)
{
	c.hits++; /* <- */
}

NOIPA static void miss(Counters &c)
{
	c.misses++; /* <- */
}

static void work(int id)
{
	Counters &c = counters();

	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			miss(c);
		else
			hit(c);
}

int main()
{
	crew(2, work);
	return counters().hits == 0;
}
