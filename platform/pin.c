/* SPDX-License-Identifier: MIT */
#include "platform/pin.h"

#include <errno.h>
#include <sched.h>

int pin_thread(uint32_t core)
{
	size_t size = CPU_ALLOC_SIZE(core + 1);
	cpu_set_t *set = CPU_ALLOC(core + 1);
	int ret;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(core, size, set);
	ret = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return ret;
}
