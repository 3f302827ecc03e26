/* SPDX-License-Identifier: MIT */
/* The state of the process, which all folders of the runtime see. */
#include "runtime/base/rt.h"

struct rt rt;
