/* SPDX-License-Identifier: MIT */
/*
 * Settings that one thread reads all the time, and a counter of another thread
 * in their line.  Repaired, they are shared by reading only.
 */
#include "crew.h"

struct config {
	int limit;
	int depth;
	APART long hits;
};

static ALIGNED struct config config = {1000, 7, 0};
static ALIGNED long passed;

static NOIPA int allowed(int v)
{
	return v < config.limit; /* <- */
}

static NOIPA void hit(void)
{
	config.hits++; /* <- */
}

static void work(int id)
{
	long n = 0;

	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			hit();
		else
			n += allowed(i);
	if (!id)
		passed = n;
}

int main(void)
{
	crew(2, work);
	return passed == 0 || config.hits == 0;
}
