/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The argument dump=FILE: what became of each access, for people who ask why. */
#ifndef PERSEUS_PLUGIN_DUMP_H
#define PERSEUS_PLUGIN_DUMP_H

#include "gcc-plugin/base/gcc-common.h"

/* Append a line about @stmt of @fun (either may be NULL) in printf() style; nothing without dump=. */
void dump_note(function *fun, gimple *stmt, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

#endif
