/* SPDX-License-Identifier: MIT */
/* perseus: the driver.  One table; `perseus help` draws the data flow from it. */
#include <gsl/gsl_errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "cmd/base/pager.h"
#include "cmd/verbs.h"
#include "lib/fs.h"
#include "lib/nearest.h"

#define DECLARE(verb) extern const struct cmd cmd_##verb;
CMD_VERBS(DECLARE)

#define ENTRY(verb) &cmd_##verb,
static const struct cmd *const verbs[] = {CMD_VERBS(ENTRY)};

static const struct cmd *cmd_main_find(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	return NULL;
}

static int unknown(const char *word)
{
	const char *names[sizeof(verbs) / sizeof(verbs[0])], *meant;
	size_t n = sizeof(verbs) / sizeof(verbs[0]);

	for (size_t i = 0; i < n; i++)
		names[i] = verbs[i]->name;
	meant = nearest_word(word, names, n);
	if (meant)
		cmd_say(stderr, "perseus: unknown verb '%s'; did you mean '%s'?\n", word, meant);
	else
		cmd_say(stderr, "perseus: unknown verb '%s'\n", word);
	cmd_put(stderr, "  perseus help lists the verbs\n");
	return CMD_USAGE;
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
	cmd_put(out, "\n--color=auto|always|never may stand in front of each verb, or among its options.\n"
		     "perseus VERB --help says more.  Exit codes: 0 done, 1 mismatch or limit passed,\n"
		     "2 usage, 3 this machine cannot, 4 data incomplete or corrupt, 5 inconclusive.\n");
}

/*
 * Take --color out of the words from @from on, up to those of a program that the
 * verb runs; false: its value is wrong, which is said.
 */
static bool take_colour(int *argc, char **argv, int from, bool executes)
{
	int n = from, i;

	for (i = from; i < *argc; i++) {
		if (!strcmp(argv[i], "--") || (executes && argv[i][0] != '-'))
			break;
		if (strncmp(argv[i], "--color=", 8)) {
			argv[n++] = argv[i];
		} else if (!cmd_colours_set(argv[i] + 8)) {
			cmd_say(stderr, "perseus: --color '%s': expected auto, always or never\n",
				argv[i] + 8);
			return false;
		}
	}
	while (i < *argc)
		argv[n++] = argv[i++];
	argv[n] = NULL;
	*argc = n;
	return true;
}

/* Run the verb; what it prints is handed over. */
static int cmd_main_run(const struct cmd *cmd, int argc, char **argv)
{
	int status;

	if (cmd->paged)
		pager_start();
	status = cmd->run(argc, argv);
	if (status == CMD_HELP) {
		if (!pager_runs())
			pager_start();
		cmd_put(stdout, cmd->usage);
		status = CMD_OK;
	}
	/* A full disk behind stdout must not look like success. */
	if (fflush(stdout) || ferror(stdout)) {
		cmd_say(stderr, "perseus %s: cannot write the output\n", cmd->name);
		if (status == CMD_OK || status == CMD_FINDINGS)
			status = CMD_MACHINE;
	}
	pager_end();
	return status;
}

/* Of GSL; its own handler aborts, and what we ask of it fails without memory only. */
static void gsl_failed(const char *reason, const char *file, int line, int code)
{
	cmd_say(stderr, "perseus: %s (%s:%d: %s)\n",
		code == GSL_ENOMEM ? "out of memory" : gsl_strerror(code), file, line, reason);
	_exit(CMD_MACHINE);
}

int main(int argc, char **argv)
{
	char help_option[] = "--help";
	const struct cmd *cmd;

	fs_hold_standard();
	gsl_set_error_handler(gsl_failed);
	while (argc > 1 && !strncmp(argv[1], "--color=", 8))
		if (!take_colour(&argc, argv, 1, true))
			return CMD_USAGE;
	if (argc < 2) {
		help(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
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
	cmd = cmd_main_find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	if (!take_colour(&argc, argv, 2, cmd->executes))
		return CMD_USAGE;
	return cmd_main_run(cmd, argc - 1, argv + 1);
}
