/* SPDX-License-Identifier: MIT */
/*
 * Programs of known truth print the addresses that threads use, as generated ones
 * do: `@ CELL THREAD ADDRESS SIZE`.  Nothing here has memory of its own, so that it
 * moves nothing.  With -DTWIN a program is its repaired twin.
 */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdio.h>

#define SAY(cell, thread, what) \
	printf("@ %s %d %lx %lx\n", cell, thread, (unsigned long)(const volatile void *)&(what), (unsigned long)sizeof(what))
#define N 20000000L
#ifdef TWIN
#define ON_A_LINE __attribute__((aligned(64)))
#define GAP(name) char name[64];
#else
#define ON_A_LINE
#define GAP(name)
#endif

#endif
