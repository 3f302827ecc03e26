/* SPDX-License-Identifier: MIT */
/* Printing of `perseus conflicts`. */
#ifndef PERSEUS_CMD_CONFLICTS_H
#define PERSEUS_CMD_CONFLICTS_H

#include <stdbool.h>

#include "analyzer/sharing.h"
#include "record/run.h"

struct conflicts_opts {
	const char *run;
	const char *timing;   /* a timing run, or NULL */
	const char *platform; /* file or built-in name, or NULL */
	bool json, all;
};

/* The findings for people, on stdout; insignificant ones only with --all. */
void conflicts_print(const struct sharing_report *rep, const struct run *run, const struct conflicts_opts *o);

/* All findings as JSON, schema 1. */
void conflicts_print_json(const struct sharing_report *rep, const struct run *run);

#endif
