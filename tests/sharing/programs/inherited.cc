/* SPDX-License-Identifier: MIT */
/*
 * Objects of two classes, made by `new` one after the other, that count in a
 * member of the base class: neighbours on the heap share lines.
 */
#include "crew.h"

#define EACH 4

struct APART Counter {
	virtual ~Counter() = default;
	virtual void hit() = 0;
	long hits = 0;
};

struct Http : Counter {
	NOIPA void hit() override
	{
		hits++; /* <- */
	}
};

struct Dns : Counter {
	NOIPA void hit() override
	{
		hits += 2; /* <- */
	}
};

/* Each thread uses every second one. */
static Counter *counters[2 * EACH];

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		counters[id + 2 * (i % EACH)]->hit();
}

int main()
{
	for (int i = 0; i < EACH; i++) {
		counters[2 * i] = new Http;
		counters[2 * i + 1] = new Dns;
	}
	crew(2, work);
	return counters[0]->hits == 0;
}
