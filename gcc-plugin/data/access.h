/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory accesses of one statement, for the early and the late pass. */
#ifndef PERSEUS_PLUGIN_ACCESS_H
#define PERSEUS_PLUGIN_ACCESS_H

#include "gcc-plugin/base/gcc-common.h"

#define ACCESS_MAX 24 /* per statement; a call may pass many aggregates */

struct mem_access {
	tree ref;       /* the reference, or a MEM_REF built from a pointer */
	tree says;      /* what tells the object: ref, or what the pointer was taken of */
	unsigned kind;  /* PRS_KIND_* */
	unsigned bytes; /* 1 if not constant */
	bool fixed;     /* volatile or atomic: never merged with another */
	tree length;    /* bytes as the program computes them (then `bytes` is 0), or NULL_TREE */
	bool locked;    /* a store that waits for all before it, as a locked instruction does */
};

/* What a reference touches, in words and in numbers that survive optimisation. */
struct described {
	char base[128]; /* as written, `pair[].a` */
	char type[128]; /* aggregate, "" if none */
	char field[96]; /* "" if none */
	long offset;    /* bytes in the aggregate, -1 if none */
	unsigned root;  /* hash of the variable's name, 0: through a pointer */
	unsigned place; /* hash of aggregate's plain name and offset, 0: none */
	tree aggregate; /* its type, or NULL_TREE */
};

/* Collect the accesses of @stmt into @out (ACCESS_MAX entries); their number. */
unsigned access_collect(gimple *stmt, struct mem_access *out);

/*
 * NULL if @a may carry a probe; "" if it provably cannot be shared (nothing to
 * list); else the reason for the S line.
 */
const char *access_skip_reason(const struct mem_access *a);

/*
 * Words and numbers for @ref.  @words false: only root and place, which is all
 * the late pass needs and cheap.
 */
void access_describe(tree ref, bool words, struct described *d);

/* Name of an aggregate as a reader would write it; @root helps to name an
   anonymous one and may be NULL.  Writes at most @size bytes. */
void access_type_name(tree type, const char *root, char *out, size_t size);

#endif
