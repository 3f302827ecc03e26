/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_RECORD_NAMES_DEALT_H
#define PERSEUS_RECORD_NAMES_DEALT_H

#include "record/names/names.h"

/*
 * The calls of a sampled indirect call are dealt to its callees by whom the samples met.
 * Where the callees' own call sites, whose counts are exact, say how often each was
 * called, and all of it is the indirect call's exact count, set run_thread.totals to that
 * and rec_call.dealt to false; true: an estimate, of which fewer and more are set.  For a
 * run whose sites are bound.
 */
void dealt_calls_settle(struct run *run);

#endif
