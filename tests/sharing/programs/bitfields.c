/* SPDX-License-Identifier: MIT */
/* Bit-fields of whole bytes, which the compiler accesses apart. */
#include "crew.h"

struct flags {
	unsigned ready : 16;
#ifdef FIXED
	unsigned : 0;
	char gap[60];
#endif
	unsigned errors : 16;
};

static ALIGNED struct flags flags;

static NOIPA void is_ready(void)
{
	flags.ready++; /* <- */
}

static NOIPA void failed(void)
{
	flags.errors++; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			failed();
		else
			is_ready();
}

int main(void)
{
	crew(2, work);
	return 0;
}
