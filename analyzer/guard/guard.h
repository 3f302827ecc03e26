/* SPDX-License-Identifier: MIT */
/*
 * Guard files: what false sharing was found once, for the compiler to look at whenever the
 * types and variables are compiled again.  perseus-guard(5) has the form.
 */
#ifndef PERSEUS_ANALYZER_GUARD_GUARD_H
#define PERSEUS_ANALYZER_GUARD_GUARD_H

#include <stddef.h>

#include "analyzer/sharing/sharing.h"
#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

struct guard_record {
	char *head; /* "members struct%20stats 64 share-123456"; or a comment, an empty line, "ignore share-123456" */
	char *body; /* its lines of writes and reads, each with its newline */
};

/* Zero-filled is empty. */
struct guard {
	struct VEC(struct guard_record) at;
	size_t n;              /* of them findings' */
	size_t added, renewed; /* by guard_take() */
};

/* Read the guard file with @text.  -EINVAL: it is none, and the message says at which line. */
int guard_read(struct guard *g, const char *text, struct err *err);

/*
 * Add what a compiler can see of false sharing @f: members of a type, neighbouring elements of one,
 * variables.  What the guard has of the same finding and type is replaced.  Returns the number of
 * records; 0: there is no line for what it is, or the guard says `ignore' of it (*@ignored).
 */
size_t guard_take(struct guard *g, const struct sharing_finding *f, bool *ignored);

/* The whole file. */
void guard_text(const struct guard *g, struct strbuf *out);

void guard_release(struct guard *g);

#endif
