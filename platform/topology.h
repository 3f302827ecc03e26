/* SPDX-License-Identifier: MIT */
/*
 * The machine as the operating system describes it.  @sysroot stands before
 * every /sys and /proc path; "" is this machine, anything else a copy or a
 * fake of another one.
 */
#ifndef PERSEUS_PLATFORM_TOPOLOGY_H
#define PERSEUS_PLATFORM_TOPOLOGY_H

#include "lib/err.h"
#include "yaml/platform.h"

/*
 * Fill @p with what can be read: cores, packages, caches, hardware threads,
 * frequency domains and steps, and which cores this process may use
 * (affinity mask and cpuset; of a foreign sysroot /proc/self/status).  Prices
 * stay 0, watts unknown, and without cpufreq there is one step, of the
 * frequency in /proc/cpuinfo.  Fails with -ENOENT (no machine below the
 * sysroot) or -ENOTSUP (more than PLATFORM_MAX_CORES cores).
 */
int platform_read(struct platform *p, const char *sysroot, struct err *err);

/*
 * The cores of a list such as "0-3,8": sets @in[core] for cores below @n.
 * Returns 0 or -EINVAL.
 */
int platform_parse_list(const char *list, bool *in, uint32_t n);

#endif
