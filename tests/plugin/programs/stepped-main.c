/* SPDX-License-Identifier: MIT */
/* What step.c executes: stepped() between two breakpoint instructions.  Without probes itself. */
#include <stdio.h>

int stepped(void);

int main(void)
{
	int r;

	__asm__ volatile("int3");
	r = stepped();
	__asm__ volatile("int3");
	printf("result %d\n", r);
	return 0;
}
