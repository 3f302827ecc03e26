/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What new[] keeps in front of an array whose elements have a destructor. */
#ifndef PERSEUS_PLUGIN_COOKIE_H
#define PERSEUS_PLUGIN_COOKIE_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * Bytes between the start of the block that call @stmt returns and the array in it, whose
 * number of elements is kept there for delete[]; *@array: the pointer to the array.  0: none.
 */
unsigned array_cookie(gimple *stmt, tree *array);

#endif
