/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PERSEUS_PLUGIN_DENORMAL_VECTOR_H
#define PERSEUS_PLUGIN_DENORMAL_VECTOR_H

#include "gcc-plugin/base/gcc-common.h"

/* Would the vectoriser take @loop, an innermost one, as far as can be told before?  Either answer is safe. */
bool den_vectorisable(class loop *loop);

#endif
