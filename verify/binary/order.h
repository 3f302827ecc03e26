/* SPDX-License-Identifier: MIT */
/*
 * Does a call of a generated function stand before, or after, the call it
 * belongs to?  Decided on the jumps of the function, not on where the compiler
 * laid the code: on every way on from (back from) the generated call, the first
 * call that is met must be the right one.  Other generated calls and those that
 * compilers add by themselves are passed over.
 */
#ifndef PERSEUS_VERIFY_BINARY_ORDER_H
#define PERSEUS_VERIFY_BINARY_ORDER_H

#include "verify/elf/flow.h"
#include "verify/start/target.h"

enum order_state { ORDER_SHOWN, ORDER_WRONG, ORDER_UNKNOWN };

struct order {
	enum order_state state;
	const char *met; /* WRONG: what stands there instead; UNKNOWN: why */
	bool past;       /* only a second way is wrong: from the call to @met, or to the call without it */
};

/* Whose order is asked for: one generated function, and the names of the calls it may belong to. */
struct order_of {
	const struct image *image;
	const struct symbols *symbols;
	const struct generated_symbol *self;
	const char *const *callee;
	size_t n_callees;
	bool after;
};

/* The call at @address inside @b. */
struct order order_check(const struct order_of *o, const struct body *b, uint64_t address);

/*
 * Is the call that @open->self at @address stands before followed by one of
 * @close->self on every way?  UNKNOWN as well where @open itself is not shown.
 */
struct order order_closed(const struct order_of *open, const struct order_of *close, const struct body *b,
			  uint64_t address);

/* Number of calls in @b that those of @o->self may belong to; may step @i be one of them? */
size_t order_callees(const struct order_of *o, const struct body *b);
bool order_is_callee(const struct order_of *o, const struct body *b, size_t i);

/* Set own[i] for each step of @b that the call at @address belongs to. */
void order_belongs(const struct order_of *o, const struct body *b, uint64_t address, uint8_t *own);

/* Does a compiler add calls of @t by itself?  Does the function @name never return?  The generated one at @t, or NULL. */
bool order_is_helper(const struct symbols *s, const struct target *t);
bool order_never_returns(const char *name);
const struct generated_symbol *order_generated(const struct symbols *s, const struct target *t);

/* Is a call of @o->self the first thing that @b calls? */
struct order order_first(const struct order_of *o, const struct body *b);

#endif
