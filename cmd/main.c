/* SPDX-License-Identifier: MIT */
/* perseus: the driver.  One table; `perseus help` draws the data's way from it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "cmd/verbs.h"
#include "lib/fs.h"

#define DECLARE(verb) extern const struct cmd cmd_##verb;
CMD_VERBS(DECLARE)

#define ENTRY(verb) &cmd_##verb,
static const struct cmd *const verbs[] = {CMD_VERBS(ENTRY)};

static const struct cmd *find(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	return NULL;
}

static void help_verb(const struct cmd *c, FILE *out)
{
	cmd_say(out, "  %-10s %s\n", c->name, c->summary);
	if (c->reads)
		cmd_say(out, "  %-10s   %s -> %s\n", "", c->reads, c->writes ? c->writes : "text");
}

static void help(FILE *out)
{
	cmd_put(out, "usage: perseus VERB [OPTION...]\n\n"
		     "Finds where the threads of a program fight each other, plans their placement,\n"
		     "and writes it down as C that a reviewer can sign.  The data's way:\n\n");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		help_verb(verbs[i], out);
	cmd_put(out, "\nperseus VERB --help says more.  Exit codes: 0 done, 1 mismatch or limit passed,\n"
		     "2 usage, 3 this machine cannot, 4 data incomplete or corrupt, 5 inconclusive.\n");
}

int main(int argc, char **argv)
{
	char help_option[] = "--help";
	const struct cmd *cmd;
	int status;

	fs_hold_standard();
	if (argc < 2) {
		help(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		cmd_print("%s\n", "perseus " PERSEUS_VERSION);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		if (argc < 3) {
			help(stdout);
			return CMD_OK;
		}
		argv[1] = argv[2];
		argv[2] = help_option;
		argc = 3;
	}
	cmd = find(argv[1]);
	if (!cmd) {
		cmd_say(stderr, "perseus: unknown verb '%s'\n  perseus help lists the verbs\n", argv[1]);
		return CMD_USAGE;
	}
	status = cmd->run(argc - 1, argv + 1);
	if (status == CMD_HELP) {
		cmd_put(stdout, cmd->usage);
		status = CMD_OK;
	}
	/* A full disk behind stdout must not look like success. */
	if ((fflush(stdout) || ferror(stdout)) && (status == CMD_OK || status == CMD_FINDINGS)) {
		cmd_say(stderr, "perseus %s: cannot write the output\n", cmd->name);
		return CMD_MACHINE;
	}
	return status;
}
