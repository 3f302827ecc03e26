/* SPDX-License-Identifier: MIT */
#include "cmd/report/trace.h"

#include <errno.h>
#include <stdio.h>

#include "cmd/base/cmd.h"
#include "lib/num.h"
#include "report/trace/trace.h"

#define TIMELINE_MAX 1000000u

int report_trace_timeline(struct report_trace_opts *o, const char *value, struct err *err)
{
	uint64_t n;

	if (num_u64(value, 1, TIMELINE_MAX, &n))
		return err_set(err, -EINVAL, "--timeline=%s: expected 1 to %u calls", value, TIMELINE_MAX);
	o->wanted = true;
	o->timeline = (size_t)n;
	return 0;
}

/* Why the figures are not those of the whole program. */
static void say_why(const struct trace_figures *f)
{
	if (f->damage)
		cmd_say(stderr, "perseus report: the trace of '%s' is damaged: %s\n", f->run->path,
			f->damage);
	if (f->ended_early)
		cmd_say(stderr, "perseus report: the trace of '%s' ends before the program did\n",
			f->run->path);
	cmd_put(stderr, "  what is shown is right as far as it goes\n");
}

static int print_figures(const struct cmd *cmd, const struct run *run, const struct report_view *view,
			 bool json, struct strbuf *out, struct err *err)
{
	struct trace_figures f;
	int status;

	if (trace_read(&f, run, err))
		return cmd_fail(cmd, err, cmd_status(err));
	if (json)
		trace_json(&f, view, out);
	else
		trace_text(&f, view, out);
	status = trace_whole(&f) ? CMD_OK : CMD_DATA;
	if (f.damage || f.ended_early)
		say_why(&f);
	trace_release(&f);
	return status;
}

int report_trace_print(const struct cmd *cmd, const struct report_trace_opts *o, const struct run *run,
		       const struct report_view *view, bool json)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool whole = true;
	int status = CMD_OK;

	if (!o->timeline)
		status = print_figures(cmd, run, view, json, &out, &err);
	else if (trace_timeline(run, o->timeline, &out, &whole, &err))
		status = cmd_fail(cmd, &err, cmd_status(&err));
	if (!whole) {
		cmd_say(stderr,
			"perseus report: the trace of '%s' is not whole: perseus report --trace says why\n",
			run->path);
		status = CMD_DATA;
	}
	if (out.len)
		cmd_put(stdout, out.s);
	strbuf_release(&out);
	return status;
}
