/* SPDX-License-Identifier: MIT */
/* Who sets frequency steps for `perseus calibrate`: perseusd, else cpufreq's files. */
#ifndef PERSEUS_CMD_CTL_CALIBRATE_H
#define PERSEUS_CMD_CTL_CALIBRATE_H

#include "cmd/ctl/ctl.h"
#include "platform/hold.h"
#include "platform/steps.h"

struct calibrate_control {
	const char *socket; /* of perseusd, NULL: the usual one */
	const struct platform *platform;
	struct ctl_link link;
	uint32_t lease, leased_core; /* of perseusd, 0: none yet */
	struct hold *hold;
};

/* As calibrate_options.find_control; @context is a struct calibrate_control. */
int calibrate_control_find(void *context, const struct platform *p, struct step_control *control,
			   struct err *err);

#endif
