/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes of denormal profiling (docs/denormal.md). */
#ifndef PERSEUS_PLUGIN_DENORMAL_PASS_H
#define PERSEUS_PLUGIN_DENORMAL_PASS_H

#include "gcc-plugin/base/gcc-common.h"

/* Right after ssa, in the compiler proper: mark the operations. */
gimple_opt_pass *make_pass_den_mark(gcc::context *ctxt);

/* Between the loop optimizers, before if-conversion: marks in innermost loops become sums. */
gimple_opt_pass *make_pass_den_loops(gcc::context *ctxt);

/* Late: marks that are left add to the table; none is left behind it.  Twice, since not all levels have the first place. */
gimple_opt_pass *make_pass_den_rest(gcc::context *ctxt);

#endif
