/* SPDX-License-Identifier: MIT */
/*
 * True sharing and false sharing in one line: a count that both threads need,
 * and beside it a field that each has alone.
 */
#include "crew.h"

struct desk {
	APART long served;
	APART long left;
	APART long right;
};

static ALIGNED struct desk desk;

static NOIPA void serve_left(void)
{
	desk.left++;                                           /* <- */
	__atomic_fetch_add(&desk.served, 1, __ATOMIC_RELAXED); /* <- */
}

static NOIPA void serve_right(void)
{
	desk.right++; /* <- */
#ifndef FIXED
	__atomic_fetch_add(&desk.served, 1, __ATOMIC_RELAXED); /* <- */
#endif
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 200; i++) if (id) serve_right();
	else serve_left();
}

int main(void)
{
	crew(2, work);
	return 0;
}
