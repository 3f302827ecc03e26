/* SPDX-License-Identifier: MIT */
#include "cmd/record/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/record/budget.h"
#include "lib/num.h"

/* How lines are watched only makes sense where they are, and a trace has every access. */
static int check_sharing(const struct record_options *o, struct err *err)
{
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

static bool is_mode(const char *s)
{
	return !strcmp(s, "adaptive") || !strcmp(s, "precise") || !strcmp(s, "rate");
}

static int set_purpose(struct record_options *o, const char *value, struct err *err)
{
	if (strcmp(value, "timing") && strcmp(value, "sharing"))
		return err_set(err, -EINVAL, "--purpose=%s: expected timing or sharing", value);
	o->purpose = value;
	return 0;
}

static int set_sharing(struct record_options *o, const char *value, struct err *err)
{
	if (!is_mode(value))
		return err_set(err, -EINVAL, "--sharing=%s: expected adaptive, precise or rate", value);
	o->sharing = value;
	return 0;
}

static int set_number(uint64_t *to, const char *name, const char *value, uint64_t max, struct err *err)
{
	if (num_u64(value, 1, max, to))
		return err_set(err, -EINVAL, "--%s=%s: expected 1 to %" PRIu64, name, value, max);
	return 0;
}

/* Option @name, whose letter is @c.  0, -EINVAL, or 1 if there is no such option. */
static int set_option(struct record_options *o, int c, const char *name, const char *value, struct err *err)
{
	switch (c) {
	case 'o':
		o->out = value;
		return *value ? 0 : err_set(err, -EINVAL, "--output: expected the name of a folder");
	case 'q':
		o->quiet = true;
		return 0;
	case 's':
		return record_start_option(&o->start, name, value, err);
	case 'B':
		return record_budget_parse(value, &o->budget_ppm, err);
	case 't':
		return record_trace_option(&o->trace, name, value, err);
	case 'e':
		return record_events_parse(&o->events, value, err);
	case 'p':
		return set_purpose(o, value, err);
	case 'S':
		return set_sharing(o, value, err);
	case 'b':
		return set_number(&o->block_us, name, value, 10000000, err);
	case 'l':
		return set_number(&o->limit_mb, name, value, 1 << 20, err);
	default:
		return 1;
	}
}

int record_options_read(struct record_options *o, const struct cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"purpose", required_argument, NULL, 'p'},
		{"sharing", required_argument, NULL, 'S'},
		{"block-us", required_argument, NULL, 'b'},
		{"limit-mb", required_argument, NULL, 'l'},
		{"quiet", no_argument, NULL, 'q'},
		{"start-signal", required_argument, NULL, 's'},
		{"delay", required_argument, NULL, 's'},
		{"duration", required_argument, NULL, 's'},
		{"events", required_argument, NULL, 'e'},
		{"trace", no_argument, NULL, 't'},
		{"trace-full", required_argument, NULL, 't'},
		{"trace-buffer", required_argument, NULL, 't'},
		{"budget", required_argument, NULL, 'B'},
		{NULL, 0, NULL, 0},
	};
	struct err err = ERR_INIT;
	int c, which = 0;

	*o = (struct record_options){.purpose = "timing", .block_us = 20, .limit_mb = 1024};
	record_trace_defaults(&o->trace);
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:o:q", options, &which)) != -1) {
		int ret = set_option(o, c, options[which].name, optarg, &err);

		if (ret)
			return ret < 0 ? cmd_usage(cmd, "%s", err.msg) : cmd_bad_option(cmd, c, argv);
	}
	if (check_sharing(o, &err) || record_start_check(&o->start, &err) ||
	    record_budget_check(o->budget_ppm, !strcmp(o->purpose, "sharing"), o->trace.wanted, &err))
		return cmd_usage(cmd, "%s", err.msg);
	o->program = argv + optind;
	return *o->program ? 0 : cmd_usage(cmd, "no program given");
}
