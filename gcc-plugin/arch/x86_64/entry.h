/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entry of a function with two bodies, as text. */
#ifndef PERSEUS_PLUGIN_ARCH_ENTRY_H
#define PERSEUS_PLUGIN_ARCH_ENTRY_H

#include <stdio.h>

#include "gcc-plugin/base/gcc-common.h"

/* What the first instruction of a plain body needs in front of it. */
enum entry_first {
	ENTRY_BARE,   /* nothing */
	ENTRY_PREFIX, /* a byte that makes two of one */
	ENTRY_NOP,    /* an instruction that may be overwritten */
};

/* In the plain body: where the runtime writes. */
void entry_print(FILE *f, enum entry_first first);

/* In front of the label: of a plain body, the jump to the twin, and the alignment.  False: it is none. */
bool entry_print_front(FILE *f);

/* At the end of a body: behind the twin, the record that says where the plain one begins. */
void entry_print_end(FILE *f);

#endif
