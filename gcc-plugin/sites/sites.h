/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the late passes emitted, and the section .perseus.sites made of it. */
#ifndef PERSEUS_PLUGIN_SITES_H
#define PERSEUS_PLUGIN_SITES_H

#include "gcc-plugin/sites/where.h"

#define SITE_NORETURN 1u
#define SITE_TAIL     2u
#define SITE_CREATE   4u
#define SITE_WAIT     8u
#define SITE_ALLOC    16u
#define SITE_FREE     32u
#define SITE_NEAR     64u
#define SITE_STRUCT   128u
#define SITE_REGION   256u
#define SITE_FRAME    512u

/* Id of a call of @what that the early pass did not see; valid until the next call. */
const char *sites_late_id(const struct where *w, const char *what);

/* Give @f an N line, though it may hold no site of its own: chains name it. */
void sites_mention_function(struct fn_facts *f);

/* Slot for the call of @callee at @w; copies of one call share it. */
unsigned sites_call(const struct where *w, const struct call_fact *fact, const char *callee, unsigned flags);

/*
 * Slot for the notes of variable @var of a frame, declared at @w: a C line with the
 * flag `frame`, whose callee is the variable, and an A line with its type.
 */
unsigned sites_frame(const struct where *w, tree var);

/* Local index for a memory probe; @kind L S R A.  Copies share it. */
unsigned sites_mem(const struct where *w, const struct mem_fact *fact, char kind, unsigned bytes,
		   unsigned flags);

/*
 * An S line: @kind "call" or "mem"; @callee "-" for an access; @site: its id if
 * rules name it, else "-".  Equal lines are one.
 */
void sites_skip(const char *kind, const char *reason, const struct where *w, const char *callee,
		const char *site);

/* Identifier that a second copy of the plugin leaves in the compiler. */
#define SITES_LOADED_TWICE "perseus is loaded twice"

/*
 * An S line of kind "function" for @fndecl, which holds no probe of its own
 * for @reason; nothing if @reason is NULL.
 */
void sites_skip_function(const char *reason, tree fndecl);

/* At the end of a unit: what of it deserves a warning with a name. */
void sites_warn(void);

/* Note the aliases that code folding gave to the current function. */
void sites_aliases(tree fndecl);

/* What argument @arg of the call in @slot, just made, is to threads that wait. */
struct locked;
void sites_locked(unsigned slot, unsigned arg, const struct locked *l);

/* Numbers of call slots and memory sites so far. */
unsigned sites_n_calls(void);
unsigned sites_n_mems(void);

/* Write the section to asm_out_file; the unit id for the descriptor. */
uint64_t sites_write(void);

#endif
