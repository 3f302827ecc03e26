/* SPDX-License-Identifier: MIT */
/* Frequency domains, steps and control, from /sys/devices/system/cpu. */
#ifndef PERSEUS_PLATFORM_CPUFREQ_H
#define PERSEUS_PLATFORM_CPUFREQ_H

#include <stdbool.h>

#include "yaml/platform.h"

struct cpufreq_facts {
	bool present; /* at least one core has a policy */
	char driver[32];
	char governor[32]; /* of the first policy; "" none */
	bool can_set;      /* some file that fixes a step is writable for this process */
	uint32_t policies;
};

/*
 * Set domain of every core, steps, n_steps (>= 1) and frequency_ns of @p.
 * Without cpufreq: one domain, and one step of the frequency in
 * /proc/cpuinfo, or of 1 GHz if even that is missing.  Steps that not every
 * domain has are left out.
 */
void cpufreq_read(struct platform *p, const char *sysroot);

/* What can be said about control, for doctor. */
void cpufreq_facts(struct cpufreq_facts *f, const struct platform *p, const char *sysroot);

#endif
