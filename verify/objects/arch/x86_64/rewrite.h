/* SPDX-License-Identifier: MIT */
/* Instructions that linkers write in the place of an object's, when they know where a reference leads. */
#ifndef PERSEUS_VERIFY_OBJECTS_ARCH_X86_64_REWRITE_H
#define PERSEUS_VERIFY_OBJECTS_ARCH_X86_64_REWRITE_H

#include "verify/objects/references.h"

/* What stands where the object has its reference. */
enum rewrite {
	REWRITE_OTHER,      /* nothing that is known */
	REWRITE_NONE,       /* the object's instruction, by a slot of the GOT */
	REWRITE_NEAR,       /* one with the distance in its place */
	REWRITE_EARLIER,    /* a jump or call with the distance one byte before */
	REWRITE_NUMBER,     /* one with the number in its place */
	REWRITE_SLOT,       /* another one by a slot of the GOT */
	REWRITE_LATER,      /* several; the number stands 8 bytes behind */
	REWRITE_LATER_SLOT, /* several; the distance of a slot stands there */
	REWRITE_BASE,       /* several without either */
	REWRITE_BEGIN,      /* several; the size of the thread-local block stands 5 bytes behind */
	REWRITE_BEGIN_LATER /* several; it stands 6 bytes behind */
};

/* The access by the GOT at @p: registers and operation must be those of the object. */
enum rewrite rewrite_of_got(const struct place *p);

/* The access to a thread-local variable at @p; likewise. */
enum rewrite rewrite_of_thread(const struct place *p);

#endif
