/* SPDX-License-Identifier: MIT */
/* Finding the functions behind; a static program has them by name. */
#ifndef PRS_STATIC

#include "runtime/base/find.h"
#include "runtime/wrap/real.h"

struct rt_real rt_real_table;

#define RT_REAL_NAME(name, result, params, version) {#name, version},
static const struct {
	const char *name, *version;
} wanted[] = {RT_REALS(RT_REAL_NAME) RT_TEAM_REALS(RT_REAL_NAME)};

void *real_find(uint32_t i)
{
	void *found = find_behind(&rt_real_table, wanted[i].name, wanted[i].version);

	rt_publish((void **)&rt_real_table + i, found);
	return found;
}

/* All that there are, before any handler or forked child needs one of them: looking up takes locks. */
static __attribute__((constructor)) void find_all(void)
{
	for (uint32_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		real_get(i);
}
#else
typedef int nothing_to_find;
#endif
