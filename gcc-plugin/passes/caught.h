/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was open inside a function ends where it catches an exception. */
#ifndef PERSEUS_PLUGIN_CAUGHT_H
#define PERSEUS_PLUGIN_CAUGHT_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * If @fun catches exceptions: a depth probe where it begins, and a leave probe
 * with its result on each way to a handler.  @site: any call slot that has a
 * probe in @fun; @behind: the first block holds an enter probe of its own.
 */
void caught_probe(function *fun, unsigned site, bool behind);

#endif
