/* SPDX-License-Identifier: MIT */
/* Two pairs of threads, one after the other, in one line: who met whom does not make two findings of it. */
#include "crew.h"

static ALIGNED struct {
	long early;
	APART long soon;
	APART long late;
	APART long last;
} board;

static NOIPA void add(long *n)
{
	++*n; /* <- */
}

static void morning(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		add(id ? &board.soon : &board.early);
}

static void evening(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		add(id ? &board.last : &board.late);
}

int main(void)
{
	crew(2, morning);
	crew(2, evening);
	return board.early == 0;
}
