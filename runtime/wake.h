/* SPDX-License-Identifier: MIT */
/* Waking the memory probes of a module: no-ops become jumps (perseus/abi.h). */
#ifndef RUNTIME_WAKE_H
#define RUNTIME_WAKE_H

#include "runtime/rt.h"

enum rt_wake {
	WAKE_REFUSED = 0, /* the system does not let code be written: nothing was changed */
	WAKE_PART = 1,    /* some places do not hold what the compiler wrote and stay dormant */
	WAKE_ALL = 2,
};

/* Turn all no-ops of the module into jumps.  Other threads may run in it meanwhile. */
enum rt_wake wake_module(const struct rt_code *code);

#endif
