/* SPDX-License-Identifier: MIT */
/* Names of what was called by a pointer in libraries without probes. */
#ifndef PERSEUS_RECORDER_CALLEES_H
#define PERSEUS_RECORDER_CALLEES_H

#include "platform/events/samples.h"

#include "lib/err.h"

/*
 * Write the file `callees` (record/callees.h) of the run in @dir, from what its
 * program had mapped.  A callee without a symbol is called `libNAME.so.N+0xOFFSET`.
 */
int callees_write(const char *dir, const struct samples_maps *maps, struct err *err);

#endif
