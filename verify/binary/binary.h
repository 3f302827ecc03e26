/* SPDX-License-Identifier: MIT */
/* Does a binary carry exactly the triggers of a plan, and no probe? */
#ifndef PERSEUS_VERIFY_BINARY_BINARY_H
#define PERSEUS_VERIFY_BINARY_BINARY_H

#include "verify/base/plan.h"
#include "verify/binary/calls.h"
#include "verify/elf/frames.h"
#include "verify/elf/lines.h"
#include "verify/start/dynamic.h"
#include "verify/start/reach.h"

/* The calls of one generated function inside one function of the program. */
struct copy {
	const struct generated_symbol *to;
	const struct image_symbol *where; /* NULL: code without a name */
	uint32_t calls;
	uint32_t shown; /* of these, the order relative to the call they belong to */
	bool own;       /* in the planned function or a clone of it, else inlined elsewhere */
};

/* The calls of one name in a function of the program, to one or some of which a generated function belongs. */
struct choice {
	const struct generated_symbol *to;
	const struct image_symbol *where;
	const struct vplan_site *site;
	struct line_query *call;
	bool *own; /* by call: it belongs to that one */
	size_t n, n_own;
	int64_t moved; /* lines by which the call stands behind the plan's */
	bool shown;    /* of several calls: by the debug information */
};

/* What was found, for the verdict line. */
struct binary {
	struct image image;
	struct symbols symbols;
	struct calls calls;
	struct frames frames; /* how its functions are unwound ... */
	bool has_frames;      /* ... if that could be read */
	struct needed needed; /* libraries, set by binary_check() */
	struct names imports; /* what the generated code calls in them, the same */
	struct reached own;   /* ... and in the program itself */
	uint32_t planned;     /* call triggers of the plan */
	uint32_t found;       /* of these, with at least one call of their function */
	uint32_t n_calls;     /* of such functions */
	bool missing;         /* a call is not there that the plan has as inlined in one way, or not at all */
	uint32_t moved; /* of these, in another function than the call site's, into which it was inlined */
	struct copy *copy;
	size_t n_copies;
	struct choice *choice;
	size_t n_choices;
	uint32_t regions;         /* flushes whose every way out was shown to put the register back */
	uint32_t ordered;         /* generated calls whose order was shown */
	struct findings notes;    /* what could not be shown */
	const struct vplan *plan; /* set by binary_check() */
	bool grafted; /* set before binary_check(): all copies of a planned function have the call */
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
