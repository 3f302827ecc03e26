/* SPDX-License-Identifier: MIT */
#include "cmd/record/options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cmd/record/budget.h"
#include "cmd/record/counts.h"
#include "cmd/base/option.h"

/* How lines are watched only makes sense where they are, and a trace has every access. */
static int check_purpose(const struct record_options *o, struct err *err)
{
	if (o->trap_rate && !o->trap)
		return err_set(err, -EINVAL, "--trap-rate limits traps: add --purpose=denormal --trap");
	if (!strcmp(o->purpose, "denormal"))
		return record_counts_check(o, err);
	if (o->trap)
		return err_set(err, -EINVAL, "--trap counts denormals: add --purpose=denormal");
	if (!o->sharing)
		return 0;
	if (strcmp(o->purpose, "sharing"))
		return err_set(err, -EINVAL,
			       "--sharing=%s says how lines are watched, and a timing run watches none: "
			       "add --purpose=sharing",
			       o->sharing);
	if (o->trace.wanted && strcmp(o->sharing, "precise"))
		return err_set(err, -EINVAL,
			       "--sharing=%s looks at a part of the accesses, --trace at all of them: "
			       "leave one of them out",
			       o->sharing);
	return 0;
}

static int take_output(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct record_options *o = to;

	o->out = value;
	return *value ? 0 : cmd_usage(cmd, "--%s: expected the name of a folder", name);
}

static int take_purpose(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	static const char *const words[] = {"timing", "sharing", "denormal", NULL};
	struct record_options *o = to;

	o->purpose = value;
	return option_choice(cmd, name, value, words) < 0 ? CMD_USAGE : 0;
}

static int take_sharing(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	static const char *const words[] = {"adaptive", "precise", "rate", NULL};
	struct record_options *o = to;

	o->sharing = value;
	return option_choice(cmd, name, value, words) < 0 ? CMD_USAGE : 0;
}

static int take_budget(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct record_options *o = to;
	struct err err = ERR_INIT;

	(void)name;
	return record_budget_parse(value, &o->budget_ppm, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

static int take_start(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct err err = ERR_INIT;

	return record_start_option(to, name, value, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

static int take_trace(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct err err = ERR_INIT;

	return record_trace_option(to, name, value, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

static int take_energy(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct err err = ERR_INIT;

	return record_energy_option(to, name, value, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

static int take_events(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct err err = ERR_INIT;

	(void)name;
	return record_events_parse(to, value, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

int record_options_read(struct record_options *o, const struct cmd *cmd, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_CALL_LETTER('o', "output", take_output, o),
		OPTION_CALL("purpose", take_purpose, o),
		OPTION_CALL("sharing", take_sharing, o),
		OPTION_COUNT("block-us", &o->block_us, 1, 10000000, NULL),
		OPTION_COUNT("limit-mb", &o->limit_mb, 1, 1 << 20, NULL),
		OPTION_FLAG('q', "quiet", &o->quiet),
		OPTION_CALL("start-signal", take_start, &o->start),
		OPTION_CALL("delay", take_start, &o->start),
		OPTION_CALL("duration", take_start, &o->start),
		OPTION_CALL("events", take_events, &o->events),
		OPTION_BARE("trace", take_trace, &o->trace),
		OPTION_CALL("trace-full", take_trace, &o->trace),
		OPTION_CALL("trace-buffer", take_trace, &o->trace),
		OPTION_CALL("budget", take_budget, o),
		OPTION_MAYBE("energy", take_energy, &o->energy),
		OPTION_CALL("meter", take_energy, &o->energy),
		OPTION_TEXT(0, "sysroot", &o->energy.sysroot),
		OPTION_TEXT(0, "try", &o->plan_try.plan),
		OPTION_TEXT(0, "socket", &o->plan_try.socket),
		OPTION_FLAG(0, "trap", &o->trap),
		OPTION_COUNT("trap-rate", &o->trap_rate, 1, 100000000, NULL),
		OPTION_END,
	};
	struct err err = ERR_INIT;
	bool part;
	int ret;

	*o = (struct record_options){.purpose = "timing", .block_us = 20, .limit_mb = 1024};
	record_trace_defaults(&o->trace);
	ret = option_read(cmd, rows, argc, argv, OPTION_PROGRAM);
	if (ret)
		return ret;
	part = o->start.signal || o->start.delay_ns || o->start.duration_ns;
	if (check_purpose(o, &err) || record_start_check(&o->start, &err) || record_try_check(o, &err) ||
	    record_energy_check(&o->energy, part, !strcmp(o->purpose, "denormal"), &err) ||
	    record_budget_check(o->budget_ppm, !strcmp(o->purpose, "sharing"), o->trace.wanted, &err))
		return cmd_usage(cmd, "%s", err.msg);
	o->program = argv + optind;
	return *o->program ? 0 : cmd_usage(cmd, "no program given");
}
