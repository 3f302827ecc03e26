/* SPDX-License-Identifier: MIT */
/* Where runs lie. */
#ifndef PERSEUS_RECORD_FILE_FOLDER_H
#define PERSEUS_RECORD_FILE_FOLDER_H

#include <stddef.h>

#include "lib/err.h"

#define RUNS_DIR "perseus.data" /* in the current directory */

/*
 * The directory of the run @path: a path, "@last" (RUNS_DIR/last, a symbolic link that is followed
 * where it stays among the runs), or a name below RUNS_DIR.  -ENOENT: there is none; -ENOTDIR.
 */
int run_folder(const char *path, char *dir, size_t size, struct err *err);

#endif
