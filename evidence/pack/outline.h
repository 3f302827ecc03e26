/* SPDX-License-Identifier: MIT */
/*
 * Functions of generated C, found in its text.  Reads only the style that the
 * generator writes: a function's `{` and `}` stand alone in column 1.  A test
 * compares what is found with the symbols of the object.
 */
#ifndef PERSEUS_EVIDENCE_PACK_OUTLINE_H
#define PERSEUS_EVIDENCE_PACK_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "lib/vec.h"
#include "planner/diff/match.h"

/* A name that a function's text uses, and how often it can at most be passed. */
struct outline_use {
	uint32_t function; /* index in the list; of itself never */
	uint64_t times;
};
struct outline_uses VEC(struct outline_use);

struct outline_function {
	char *name;
	const char *file;         /* of the caller */
	uint32_t first, last;     /* lines: of the name, of the closing brace */
	bool internal;            /* static */
	uint32_t decisions;       /* if, for, while, case */
	uint64_t branches;        /* branches passed at most, calls left out; loops by their bound */
	bool unbounded;           /* a loop whose bound is not literal */
	struct outline_uses uses; /* of functions in the list, calls and addresses */
	char *body;               /* text without comments, strings and constants */
};
struct outline_functions VEC(struct outline_function);

/* Constants: `#define NAME (123u)`. */
struct outline_constant {
	char *name;
	uint64_t value;
};
struct outline_constants VEC(struct outline_constant);

struct outline {
	struct outline_functions functions;
	struct outline_constants constants;
	struct match_list sorted; /* names, after outline_finish() */
};

/* Add the constants of @text, a C file. */
void outline_add_constants(struct outline *s, const char *text);

/* Add the functions of @text; @file is kept. */
void outline_add_file(struct outline *s, const char *file, const char *text);

/* After all files: count branches, and find who uses whom. */
void outline_finish(struct outline *s);

/* The function @name, NULL. */
const struct outline_function *outline_find(const struct outline *s, const char *name);

/*
 * Branches that a call of function @i passes at most, those of the functions
 * it calls included.  UINT64_MAX: not bounded, by a loop or by recursion.
 */
uint64_t outline_branches(const struct outline *s, uint32_t i);

/* Functions called in sequence at most, @i included; 0: recursion. */
uint32_t outline_depth(const struct outline *s, uint32_t i);

/* Free everything. */
void outline_release(struct outline *s);

#endif
