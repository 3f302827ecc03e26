/* SPDX-License-Identifier: MIT */
/* What `perseus record` says of programs, or parts of them, that hold no probes. */
#ifndef PERSEUS_CMD_RECORD_UNPROBED_H
#define PERSEUS_CMD_RECORD_UNPROBED_H

#include <stdbool.h>

#include "lib/spawn/target.h"

/* Before @program, found as @t, runs for long: what cannot be recorded because of how it was compiled. */
void record_unprobed_warn(const struct target *t, const char *program, bool quiet);

/* Units of the ELF file @path that were compiled under -flto and linked without the plugin; *@others: there are others. */
size_t record_unlinked(const char *path, bool *others);

/*
 * Nothing was recorded: say why.  @status is that of the program, as of a shell;
 * the status that perseus record ends with is returned.
 */
int record_unprobed_explain(const struct target *t, const char *program, int status);

#endif
