/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multiplications that the plain build contracts with the addition behind them. */
#ifndef PERSEUS_PLUGIN_DENORMAL_FUSE_H
#define PERSEUS_PLUGIN_DENORMAL_FUSE_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * No mark of @fun is about a product that may be contracted: such a use would
 * prevent it, and the result would be another one.  The mark of the addition
 * becomes one of a fused operation.
 */
void den_fuse(function *fun);

/* May products of @type be contracted? */
bool den_fuse_type(tree type);

/*
 * split_block() behind @last.  GCC contracts only inside of a block, so products whose sums come to lie in
 * the second block go there, too.
 */
edge den_fuse_split(gimple *last);

#endif
