/* SPDX-License-Identifier: MIT */
/* `perseus sites --suggest`, for people. */
#ifndef PERSEUS_CMD_SITES_TELL_H
#define PERSEUS_CMD_SITES_TELL_H

#include "report/suggest.h"

/*
 * What the rules do, and where they are in @file the flags that use them.  If @file is
 * NULL or "-" the rules themselves went to stdout: then to stderr.
 */
void sites_tell(const struct suggestion *s, const char *file);

#endif
