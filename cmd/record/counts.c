/* SPDX-License-Identifier: MIT */
#include "cmd/record/counts.h"

#include <errno.h>

#include "recorder/counts.h"

#define HOW "rebuild it with -fplugin-arg-perseus-probe=denormal beside -fplugin=perseus.so"

int record_counts_check(const struct record_options *o, struct err *err)
{
	const char *what = o->sharing             ? "--sharing"
			   : o->trace.wanted      ? "--trace"
			   : o->events.n          ? "--events"
			   : o->budget_ppm        ? "--budget"
			   : o->start.signal      ? "--start-signal"
			   : o->start.delay_ns    ? "--delay"
			   : o->start.duration_ns ? "--duration"
						  : NULL;

	if (!what)
		return 0;
	return err_set(err, -EINVAL,
		       "%s does not go with --purpose=denormal, which counts the whole run and times nothing",
		       what);
}

int record_counts_possible(const struct target *t, const char *program, struct err *err)
{
	if (!t->is_elf || t->elf.interpreter)
		return 0;
	err_set(err, -ENOTSUP,
		"'%s' is statically linked: the library that keeps the counts cannot be preloaded", program);
	return err_advise(err, "link it dynamically");
}

void record_counts_warn(const struct target *t, const char *program)
{
	if (t->is_elf && !counts_wanted(t->real))
		cmd_say(stderr,
			"perseus record: '%s' was not built to count denormals;\n"
			"  only what it loads or starts can be counted.  " HOW "\n",
			program);
}

int record_counts_explain(const struct target *t, const char *program, int status)
{
	bool wanted = t->is_elf && counts_wanted(t->real);

	if (wanted)
		cmd_say(stderr,
			"perseus record: nothing was counted: '%s' was built to count denormals, but no code "
			"with\n"
			"  counters ran, or it cleared its environment; no run is kept, and nothing is known "
			"of its\n"
			"  denormals (the program ended with %d)\n",
			program, status);
	else
		cmd_say(stderr,
			"perseus record: nothing was counted: '%s' has no code with counters, so nothing is "
			"known of\n"
			"  its denormals; " HOW "\n"
			"  (the program ended with %d)\n",
			program, status);
	return wanted && status ? status : CMD_OWN_FAILURE;
}
