/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions with two bodies: the plain one, whose entry can be switched, and its
 * twin, which has the probes (passes/pass-bodies.c).
 */
#ifndef PERSEUS_PLUGIN_BODIES_H
#define PERSEUS_PLUGIN_BODIES_H

#include "gcc-plugin/base/gcc-common.h"

enum body {
	BODY_ONLY,  /* the function has one */
	BODY_PLAIN, /* no probes: callers come here */
	BODY_TWIN,  /* the same with probes: the entry of the plain one leads here when it is awake */
};

/* Which body @decl is. */
enum body bodies_of(tree decl);

/* From now on @twin is the probed body of @plain. */
void bodies_pair(tree plain, tree twin);

/* The assembler name of the twin of @plain, which is BODY_PLAIN. */
const char *bodies_twin_name(tree plain);

/* A number that @decl and its other body have in common, and no others of the unit. */
unsigned bodies_number(tree decl);

/*
 * Around the passes of a function, as PLUGIN_ALL_PASSES_START and _END: what they warn of is said
 * for the plain body and not again for its twin.
 */
void bodies_begin(void *, void *);
void bodies_end(void *, void *);

/* Are there any of two in this unit? */
bool bodies_any(void);

#endif
