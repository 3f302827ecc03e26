/* SPDX-License-Identifier: MIT */
/* perseus verify: executes the stand-alone verifier, which alone is qualified.  See perseus-verify(1). */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

const struct cmd cmd_verify;

static int run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	char path[PATH_MAX];

	if (cmd_wants_help(argc, argv))
		return CMD_HELP;
	if (cmd_part("verify", path, sizeof(path), &err)) {
		err_advise(&err, "it is built from verify/ and installed beside perseus");
		return cmd_fail(&cmd_verify, &err, CMD_MACHINE);
	}
	execv(path, argv);
	err_set(&err, -errno, "cannot execute '%s': %s", path, strerror(errno));
	return cmd_fail(&cmd_verify, &err, CMD_MACHINE);
}

const struct cmd cmd_verify = {
	.name = "verify",
	.summary = "say whether a binary carries exactly the triggers of a plan",
	.reads = "plan.yaml, program",
	.writes = "verdict",
	.usage = "usage: perseus verify PLAN BINARY [--objects OBJECT...]\n\n"
		 "Says whether BINARY carries exactly the triggers of PLAN and no probe: plan hash,\n"
		 "table of threads, calls of each trigger, marks round the calls that create\n"
		 "threads.  The judgement is that of the stand-alone program perseus-verify, which\n"
		 "shares no code with the generator and the plugin.\n\n"
		 "  --objects OBJECT...  hold the object files it was linked from against both:\n"
		 "                       calls by relocation, code of the generated functions\n\n"
		 "exit codes: 0 equal, 1 different, 2 usage, 4 a file cannot be judged\n",
	.run = run,
};
