/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes of local variables that a function may hand to threads. */
#ifndef PERSEUS_PLUGIN_FRAME_H
#define PERSEUS_PLUGIN_FRAME_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * If @call may start a thread, by itself or through functions of the unit: a note in
 * front of it for each variable of @fun's frame that others can reach.
 */
void frame_note(function *fun, gcall *call);

#endif
