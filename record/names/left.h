/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_RECORD_NAMES_LEFT_H
#define PERSEUS_RECORD_NAMES_LEFT_H

#include "record/names/names.h"

/*
 * Calls that an exception or longjmp() left have no end: a record has them open
 * for ever.  Take out of each thread's open calls those that cannot be open any
 * more, and count them in run_thread.n_left.  For a run whose sites are bound.
 */
void left_calls_drop(struct run *run);

#endif
