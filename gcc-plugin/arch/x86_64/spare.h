/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which registers a call probe may change without saving them. */
#ifndef PERSEUS_PLUGIN_ARCH_SPARE_H
#define PERSEUS_PLUGIN_ARCH_SPARE_H

#include "gcc-plugin/base/gcc-common.h"

/* What the runtime changes behind a call probe (perseus/abi.h); *n of them. */
const unsigned *spare_changed(bool enter, unsigned *n);

/* Must the cold part of the probe @insn save the @i-th of those? */
bool spare_must_save(rtx_insn *insn, unsigned i);

#endif
