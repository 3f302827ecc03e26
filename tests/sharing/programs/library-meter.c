/* SPDX-License-Identifier: MIT */
/* The library of library.c, and the second unit of its -flto build. */
#include "crew.h"

struct meter {
	long in;
	APART long out;
};

ALIGNED struct meter meter;
void meter_in(void);
void meter_out(void);

NOIPA void meter_in(void)
{
	meter.in++; /* <- */
}

NOIPA void meter_out(void)
{
	meter.out++; /* <- */
}
