/* SPDX-License-Identifier: MIT */
/* The loaded objects that hold descriptors. */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

#include "runtime/base/rt.h"
#include "runtime/memory/enable.h"

/* What the loader says about a module. */
struct rt_found {
	struct prs_module module; /* all fields but epoch */
	struct rt_code code;
	bool main_program; /* it is the executable */
};

/*
 * Describe the loaded object that @address lies in.  False: no such object.
 * Calls libc and takes the loader's lock: not under rt_lock(), whose holder
 * must never wait for somebody who may be in a probe.
 */
bool module_find(const void *address, struct rt_found *out);

/* The entry of a found module, new if this load of it is not known; NULL: no room.  Under rt_lock(). */
struct rt_module *module_enter(const struct rt_found *found);

/* In a fork child: append all to the new record's MODULE entries; false: no room. */
bool module_forked(void);

/* Zeroed memory that lives as long as the process, or NULL; under rt_lock(). */
void *arena_take(uint64_t bytes);

#endif
