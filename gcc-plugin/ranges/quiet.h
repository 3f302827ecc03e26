/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which statements and functions may wait for another thread, or wake one. */
#ifndef PERSEUS_PLUGIN_QUIET_H
#define PERSEUS_PLUGIN_QUIET_H

#include "gcc-plugin/base/gcc-common.h"

/* Behind @stmt another thread may have had any line in between. */
bool quiet_ends(gimple *stmt);

/* @fun is compiled as it stands: remember whether a call of it can wait for nobody. */
void quiet_note(function *fun);

#endif
