/* SPDX-License-Identifier: MIT */
/* The object files of a planned build, by their relocations. */
#ifndef PERSEUS_VERIFY_OBJECTS_OBJECTS_H
#define PERSEUS_VERIFY_OBJECTS_OBJECTS_H

#include "verify/binary/binary.h"
#include "verify/objects/placed.h"
#include "verify/start/arrays.h"

/* Calls of one generated function in one function of one object. */
struct use {
	char *function;
	uint32_t object; /* its number, from 0 */
	uint32_t kind, number, calls;
};

struct objects {
	uint32_t references[GEN_KINDS]; /* calls by kind; of all triggers together */
	uint32_t *of_trigger;           /* by number, 10000 of them */
	uint32_t *of_create;            /* by number of the creating site, n_creates + 1 of them */
	uint32_t n_creates;
	struct use *use;
	size_t n_uses;
	struct arrays arrays; /* functions that run before main() and behind it */
	struct placed placed; /* their code and data in the binary */
	uint32_t n;           /* objects read */
	uint32_t lto;         /* of these, without machine code that was linked (-flto) */
	bool whole;           /* the others hold all code of the executable, or there are none of those */
	uint64_t *library;    /* addresses of what is equal to a member of a library of the toolchain */
	size_t n_library;
};

/*
 * Read each object, compare its calls with the plan and its generated
 * functions against the binary's; differences are lines in @list, what stays open in @notes.  -1 if an
 * object cannot be read.  Release in every case.
 */
int objects_check(struct objects *o, char *const *paths, int n, const struct vplan *p, const struct binary *b,
		  struct findings *list, struct findings *notes, struct fault *f);

/* True if some hold no machine code, and no others hold it either. */
static inline bool objects_are_open(const struct objects *o)
{
	return o->lto && !o->whole;
}

/*
 * Compare the binary with objects compiled again from the reviewed sources:
 * all their code and data must be in it, and all its functions named
 * perseus_* in them.  Differences are lines in @list; -1 if one cannot be
 * read.  Release @out in every case.
 */
int objects_rebuilt(struct placed *out, char *const *paths, int n, const struct binary *b,
		    struct findings *list, struct fault *f);

/* Free the contents. */
void objects_release(struct objects *o);

#endif
