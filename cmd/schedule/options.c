/* SPDX-License-Identifier: MIT */
/* Which options a call of `perseus schedule` reads, and what they are if they are not given. */
#include <math.h>

#include "cmd/schedule/schedule.h"
#include "scheduler/simulate/simulate.h"

const char *const schedule_loads[] = {"mixed", "atlas", "registrations", NULL};

/* Options of simulated loads that do not go together. */
static int fits_mixed(const struct cmd *cmd, const struct schedule_opts *o)
{
	if (o->swf && (!isnan(o->error) || !isnan(o->fail) || o->load != SCHEDULE_NOT_CHOSEN))
		return cmd_usage(cmd, "--%s is of made-up tasks, and --swf reads some",
				 !isnan(o->error)  ? "error"
				 : !isnan(o->fail) ? "failing"
						   : "load");
	if (!isnan(o->probe_cost))
		return cmd_usage(cmd, "--probe-cost needs --load=atlas or --load=registrations");
	return 0;
}

static int fits_molded(const struct cmd *cmd, const struct schedule_opts *o)
{
	if (o->swf || o->policy != SCHEDULE_NOT_CHOSEN || o->effort != SCHEDULE_NOT_GIVEN || !isnan(o->fail))
		return cmd_usage(cmd, "--%s is not for --load=%s",
				 o->swf                             ? "swf"
				 : o->policy != SCHEDULE_NOT_CHOSEN ? "policy"
				 : o->effort != SCHEDULE_NOT_GIVEN  ? "effort"
								    : "failing",
				 schedule_loads[o->load]);
	return 0;
}

int schedule_fits(const struct cmd *cmd, const struct schedule_opts *o, unsigned call)
{
	const struct {
		const char *name;
		bool given;
		unsigned read_by;
	} all[] = {
		{"method", o->method != METHODS, SCHEDULE_MAKES},
		{"effort", o->effort != SCHEDULE_NOT_GIVEN, SCHEDULE_MAKES | SCHEDULE_SIMULATES},
		{"timeout", o->timeout_s != SCHEDULE_NOT_GIVEN, SCHEDULE_MAKES},
		{"output", o->output, SCHEDULE_MAKES},
		{"slurm", o->slurm, SCHEDULE_MAKES},
		{"log", o->log, SCHEDULE_MAKES},
		{"swf", o->swf, SCHEDULE_SIMULATES},
		{"policy", o->policy != SCHEDULE_NOT_CHOSEN, SCHEDULE_SIMULATES},
		{"tasks", o->tasks != SCHEDULE_NOT_GIVEN, SCHEDULE_SIMULATES},
		{"nodes", o->nodes != SCHEDULE_NOT_GIVEN, SCHEDULE_SIMULATES},
		{"error", !isnan(o->error), SCHEDULE_SIMULATES},
		{"failing", !isnan(o->fail), SCHEDULE_SIMULATES},
		{"load", o->load != SCHEDULE_NOT_CHOSEN, SCHEDULE_SIMULATES},
		{"probe-cost", !isnan(o->probe_cost), SCHEDULE_SIMULATES},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].given && !(all[i].read_by & call))
			return cmd_usage(cmd,
					 call == SCHEDULE_CHECKS ? "--%s is not for 'check'"
					 : all[i].read_by == SCHEDULE_SIMULATES
						 ? "--%s needs 'simulate'"
						 : "--%s is not for 'simulate'",
					 all[i].name);
	if (o->log && !o->slurm)
		return cmd_usage(cmd, "--log needs --slurm");
	return o->load == SCHEDULE_NOT_CHOSEN || o->load == SCHEDULE_LOAD_MIXED ? fits_mixed(cmd, o)
										: fits_molded(cmd, o);
}

void schedule_defaults(struct schedule_opts *o)
{
	o->method = o->method == METHODS ? METHOD_AUTO : o->method;
	o->policy = o->policy == SCHEDULE_NOT_CHOSEN ? POLICIES : o->policy;
	o->effort = o->effort == SCHEDULE_NOT_GIVEN ? 100 : o->effort;
	o->timeout_s = o->timeout_s == SCHEDULE_NOT_GIVEN ? 10 : o->timeout_s;
	o->tasks = o->tasks == SCHEDULE_NOT_GIVEN ? 60 : o->tasks;
	o->nodes = o->nodes == SCHEDULE_NOT_GIVEN ? 16 : o->nodes;
	o->error = isnan(o->error) ? 20 : o->error;
	o->fail = isnan(o->fail) ? 5 : o->fail;
	o->probe_cost = isnan(o->probe_cost) ? 4 : o->probe_cost;
	o->load = o->load == SCHEDULE_NOT_CHOSEN ? SCHEDULE_LOAD_MIXED : o->load;
}
