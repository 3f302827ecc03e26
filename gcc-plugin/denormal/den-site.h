/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sites of denormal arithmetic and their counters.
 *
 * Up to the late passes a site travels as the text that is the first argument
 * of its mark, so LTO and clones need nothing of their own.  Equal texts are one
 * site of the object.
 */
#ifndef PERSEUS_PLUGIN_DENORMAL_SITE_H
#define PERSEUS_PLUGIN_DENORMAL_SITE_H

#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/denormal/kinds.h"

#define DEN_LINK_LEAF           -1 /* the operand is no result of a marked operation of its function */
#define DEN_LINK_NONE           -2 /* ... nor denormal at any time: a normal constant */
#define DEN_SLOT(role, operand) (1u << ((role) + (operand)*8))

struct den_site {
	uint64_t id;
	unsigned kind, type, line, column, flags, operands;
	unsigned slots;         /* DEN_SLOT() of those that it has */
	int number;             /* among the marks of its function */
	int link[DEN_OPERANDS]; /* number of the mark of an operand, or DEN_LINK_ */
	const char *file, *function, *name;
	uint64_t scope; /* tells functions apart */
	unsigned index; /* of the object's sites, and its first counter */
	unsigned first;
};

/* &"text" of @site, with all but index and first. */
tree den_site_text(const struct den_site *site);

/* The site that @text is of; NULL: it is no such text.  Stays valid. */
struct den_site *den_site_of(tree text);

/* The counter of @role (enum prs_den_role) and @operand, 0 if it is not of one; @site has it. */
unsigned den_slot(struct den_site *site, unsigned role, unsigned operand);

/* Has @site such a counter? */
bool den_has(const struct den_site *site, unsigned role, unsigned operand);

/* &site, in the terms of the object's assembler text. */
tree den_site_address(struct den_site *site);

/* The object has these numbers, of which a group is made (struct prs_den_group); their address. */
tree den_site_group(const vec<unsigned> *numbers);

/* A loop of function @decl counts in registers. */
void den_site_loops(tree decl);

/* At the end of a unit: the sites, counters and descriptor of what has a counter, and other code, if anything needs it. */
void den_sites_finish(void);

#endif
