/* SPDX-License-Identifier: MIT */
/* Counters in a shared library; the threads are the program's. */
#include "crew.h"

void meter_in(void);
void meter_out(void);

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			meter_out();
		else
			meter_in();
}

int main(void)
{
	crew(2, work);
	return 0;
}
