/* SPDX-License-Identifier: MIT */
/*
 * Zones of RAPL in the powercap class.  A package holds its cores and the uncore;
 * memory (dram) is beside it, psys holds the packages and more.  The zones of
 * intel-rapl-mmio are those of intel-rapl once more.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/meter/parts.h"

#define UPDATE_S 0.001 /* the hardware counts about once a millisecond */

static bool is_whole(const char *name)
{
	return !strncmp(name, "package", 7) || !strcmp(name, "dram");
}

static void add_zone(struct meter_sources *out, const char *sysroot, const char *zone)
{
	struct meter_source *s;
	char name[64], file[4200];
	double value;

	s = vec_add(out);
	s->kind = METER_POWERCAP;
	s->unit = 1e-6;
	s->latency = UPDATE_S;
	/* It may be a package: then the sum of the others is none. */
	if (!meter_text(sysroot, zone, "name", name, sizeof(name))) {
		snprintf(file, sizeof(file), "%s/name", zone);
		s->name = mem_strdup(strrchr(zone, '/') + 1);
		s->path = mem_strdup(file);
		s->whole = true;
		s->error = ENODATA;
		return;
	}
	snprintf(file, sizeof(file), "%s/max_energy_range_uj", zone);
	s->range = meter_number(sysroot, file, &value) || value < 0 ? 0 : value * 1e-6;
	snprintf(file, sizeof(file), "%s/energy_uj", zone);
	s->error = -meter_number(sysroot, file, &value);
	s->path = mem_strdup(file);
	s->name = mem_strdup(name);
	s->whole = is_whole(name);
}

void meter_find_powercap(struct meter_sources *out, const char *sysroot)
{
	struct meter_paths zones = VEC_INIT;

	meter_glob(&zones, sysroot, "/sys/class/powercap/intel-rapl:*");
	for (size_t i = 0; i < zones.n; i++)
		add_zone(out, sysroot, zones.at[i]);
	meter_glob_release(&zones);
}
