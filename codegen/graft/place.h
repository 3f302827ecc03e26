/* SPDX-License-Identifier: MIT */
/* The statement around a call, and whether calls can be put around it without a change of meaning. */
#ifndef PERSEUS_CODEGEN_GRAFT_PLACE_H
#define PERSEUS_CODEGEN_GRAFT_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/source/scan.h"

enum place_form {
	PLACE_STATEMENT, /* an expression, or a declaration with its initialiser */
	PLACE_RETURN,    /* return E; */
	PLACE_IF,        /* if (E) ... */
	PLACE_OTHER,     /* head of a loop, static initialiser, ... */
};

enum place_where {
	PLACE_IN_BLOCK, /* other statements may stand before and after it */
	PLACE_LABELLED, /* behind a label: no declaration may stand before it */
	PLACE_BODY,     /* of `if (...)` and the like, without braces */
};

struct place {
	struct scan_call call;
	enum place_form form;
	enum place_where where;
	size_t first, last; /* tokens of the statement up to its ';'; of PLACE_IF up to the ')' */
	size_t control;     /* PLACE_BODY: token behind which its brace would open */
	size_t from, to;    /* tokens of E; of a PLACE_STATEMENT, all but the ';' */
	const char *
		shared; /* NULL: in this statement, only the call is evaluated, once and in any case; or why not */
	bool mixed;     /* no order holds between it and another call of its expression */
	bool arguments; /* its arguments, or the object it is called for, need calls themselves */
	bool alone;     /* E is the call and nothing else */
};

/* The last token of the statement that begins at @i, branches and all; SOURCE_NONE: not understood. */
size_t place_statement_end(const struct scan *c, size_t i);

/* Look at @call; NULL, or why nothing can be said. */
const char *place_find(const struct scan *c, const struct scan_call *call, struct place *out);

#endif
