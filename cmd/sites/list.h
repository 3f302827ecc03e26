/* SPDX-License-Identifier: MIT */
/* The site table of one module, as `perseus sites` shows it. */
#ifndef PERSEUS_CMD_SITES_LIST_H
#define PERSEUS_CMD_SITES_LIST_H

#include <stdbool.h>

#include "lib/json.h"
#include "lib/strbuf.h"
#include "record/file/sites.h"

/* Lines of text: all sites of @name, or if @skipped what carries no probe, and why. */
void sites_text(const char *name, const struct sites *s, bool skipped, struct strbuf *out);

/* An object with all of it. */
void sites_json(struct json *j, const char *name, const struct sites *s);

/* A field of a table, NULL where the table does not know. */
const char *sites_known(const char *field);

#endif
