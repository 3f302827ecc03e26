/* SPDX-License-Identifier: MIT */
/* perseus codegen --graft; for cmd/cmd-codegen.c alone. */
#ifndef PERSEUS_CMD_CODEGEN_GRAFT_H
#define PERSEUS_CMD_CODEGEN_GRAFT_H

#include <stdbool.h>

#include "cmd/base/option.h"
#include "codegen/codegen.h"
#include "codegen/graft/graft.h"

struct codegen_graft {
	const char *root;    /* --graft, or NULL */
	const char *program; /* --program, or NULL */
	struct graft_output out;
};

/* clang-format off */
#define CODEGEN_GRAFT_ROWS(g)                                                                                \
	OPTION_TEXT(0, "graft", &(g)->root),                                                                 \
	OPTION_TEXT(0, "program", &(g)->program)
/* clang-format on */

/* 0, or the exit status of a wrong use, which is said. */
int codegen_graft_check(const struct codegen_graft *g, const struct cmd *cmd);

/* Make the diff, if it is asked for, a file of @out.  0, or the exit status of a failure, which is said. */
int codegen_graft_make(struct codegen_graft *g, const struct cmd *cmd, const struct codegen_input *in,
		       struct codegen_output *out);

/* Print what was done and what is left; 1 if something is left to do by hand, else 0. */
int codegen_graft_print(const struct codegen_graft *g);

/* Print the command that applies the diff, which lies in @dir, a word for sh. */
void codegen_graft_print_next(const struct codegen_graft *g, const char *dir);

/* Free the contents. */
void codegen_graft_release(struct codegen_graft *g);

#endif
