/* SPDX-License-Identifier: MIT */
/*
 * Runs the C that codegen writes: unsigned integers, structures, arrays,
 * pointers to them, if, switch, for, return, calls.  Everything else is
 * refused with file and line.  It shares nothing with the generator: what it
 * says about the source is what the source does.
 */
#ifndef PERSEUS_VERIFY_SOURCE_CRUN_H
#define PERSEUS_VERIFY_SOURCE_CRUN_H

#include "verify/source/tokens.h"

struct ctype {
	uint32_t bits;  /* of an integer, 0: void or a structure */
	uint32_t stars; /* pointer levels */
	uint32_t st;    /* index of the structure + 1, or 0 */
	uint32_t n;     /* elements of an array, 0: none */
};

struct cfield {
	const char *name;
	struct ctype type;
	size_t offset; /* in cells: every integer or pointer takes one */
};

struct cstruct {
	const char *name;
	struct cfield *field;
	size_t n, cells;
};

struct cvariable {
	const char *name;
	struct ctype type;
	size_t cell;
};

struct cfunction {
	const char *name;
	size_t parameters, body; /* tokens; body 0: declared only */
	struct ctype type;
	bool is_public;
	uint64_t runs;
};

#define CRUN_ARGUMENTS 4

/* One that the source calls but does not define. */
struct crun;
typedef int crun_platform(struct crun *r, void *context, const char *name, const uint64_t *argument, size_t n,
			  uint64_t *result);

struct crun {
	struct tokens t;
	struct cstruct *st;
	size_t n_structs;
	struct cvariable *global, *local;
	size_t n_globals, n_locals, frame;
	struct cfunction *function;
	size_t n_functions;
	uint64_t *cell; /* memory: globals, then locals */
	size_t n_cells, room, n_static;
	uint64_t *fresh; /* the globals as the program begins with them */
	size_t at;       /* next token */
	uint32_t depth;
	uint64_t steps;
	uint64_t result; /* of the last return */
	crun_platform *platform;
	void *context;
	struct fault *f;
};

/* Read the source @path; -1 with file and line.  Release in every case. */
int crun_read(struct crun *r, const char *path, struct fault *f);

/* Free the contents. */
void crun_release(struct crun *r);

/* All variables as they are when the program begins. */
void crun_restart(struct crun *r);

/* True if the source defines function @name. */
bool crun_defines(const struct crun *r, const char *name);

/* Call it; -1 with file and line if it does what is not allowed: an index outside, a loop without end. */
int crun_call(struct crun *r, const char *name, const uint64_t *argument, size_t n, uint64_t *result);

/* The memory of field @field of element @i of global array @name; NULL if there is no such. */
uint64_t *crun_field(struct crun *r, const char *name, size_t i, const char *field);

/* How many elements field @field of global @name has, which follow each other there: 0 if it is no array. */
size_t crun_elements(struct crun *r, const char *name, const char *field);

/* -1 with the place of the next token and @what. */
int crun_bad(struct crun *r, const char *what);

/* ---- for crun.c, crun-eval.c and crun-call.c only -------------------------- */

#define CRUN_CELLS ((size_t)1 << 24)
#define CRUN_STEPS (1u << 20) /* of one call from outside */

struct cvalue {
	struct ctype type;
	uint64_t n;  /* the number; a pointer is the cell + 1 */
	size_t cell; /* where it is, if is_place */
	bool is_place;
};

/* Evaluate from the next token on. */
int crun_expression(struct crun *r, struct cvalue *v);

/* What is at the place that @v is; arrays become pointers. */
int crun_load(struct crun *r, struct cvalue *v);

/* Run @f; its result is in r->result. */
int crun_function(struct crun *r, const struct cfunction *f, const uint64_t *argument, size_t n);

/* Is the next token @sign?  Take it if so; take it or fail. */
bool crun_is(const struct crun *r, const char *sign);
bool crun_take(struct crun *r, const char *sign);
int crun_expect(struct crun *r, const char *sign);

/* Take a name that is no type; `[N]` if it is there; all from @open to its @close. */
int crun_name(struct crun *r, const char **name);
int crun_bounds(struct crun *r, struct ctype *type);
int crun_skip_pair(struct crun *r, const char *open, const char *close);

/* Types: is one next, take it, its size, zeroed memory for it. */
bool crun_begins_type(const struct crun *r);
int crun_type(struct crun *r, struct ctype *type);
size_t crun_cells(const struct crun *r, const struct ctype *type);
int crun_reserve(struct crun *r, const struct ctype *type, size_t *cell);

/* The function @name, or NULL. */
const struct cfunction *crun_find(const struct crun *r, const char *name);

#endif
