/* SPDX-License-Identifier: MIT */
/* A meter's file and a run: joules, or why there are none. */
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "record/power/align.h"
#include "record/power/meter-file.h"

/* Of one machine: outside of them perhaps another unit was meant. */
#define MUCH_W   500
#define LITTLE_W 0.2

/* What was said of another source before goes. */
static void joules_forget(struct joules *j)
{
	free(j->source);
	free(j->reason);
	free(j->remedy);
	free(j->power);
	j->source = j->reason = j->remedy = NULL;
	j->power = NULL;
	j->n_power = 0;
	j->joules = j->error = j->step = j->interval = j->shift = j->drift = j->alignment_error =
		j->idle_watts = 0;
	j->readings = j->missing = j->doubled = j->wraps = 0;
}

void joules_absent(struct joules *j, const char *message)
{
	const char *advice = strchr(message, '\n');
	size_t len = strcspn(message, "\n");

	joules_forget(j);
	j->alignment = JOULES_SAME_CLOCK;
	j->reason = mem_strndup(message, len);
	if (advice)
		j->remedy = mem_strndup(advice + 1 + strspn(advice + 1, " "),
					strcspn(advice + 1 + strspn(advice + 1, " "), "\n"));
}

/* What is outside of what machines draw gets a note, unless the unit was said. */
static void doubt_unit(struct joules *j, const struct meter_file_options *o)
{
	const char *file = fs_base_name(o->path);
	double watts = j->joules / j->seconds;

	if (o->unit)
		return;
	if (watts > MUCH_W && !(o->resistor > 0))
		joules_note(
			j,
			"%.4g W is much: if the file has mW, --meter=%s,unit=mW says so, and unit=W that it "
			"has not",
			watts, file);
	if (watts < LITTLE_W && o->resistor > 0)
		joules_note(j, "%.4g W is little: is the resistor of %g ohm right, and are the points volts?",
			    watts, o->resistor);
	else if (watts < LITTLE_W)
		joules_note(j, "%.4g W is little: --meter=%s,unit=W says that its power is in watts", watts,
			    file);
}

int meter_file_measure(struct joules *j, const struct meter_file_options *o, struct err *err)
{
	struct align_run run = {j->seconds, j->started, j->busy, j->n_busy, j->window};
	struct strbuf name = STRBUF_INIT;
	struct series s;
	struct align a;
	int ret = meter_file_read(&s, o, err);

	joules_forget(j);
	if (!ret) {
		ret = align_find(&a, &s, &run, err);
		if (!ret)
			ret = align_joules(j, &s, &a, &run, err);
		series_release(&s);
		if (ret)
			err_prefix(err, "'%s'", o->path);
	}
	if (ret) {
		joules_absent(j, err->msg);
		return ret;
	}
	doubt_unit(j, o);
	strbuf_printf(&name, "meter %s", fs_base_name(o->path));
	j->source = strbuf_detach(&name);
	return 0;
}
