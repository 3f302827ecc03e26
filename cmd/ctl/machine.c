/* SPDX-License-Identifier: MIT */
/* perseus ctl run: what the machine says of the cpus that are leased. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ctl/ctl.h"
#include "lib/fs.h"
#include "platform/topology.h"

/* True if one of the frequencies in @steps is in the range that was asked for. */
static bool has_step(const char *steps, const struct prs_ctl_request *q)
{
	char text[1024], *save = NULL;

	snprintf(text, sizeof(text), "%s", steps);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		unsigned long khz = strtoul(w, NULL, 10);

		if (khz >= q->min_khz && khz <= q->max_khz)
			return true;
	}
	return false;
}

void ctl_advise_limits(const struct prs_ctl_request *q, struct err *err)
{
	uint32_t cpu = ctl_first(q->cpus);
	char path[96], steps[1024];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/scaling_available_frequencies", cpu);
	if (!fs_read_small("", path, steps, sizeof(steps)) && *steps && !has_step(steps, q))
		err_advise(err,
			   "the steps of cpu %" PRIu32 " are %.100s kHz; nothing between them can be had",
			   cpu, steps);
	else
		err_advise(err, "something else limits these cpus: temperature, firmware, or the driver");
}

uint32_t ctl_free_sibling(const prs_u8 cpus[PRS_CTL_CPUS / 8], uint32_t cpu)
{
	bool siblings[PRS_CTL_CPUS] = {false};
	char path[96], list[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%" PRIu32 "/topology/thread_siblings_list",
		 cpu);
	if (fs_read_small("", path, list, sizeof(list)) || platform_parse_list(list, siblings, PRS_CTL_CPUS))
		return PRS_CTL_CPUS;
	for (uint32_t c = 0; c < PRS_CTL_CPUS; c++)
		if (siblings[c] && !ctl_cpus_has(cpus, c))
			return c;
	return PRS_CTL_CPUS;
}
