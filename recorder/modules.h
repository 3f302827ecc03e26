/* SPDX-License-Identifier: MIT */
/*
 * The part of a run directory that lets it be analysed on another machine:
 * site tables and symbols of the modules that were loaded.
 */
#ifndef PERSEUS_RECORDER_MODULES_H
#define PERSEUS_RECORDER_MODULES_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "yaml/manifest.h"

/*
 * Copy the site table and the symbols of the ELF file @path into @dir/modules
 * and add it to @m, unless a module of that path and build id is there.
 * @build_id: hex digits of what was loaded, NULL or "": not known; -ESTALE if
 * the file has another one by now.  Other errors as elf_section() and
 * fs_write().
 */
int modules_add(struct manifest *m, const char *dir, const char *path, const char *build_id, struct err *err);

/*
 * Add every module that the record files of run @dir name.  What cannot be
 * copied is said in @notes, a line each, and left out.  Fails only as
 * run_open() does.
 * @others: calls by pointers went to libraries that no record knows.
 */
int modules_gather(struct manifest *m, const char *dir, struct strbuf *notes, bool *others, struct err *err);

#endif
