/* SPDX-License-Identifier: MIT */
/*
 * Outside tools: run without a shell, in a scratch folder, with a time limit,
 * their output caught.  The folder is their home, so that nothing of the user's
 * settings decides anything and nothing of them stays.
 */
#ifndef PERSEUS_EVIDENCE_PACK_RUN_H
#define PERSEUS_EVIDENCE_PACK_RUN_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/strbuf.h"

struct run_place {
	char *dir; /* the scratch folder */
};

struct run_result {
	int status;        /* exit status, 128 + signal, 127: could not be started */
	bool too_long;     /* ended by the limit */
	struct strbuf out; /* stdout and stderr as they came, at most 16 MiB */
};

/* Make a scratch folder below TMPDIR (/tmp); -errno with a message. */
int run_begin(struct run_place *place, struct err *err);

/* Write a file below the folder; folders on its way are made. */
int run_put(const struct run_place *place, const char *name, const void *data, size_t len, struct err *err);

/* Append a file below the folder to @out; -errno without a message if it is not there. */
int run_get(const struct run_place *place, const char *name, struct strbuf *out);

/* True if PATH holds a program @tool. */
bool run_has(const char *tool);

/*
 * Run @argv (NULL at the end, argv[0] is looked for in PATH) in the folder for
 * at most @seconds.  A tool that fails is no error here: see @result->status.
 * -EINTR: this process was told to end.  The caller releases result->out.
 */
int run_tool(const struct run_place *place, const char *const *argv, unsigned seconds,
	     struct run_result *result, struct err *err);

/* Remove the folder with all that is in it. */
void run_end(struct run_place *place);

#endif
