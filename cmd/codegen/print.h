/* SPDX-License-Identifier: MIT */
/* What `perseus codegen` says to people. */
#ifndef PERSEUS_CMD_CODEGEN_PRINT_H
#define PERSEUS_CMD_CODEGEN_PRINT_H

#include "cmd/codegen/graft.h"
#include "codegen/codegen.h"

/* What was made of the plan and written to @dir, and how much of it a reviewer has to read. */
void codegen_print_made(const struct codegen_input *in, const struct codegen_output *out, const char *dir);

/* The commands of a build: with the plugin, or with what the graft has done.  @what is file @plan_name. */
void codegen_print_next(const struct codegen_graft *graft, const struct plan *what, const char *plan_name,
			const char *dir_name, const struct codegen_output *out);

#endif
