/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_LIB_SPAWN_PART_H
#define PERSEUS_LIB_SPAWN_PART_H

#include <stddef.h>

#include "lib/err.h"

/*
 * Where the parts of this installation are: the directory that holds the
 * runtime, the plugin, the verifier.  @what is "runtime" (libperseus-rt.so),
 * "runtime-events" (the one that counts events), "denormal" (libperseus-denormal.so),
 * "trap" (libperseus-trap.so),
 * "flush" (libperseus-flush.so), "trial" (libperseus-trial.so),
 * "plugin" (perseus.so), "verify" (perseus-verify), "plan-check", "source-check",
 * "mpi" (perseus-mpi.so).  In a build tree these are below $O, found relative to
 * the running executable.  Returns 0 or -ENOENT.
 */
int part_find(const char *what, char *path, size_t size, struct err *err);

#endif
