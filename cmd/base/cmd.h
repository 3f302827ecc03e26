/* SPDX-License-Identifier: MIT */
/*
 * A verb of the command line.  One file cmd/cmd-<verb>.c each: options in a
 * struct of its own and a table of them (cmd/base/option.h), run() parses, calls
 * the library, prints.
 *
 * To add a verb: write cmd/cmd-<verb>.c with `const struct cmd cmd_<verb>`,
 * name it in cmd/verbs.h, write docs/man/perseus-<verb>.1.scd.  `make lint`
 * looks for verbs without a page, pages without a verb, and helps that
 * differ from the page's synopsis.
 */
#ifndef PERSEUS_CMD_H
#define PERSEUS_CMD_H

#include <stddef.h>
#include <stdio.h>

#include "cmd/base/print.h"
#include "lib/err.h"
#include "lib/strbuf.h"

enum cmd_exit {
	CMD_OK = 0,
	CMD_FINDINGS =
		1, /* what was asked for as a limit is passed, mismatch, gate failed; never by reading alone */
	CMD_USAGE = 2,
	CMD_MACHINE = 3, /* this machine or setup cannot */
	CMD_DATA = 4,    /* data incomplete or corrupt */
	CMD_INCONCLUSIVE = 5,
	CMD_NO_PATCH = 6,      /* nothing to change: no file is written */
	CMD_OWN_FAILURE = 125, /* of record and build, which else return the status of what they ran */
	CMD_HELP = 256,        /* of parsers, never of a program: --help was asked for */
};

struct cmd {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	const char *reads;   /* for `perseus help`; NULL: nothing */
	const char *writes;
	const char *usage; /* all of `perseus VERB --help`, first line "usage: perseus VERB ..." */
	/* argv[0] is the verb; returns an exit status, or CMD_HELP and the driver prints the usage. */
	int (*run)(int argc, char **argv);
	bool paged;    /* what it prints is read: on a terminal through a pager */
	bool executes; /* runs a program whose words stand behind its own */
};

/* True if one of the words behind the verb is `--help` or `-h`: for verbs without options. */
int cmd_wants_help(int argc, char **argv);

/* Print "perseus VERB: MESSAGE" and how to get help on stderr; returns CMD_USAGE. */
int cmd_usage(const struct cmd *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The value of --fail-on: a percentage from 0 to 100, "5", "0.5" or "5%".
 * Returns 0, or CMD_USAGE with the message said.
 */
int cmd_fail_on(const struct cmd *cmd, const char *text, double *percent);

/* Print "perseus VERB: MESSAGE" on stderr; returns @status. */
int cmd_fail(const struct cmd *cmd, const struct err *err, int status);

/* The exit status that belongs to a negative errno: -ENOENT, -EINVAL, ... are data, -ENOTSUP, -EACCES, -EROFS, -ENOSPC machine. */
int cmd_status(const struct err *err);

/*
 * The exit status of a document that could not be written: this machine
 * cannot, whatever the errno (a missing directory, a full disk); -EINVAL is
 * a document that contradicts itself, which is data.
 */
int cmd_write_status(const struct err *err);

/*
 * What a checker writes is kept in a nameless file, which cmd_kept_open() makes,
 * and cmd_kept_read() appends all of it to @out.  0, or CMD_MACHINE with the
 * message said.
 */
int cmd_kept_open(const struct cmd *cmd, FILE **file);
int cmd_kept_read(const struct cmd *cmd, FILE *file, struct strbuf *out);

#endif
