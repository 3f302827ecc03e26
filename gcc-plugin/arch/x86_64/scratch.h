/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers that a memory probe's cold part may use without saving them. */
#ifndef PERSEUS_PLUGIN_ARCH_SCRATCH_H
#define PERSEUS_PLUGIN_ARCH_SCRATCH_H

#include "gcc-plugin/base/gcc-common.h"

#define SCRATCH_MAX 3

struct scratch {
	unsigned n;                /* registers found, 0: none */
	unsigned reg[SCRATCH_MAX]; /* GCC's numbers */
	bool hot;                  /* it runs often: text is well spent here */
};

/* What the pass found out about the probe @insn of the current function. */
struct scratch scratch_of(const rtx_insn *insn);

/* The function is printed: forget its probes. */
void scratch_reset(void);

#endif
