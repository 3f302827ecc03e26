/* SPDX-License-Identifier: MIT */
#include "h-units.h"

void *run(void *arg)
{
	struct unit *u = arg;
	long i;

	for (i = 0; i < 20000000; i++) {
		u->n++;
		__asm__ volatile("" ::: "memory");
	}
	return 0;
}
