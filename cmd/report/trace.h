/* SPDX-License-Identifier: MIT */
/* `perseus report --trace` and `--timeline`. */
#ifndef PERSEUS_CMD_REPORT_TRACE_H
#define PERSEUS_CMD_REPORT_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/base/cmd.h"
#include "lib/err.h"
#include "record/run.h"
#include "report/time/types.h"

struct report_trace_opts {
	bool wanted;
	size_t timeline; /* calls to show in order; 0: the figures instead */
};

/* Take the value of --timeline: 0 or -EINVAL with the reason. */
int report_trace_timeline(struct report_trace_opts *o, const char *value, struct err *err);

/* Print what the trace of @run says, failures in the name of @cmd; an exit status, CMD_DATA if it is not whole. */
int report_trace_print(const struct cmd *cmd, const struct report_trace_opts *o, const struct run *run,
		       const struct report_view *view, bool json);

#endif
