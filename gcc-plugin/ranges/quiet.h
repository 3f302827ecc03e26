/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which statements and functions may wait for another thread, or wake one. */
#ifndef PERSEUS_PLUGIN_QUIET_H
#define PERSEUS_PLUGIN_QUIET_H

#include "gcc-plugin/base/gcc-common.h"

/* True if @stmt may synchronise with another thread; who owns a line is not known behind it. */
bool stmt_may_synchronise(gimple *stmt);

/* @fun is compiled as it stands: remember whether a call of it can wait for nobody. */
void quiet_note(function *fun);

#endif
