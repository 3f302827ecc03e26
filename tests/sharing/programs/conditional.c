/* SPDX-License-Identifier: MIT */
/* Counters that are touched for some bytes only: a condition stands before the access. */
#include "crew.h"

struct found {
	long in_head;
	APART long in_body;
};

static ALIGNED struct found found;
static ALIGNED unsigned char text[2][4096];

static NOIPA void scan(long *n, const unsigned char *p, int bytes)
{
	for (int i = 0; i < bytes; i++)
		if (p[i] < 64)
			++*n; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE scan(id ? &found.in_body : &found.in_head, text[id], sizeof(text[id]));
}

int main(void)
{
	uint32_t r = 7;

	for (int i = 0; i < 4096; i++)
		text[0][i] = text[1][i] = (unsigned char)crew_random(&r);
	crew(2, work);
	return found.in_head == 0 || found.in_body == 0;
}
