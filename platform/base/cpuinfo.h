/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_PLATFORM_BASE_CPUINFO_H
#define PERSEUS_PLATFORM_BASE_CPUINFO_H

#include <stddef.h>

/* The value of the first line "@key : value" of /proc/cpuinfo, into @buf; -ENOENT. */
int platform_cpuinfo(const char *sysroot, const char *key, char *buf, size_t size);

#endif
