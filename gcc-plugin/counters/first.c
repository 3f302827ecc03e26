/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/counters/first.h"

static bool asked;

void den_passes_begin(void *, void *)
{
	asked = false;
}

bool den_is_first_pass(void)
{
	bool first = !asked;

	asked = true;
	return first;
}
