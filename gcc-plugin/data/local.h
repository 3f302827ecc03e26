/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thread-local variables that other threads may reach by their address. */
#ifndef PERSEUS_PLUGIN_LOCAL_H
#define PERSEUS_PLUGIN_LOCAL_H

#include "gcc-plugin/base/gcc-common.h"

/* To be called once: all variables are looked at when references between functions and them are known. */
void local_install(void);

/* True if the address of thread-local @var is taken anywhere in the unit, or others may take it; before that is known. */
bool local_lent(tree var);

/* True if a probe can tell the address of @var, which an access by its name does not; before that is known. */
bool local_has_address(tree var);

#endif
