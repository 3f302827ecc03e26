/* SPDX-License-Identifier: MIT */
/*
 * Sensors of the hwmon class: energy*_input in microjoules, power*_input or
 * power*_average in microwatts.  A device may have a sensor for each core beside those
 * of the sockets: where some are of sockets or packages, those are the sum; else
 * the only one is, and of several nobody knows.
 */
#include <stdio.h>
#include <string.h>

#include "platform/meter/parts.h"

#define UPDATE_S 1.0 /* of a device that does not say */

static bool is_of_socket(const char *label)
{
	return strcasestr(label, "socket") || strcasestr(label, "package") || strcasestr(label, "cpu power");
}

static double interval_of(const char *sysroot, const char *device)
{
	char file[4200];
	double ms;

	snprintf(file, sizeof(file), "%s/update_interval", device);
	return meter_number(sysroot, file, &ms) || ms <= 0 ? UPDATE_S : ms * 1e-3;
}

/* The sensors of one device and kind, whose names end with @input behind a number. */
static void add_sensors(struct meter_sources *out, const char *sysroot, const char *device,
			enum meter_kind kind, const char *pattern)
{
	struct meter_paths files = VEC_INIT;
	char full[4200], chip[64] = "hwmon", label[64], what[16];
	size_t begin = out->n, sockets = 0;
	double value;

	meter_text(sysroot, device, "name", chip, sizeof(chip));
	snprintf(full, sizeof(full), "%s/%s", device, pattern);
	meter_glob(&files, sysroot, full);
	for (size_t i = 0; i < files.n; i++) {
		const char *base = strrchr(files.at[i], '/') + 1;
		struct meter_source *s = vec_add(out);

		snprintf(what, sizeof(what), "%.*s", (int)strcspn(base, "_"), base);
		snprintf(full, sizeof(full), "%s_label", what);
		if (!meter_text(sysroot, device, full, label, sizeof(label)))
			snprintf(label, sizeof(label), "%s", what);
		snprintf(full, sizeof(full), "%s %s", chip, label);
		*s = (struct meter_source){.kind = kind, .unit = 1e-6, .name = mem_strdup(full)};
		s->latency = interval_of(sysroot, device);
		s->path = mem_strdup(files.at[i]);
		s->error = -meter_number(sysroot, files.at[i], &value);
		s->whole = is_of_socket(label);
		sockets += s->whole;
	}
	if (!sockets && files.n == 1)
		out->at[begin].whole = true;
	meter_glob_release(&files);
}

void meter_find_hwmon(struct meter_sources *out, const char *sysroot)
{
	struct meter_paths devices = VEC_INIT;

	meter_glob(&devices, sysroot, "/sys/class/hwmon/hwmon*");
	for (size_t i = 0; i < devices.n; i++)
		add_sensors(out, sysroot, devices.at[i], METER_ENERGY, "energy*_input");
	for (size_t i = 0; i < devices.n; i++) {
		size_t n = out->n;

		add_sensors(out, sysroot, devices.at[i], METER_POWER, "power*_input");
		if (out->n == n)
			add_sensors(out, sysroot, devices.at[i], METER_POWER, "power*_average");
	}
	meter_glob_release(&devices);
}
