/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenMP: the compiler makes a function of its own of each parallel region and
 * each task, which GCC's library calls in the threads of the team, and calls to
 * that library which have no place in the source.
 */
#ifndef PERSEUS_PLUGIN_TEAM_H
#define PERSEUS_PLUGIN_TEAM_H

#include "gcc-plugin/base/gcc-common.h"

/* Is @decl what became of a parallel region or a task? */
bool team_is_region(tree decl);

/* "work (parallel region solve.c:12)"; valid until the next call. */
const char *team_name(tree decl);

/* The place of @stmt, which is in @fndecl: if it has none of its own, that of the directive it was made for. */
location_t team_location(const gimple *stmt, tree fndecl);

/*
 * Put a pair of probes with the slot @site round all of @fun, a region or task:
 * nothing that carries probes calls it.  Its calls are no tail calls then.
 */
void team_enclose(function *fun, unsigned site);

#endif
