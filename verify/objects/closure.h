/* SPDX-License-Identifier: MIT */
/* Names that objects use and that the executable defines: does one of the objects define them? */
#ifndef PERSEUS_VERIFY_OBJECTS_CLOSURE_H
#define PERSEUS_VERIFY_OBJECTS_CLOSURE_H

#include "verify/elf/image.h"

struct closure {
	char **has;  /* defined by the objects read so far */
	char **want; /* used by them, defined in the executable and in no library */
	size_t n_has, n_want;
};

/* Take in what object @e defines. */
void closure_read(struct closure *c, const struct image *e);

/* An object uses @name, and that leads to code or data of the executable. */
void closure_want(struct closure *c, const char *name);

/* Each name that none of the objects, the start-up code and the linker defines is a line in @notes. */
void closure_check(struct closure *c, struct findings *notes);

/* Take in all that @more has and wants. */
void closure_join(struct closure *c, const struct closure *more);

/* Free the contents. */
void closure_release(struct closure *c);

#endif
