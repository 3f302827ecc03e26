/* SPDX-License-Identifier: MIT */
/* Does a binary carry exactly the triggers of a plan, and no probe? */
#ifndef PERSEUS_VERIFY_BINARY_H
#define PERSEUS_VERIFY_BINARY_H

#include "verify/calls.h"
#include "verify/plan.h"

/* What was found, for the verdict line. */
struct binary {
	struct image image;
	struct symbols symbols;
	struct calls calls;
	uint32_t planned; /* call triggers of the plan */
	uint32_t found;   /* of these, with at least one call of their function */
	uint32_t n_calls; /* of such functions */
	uint32_t
		moved; /* of these, in another function than the call site's, into which it was to be inlined */
};

/* Read the executable; -1 if it cannot be judged.  Release in every case. */
int binary_open(struct binary *b, const char *path, struct fault *f);

/* Compare with the plan; each difference is one line in @list. */
void binary_check(struct binary *b, const struct vplan *p, struct findings *list);

/* Free the contents. */
void binary_release(struct binary *b);

/* Signs of a measurement build in any ELF file: each is one line in @list. */
void binary_check_probes(const struct image *e, const struct symbols *s, struct findings *list);

#endif
