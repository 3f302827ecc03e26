/* SPDX-License-Identifier: MIT */
/*
 * A source seen as brackets, functions and calls.  Nothing is preprocessed:
 * what macros make is not seen, and whoever asks is told so.
 */
#ifndef PERSEUS_LIB_SOURCE_SCAN_H
#define PERSEUS_LIB_SOURCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/source/source.h"

/* What a '{' opens. */
enum scan_brace {
	SCAN_SCOPE,    /* namespace, extern "C" */
	SCAN_TYPE,     /* struct, class, union, enum */
	SCAN_FUNCTION, /* body of a function */
	SCAN_LAMBDA,   /* body of a lambda */
	SCAN_BLOCK,    /* compound statement */
	SCAN_VALUE,    /* initialiser, compound literal */
};

struct scan {
	const struct source *s;
	size_t *parent;        /* for each token: the bracket around it, or SOURCE_NONE */
	size_t *body;          /* for each token: '{' of the function or lambda around it, or SOURCE_NONE */
	enum scan_brace *kind; /* for each '{' */
};

/* A call as it is written. */
struct scan_call {
	size_t first;       /* token: `a` of a->b.f(x) */
	size_t name;        /* `f`, or the bracket before '(' */
	size_t open, close; /* its parentheses */
};

/* Look through @s, which stays the caller's and must outlive @c. */
void scan_init(struct scan *c, const struct source *s);
void scan_release(struct scan *c);

/* The bracket around token @i, or SOURCE_NONE. */
size_t scan_parent(const struct scan *c, size_t i);

/* The token of the name of the function whose body is @open; SOURCE_NONE: not understood. */
size_t scan_function_name(const struct scan *c, size_t open);

/* The first token of the definition whose body is @open. */
size_t scan_function_first(const struct scan *c, size_t open);

/*
 * NULL, or why the body at @open is not to be trusted: brackets that do not pair, or that are opened
 * and closed under different conditions of the preprocessor.
 */
const char *scan_distrust(const struct scan *c, size_t open);

/* True if '(' at @i opens the arguments of a call, or of what looks like one. */
bool scan_opens_call(const struct scan *c, size_t i);

/*
 * In C++: true if the operator at @i may be a function.  Not so where the text shows an array or a
 * pointer (`T a[4]`, `T *p`) or a conversion.
 */
bool scan_may_be_function(const struct scan *c, size_t i);

/* The call that opens at '(' @i; false if its beginning is not understood. */
bool scan_call(const struct scan *c, size_t i, struct scan_call *out);

#endif
