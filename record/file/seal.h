/* SPDX-License-Identifier: MIT */
/* Putting checksums into finished records, so that damage is noticed years later. */
#ifndef PERSEUS_RECORD_FILE_SEAL_H
#define PERSEUS_RECORD_FILE_SEAL_H

#include <stddef.h>

#include "lib/err.h"

/*
 * Seal the record file @path in place: every chunk gets a checksum and then
 * the header, which is what makes the file a sealed one; ended halfway it is
 * as readable as before.  1: it was left as it is, because somebody may still
 * write to it, nothing was published, or it is sealed already.  Fails with
 * -errno (it cannot be opened or written), -EINVAL (not a record, of another
 * version, or a chunk runs over its end).
 */
int seal_record(const char *path, struct err *err);

/*
 * Seal every record file of the run directory @dir.  @n_left, if not NULL,
 * counts those that were left as they are.  Goes on after a failure and
 * returns the first.
 */
int seal_run(const char *dir, size_t *n_left, struct err *err);

#endif
