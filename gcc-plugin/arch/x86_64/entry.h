/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entry of a function with two bodies, as text. */
#ifndef PERSEUS_PLUGIN_ARCH_ENTRY_H
#define PERSEUS_PLUGIN_ARCH_ENTRY_H

#include <stdio.h>

#include "gcc-plugin/base/gcc-common.h"

/* In the plain body: the no-op that becomes a jump to the twin. */
void entry_print(FILE *f);

/* At the end of a body: behind the twin, the table that says where that no-op is. */
void entry_print_end(FILE *f);

#endif
