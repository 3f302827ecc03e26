/* SPDX-License-Identifier: MIT */
#include "platform/base/pin.h"

#include <errno.h>
#include <stdlib.h>

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

#define MASK_CPUS 65536 /* beyond what any kernel is built for */

cpu_set_t *pin_save(void)
{
	cpu_set_t *set = calloc(1, CPU_ALLOC_SIZE(MASK_CPUS));

	if (set && sched_getaffinity(0, CPU_ALLOC_SIZE(MASK_CPUS), set)) {
		free(set);
		return NULL;
	}
	return set;
}

void pin_restore(cpu_set_t *saved)
{
	if (saved)
		sched_setaffinity(0, CPU_ALLOC_SIZE(MASK_CPUS), saved);
	free(saved);
}
