/* SPDX-License-Identifier: MIT */
/* A library with probes of its own that comes and goes. */
#include "tests/runtime/place.h"

extern void __prs_attach(struct prs_desc *d) __attribute__((weak));
extern void __prs_detach(struct prs_desc *d) __attribute__((weak));

struct prs_desc desc __attribute__((visibility("hidden"), aligned(64))) = {
	.version = PRS_ABI_VERSION, .n_mems = 1, .unit_id = 0x45};

__attribute__((used, visibility("hidden"))) void place_slow(const void *p, uint32_t site)
{
	place_test(&desc, p, site);
}

BURST(lib_count, 0);

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
