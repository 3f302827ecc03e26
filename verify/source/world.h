/* SPDX-License-Identifier: MIT */
/* The counterfeit platform under a source that is run: who calls, and what was set. */
#ifndef PERSEUS_VERIFY_SOURCE_WORLD_H
#define PERSEUS_VERIFY_SOURCE_WORLD_H

#include "verify/base/plan.h"
#include "verify/source/crun.h"

#define WORLD_SETTINGS 64 /* of one call */
#define WORLD_NOBODY   0xffffffffu

struct setting {
	uint32_t kind; /* VPLAN_PIN, VPLAN_STEP */
	uint32_t core; /* or frequency domain */
	uint32_t khz;
};

struct world {
	uint32_t self; /* instance of the calling thread, WORLD_NOBODY before it has become one */
	bool in_main, foreign;
	uint32_t control, level; /* register of floating-point control, and what is kept for it */
	struct setting made[WORLD_SETTINGS];
	size_t n_made;
};

/* For crun.platform, with a struct world as context. */
crun_platform world_call;

/*
 * True if @made are the settings @planned, but for pins to where the thread is
 * already (@core first, VPLAN_NONE: not known): they are left out if @strict,
 * and may be left out else.
 */
bool world_same(const struct setting *made, size_t n_made, const struct setting *planned, size_t n_planned,
		uint32_t core, bool strict);

/* "core 2, domain 1 at 1853000 kHz" into @out. */
void world_text(char *out, size_t bytes, const struct setting *s, size_t n);

#endif
