/* SPDX-License-Identifier: MIT */
/* The loaded objects that hold descriptors. */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

#include "runtime/rt.h"

/*
 * Describe the loaded object that @address lies in (all fields but epoch);
 * *main_program: it is the executable.  False: no such object.  Calls libc
 * and takes the loader's lock: not under rt_lock(), whose holder must never
 * wait for somebody who may be in a probe.
 */
bool module_find(const void *address, struct prs_module *out, bool *main_program);

/* The entry of a found module, new if this load of it is not known; NULL: no room.  Under rt_lock(). */
struct rt_module *module_enter(const struct prs_module *found, bool main_program);

/* Append @m to the record's MODULE entries; false: no room. */
bool module_write(struct rt_module *m);

/* Zeroed memory that lives as long as the process, or NULL; under rt_lock(). */
void *arena_take(uint64_t bytes);

#endif
