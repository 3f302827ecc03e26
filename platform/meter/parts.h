/* SPDX-License-Identifier: MIT */
/* Inside of platform/meter: one finder for each class of the kernel. */
#ifndef PERSEUS_PLATFORM_METER_PARTS_H
#define PERSEUS_PLATFORM_METER_PARTS_H

#include "platform/meter/meter.h"

/* Append what the class has. */
void meter_find_powercap(struct meter_sources *out, const char *sysroot);
void meter_find_pmu(struct meter_sources *out, const char *sysroot);
void meter_find_hwmon(struct meter_sources *out, const char *sysroot);

/* Names below @sysroot that match @pattern, without the sysroot, in the order of their numbers. */
struct meter_paths VEC(char *);
void meter_glob(struct meter_paths *out, const char *sysroot, const char *pattern);
void meter_glob_release(struct meter_paths *paths);

/* The number in the small file @path: 0 or a negative errno (-ENODATA: empty, -EINVAL: no number). */
int meter_number(const char *sysroot, const char *path, double *out);

/* The word in the file @name beside or in @path: false if there is none. */
bool meter_text(const char *sysroot, const char *path, const char *name, char *out, size_t size);

/* Open the counter of @s for all that its processor does: a descriptor or a negative errno. */
int meter_pmu_open(const struct meter_source *s);

#endif
