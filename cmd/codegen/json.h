/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_CMD_CODEGEN_JSON_H
#define PERSEUS_CMD_CODEGEN_JSON_H

#include "codegen/codegen.h"

/* What was made of a plan and written to @dir, as JSON on stdout, schema 1. */
void codegen_print_json(const struct codegen_input *in, const struct codegen_output *out, const char *dir);

#endif
