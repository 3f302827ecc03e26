/* SPDX-License-Identifier: MIT */
/*
 * A baseline: what a program took on a machine, in sessions, in a file that
 * can be committed.  For where the program as it was cannot be run any more.
 */
#ifndef PERSEUS_CMD_GATE_BASELINE_H
#define PERSEUS_CMD_GATE_BASELINE_H

#include "cmd/base/cmd.h"
#include "cmd/gate/gate.h"

/*
 * Measure the program and add a session to the file o->save, or make it; say
 * so on stdout.  An exit status: CMD_INCONCLUSIVE if the machine was not quiet and
 * nothing is written, CMD_DATA also for a file of another machine, program, arguments or output.
 */
int gate_baseline_run(const struct cmd *cmd, const struct gate_opts *o);

/*
 * Measure the program against the file o->baseline.  Fails as trial_run(), with -EINVAL for a
 * file that is something else, damaged, or of other arguments; f->mismatch as of gate_measure().
 */
int gate_baseline_judge(struct gate_finding *f, const struct gate_opts *o, struct err *err);

#endif
