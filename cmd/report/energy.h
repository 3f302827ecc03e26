/* SPDX-License-Identifier: MIT */
/* `perseus report --energy`. */
#ifndef PERSEUS_CMD_REPORT_ENERGY_H
#define PERSEUS_CMD_REPORT_ENERGY_H

#include "cmd/base/cmd.h"
#include "record/run.h"
#include "report/energy/energy.h"

struct report_energy_opts {
	bool wanted;
	enum energy_rule rule;
	const char *model; /* energy.yaml; NULL: none */
	const char *meter; /* file of a meter that was fetched after the run; NULL: none */
};

/* Take the value of --energy-rule. */
int report_energy_take_rule(const struct cmd *cmd, const char *name, const char *value, void *to);

/* Is the value of --meter one, whatever is in the file?  0 or -EINVAL. */
int report_energy_check_meter(const char *meter, struct err *err);

/* Print the joules of @run, failures in the name of @cmd; an exit status, CMD_MACHINE if there are none. */
int report_energy_print(const struct cmd *cmd, const struct report_energy_opts *o, const struct run *run,
			const struct report_view *view, bool json);

#endif
