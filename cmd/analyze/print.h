/* SPDX-License-Identifier: MIT */
/* The output of perseus analyze. */
#ifndef PERSEUS_CMD_ANALYZE_PRINT_H
#define PERSEUS_CMD_ANALYZE_PRINT_H

#include "analyzer/analyze.h"

/* Text on stdout: the model that was written to @out; @blocks is NULL without a block file. */
void analyze_print(const struct analysis *a, const char *out, const char *blocks);

/* The same as JSON, schema 1. */
void analyze_print_json(const struct analysis *a, const char *out, const char *blocks);

#endif
