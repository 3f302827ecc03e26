/* SPDX-License-Identifier: MIT */
/* What a run of purpose "denormal" needs beside its counts, to be read on another machine. */
#ifndef PERSEUS_RECORDER_COUNTS_H
#define PERSEUS_RECORDER_COUNTS_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "yaml/manifest.h"

/*
 * Add the symbols of every module that the counts in @dir name, and of @program, whether it
 * counted or not; NULL: none.  What cannot be copied is said in
 * @notes, a line each, and left out.  -ENODATA: there are no counts.
 */
int counts_gather(struct manifest *m, const char *dir, const char *program, struct strbuf *notes,
		  struct err *err);

/* Does the ELF file @path ask for a table of denormal counts?  Then it was built to be counted. */
bool counts_wanted(const char *path);

#endif
