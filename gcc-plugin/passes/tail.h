/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tail calls that stay tail calls while nobody watches. */
#ifndef PERSEUS_PLUGIN_TAIL_H
#define PERSEUS_PLUGIN_TAIL_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * @call was a tail call and stands between its probes @enter and @leave, all in
 * one block: let the function choose at run time between them and a tail call
 * without probes.  Does nothing where the copy would not be worth its bytes.
 * Frees what is known of dominance.
 */
void tail_split(gcall *call, gimple *enter, gimple *leave);

#endif
