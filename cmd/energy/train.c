/* SPDX-License-Identifier: MIT */
/* perseus energy train: programs, progress, and what came of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/energy/energy.h"
#include "lib/mem.h"
#include "lib/num.h"

#define PROGRAMS 100
#define SECONDS  2.0
#define BUDGET   1800.0

static void energy_tell(void *arg, const struct train_progress *p)
{
	char left[32], mhz[32] = "";

	(void)arg;
	if (isatty(STDERR_FILENO))
		cmd_again(stderr);
	if (p->mhz > 0)
		snprintf(mhz, sizeof(mhz), " at %.0f MHz", p->mhz);
	cmd_say(stderr, "train     row %" PRIu64 " of %" PRIu64 ", %s left: %s on %" PRIu64 " core%s%s%s",
		p->had + p->done + 1, p->all, num_time(left, sizeof(left), p->left), p->program, p->cores,
		p->cores == 1 ? "" : "s", mhz, isatty(STDERR_FILENO) ? "" : "\n");
}

static struct train_options options_of(const struct energy_request *r)
{
	struct train_options o = r->train;

	o.output = r->output ? r->output : "training.csv";
	o.events = r->fit.columns.events;
	o.compiler = o.compiler ? o.compiler : "gcc";
	o.sysroot = o.sysroot ? o.sysroot : "";
	o.programs = o.programs ? o.programs : PROGRAMS;
	o.seed = o.seed ? o.seed : 1;
	o.seconds = o.seconds > 0 ? o.seconds : SECONDS;
	o.budget = o.budget > 0 ? o.budget : BUDGET;
	o.most_cores = (uint64_t)r->cores;
	return o;
}

/* All steps, if perseusd lends them; else the one that is set, and why. */
static void find_steps(const struct energy_request *r, struct energy_steps *steps, struct train_options *o)
{
	struct err err = ERR_INIT;

	if (r->no_steps || !energy_steps_open(steps, o->sysroot, &o->steps, &err))
		return;
	o->steps.n = 0;
	cmd_say(stderr, "note      one frequency, the one that is set: %s\n", err.msg);
}

int energy_run_train(const struct cmd *cmd, const struct energy_request *r)
{
	struct train_options o = options_of(r);
	struct energy_steps *steps = mem_new(1, sizeof(*steps));
	struct err err = ERR_INIT;
	struct train_progress p;
	uint64_t rows;
	int ret;

	steps->socket = r->socket;
	steps->link.client.fd = -1;
	find_steps(r, steps, &o);
	ret = train_run(&o, energy_tell, NULL, &p, &err);
	energy_steps_close(steps);
	free(steps);
	rows = p.had + p.done;
	if (isatty(STDERR_FILENO) && p.done)
		cmd_say(stderr, "\n");
	if (p.not_held)
		cmd_say(stderr,
			"note      %zu of %zu frequency steps left out: something else was in force\n",
			p.not_held, o.steps.n);
	if (ret == -ENOENT || ret == -EACCES || ret == -EIO)
		return cmd_fail(cmd, &err, CMD_MACHINE);
	if (ret)
		return cmd_fail(cmd, &err, cmd_status(&err));
	if (rows < p.all)
		cmd_print("wrote %s: %" PRIu64 " of %" PRIu64 " rows; the same command goes on\n", o.output,
			  rows, p.all);
	else
		cmd_print("wrote %s: all %" PRIu64 " rows\n", o.output, rows);
	cmd_print("next      perseus energy fit %s\n", o.output);
	return CMD_OK;
}
