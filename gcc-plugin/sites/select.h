/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which sites carry probes: attributes, select=, skip=, rules=.
 *
 * A site belongs to the function it was written in, wherever inlining put it;
 * so all questions are about the writer, not about the function that holds the
 * statement at the end.  Order: perseus_no_probe (or no_instrument_function),
 * perseus_probe, skip=, select=, rules=; the first that says something counts.
 */
#ifndef PERSEUS_PLUGIN_SELECT_H
#define PERSEUS_PLUGIN_SELECT_H

#include "gcc-plugin/sites/where.h"

/* PLUGIN_ATTRIBUTES: register perseus_no_probe and perseus_probe. */
void select_register_attributes(void *, void *);

/* NULL if @fun may be changed at all; else the reason for its S line, "" if
   it is not worth one. */
const char *select_impossible(function *fun);

/* Is @decl free of probes by an attribute of its own? */
bool select_never(tree decl);

/* Fill in what arguments and attributes say of the function @decl as a whole. */
void select_learn(struct fn_facts *f, tree decl);

/*
 * Why @call, made by @w->fn, carries no probe; NULL if it may.  @fact: as from
 * where_call(), may be NULL; it is asked for the rules.
 */
const char *select_call(gcall *call, const struct where *w, const struct call_fact *fact);

/* Why nothing that @fun's own source says carries probes; NULL if something may. */
const char *select_function(function *fun);

/* Why @fun has an S line of its own: "attribute" or NULL. */
const char *select_function_reason(function *fun);

/* Why an access that @stmt makes carries no probe; the rules are asked later. */
const char *select_access(gimple *stmt, function *fun);

/* Why the memory site @fact carries none: "rules" or NULL.  @fact may be NULL. */
const char *select_mem_site(const struct mem_fact *fact, const struct where *w);

#endif
