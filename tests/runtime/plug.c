/* SPDX-License-Identifier: MIT */
/* A shared object with probes of its own, to be loaded and unloaded. */
#include "tests/runtime/probe.h"

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = 3, .n_mems = 2, .unit_id = 0x5555};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

static __attribute__((destructor(101))) void detach(void)
{
	if (__prs_detach)
		__prs_detach(&desc);
}

void plug_call(unsigned n);
void plug_call(unsigned n)
{
	while (n--)
		probe_leave(&desc, 2, probe_enter(&desc, 2));
}
