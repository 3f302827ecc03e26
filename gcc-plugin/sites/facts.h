/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the early pass found in a function, and how it reaches the late pass.
 *
 * The facts travel as the text of an attribute "perseus sites" on the function
 * declaration: LTO streams it, clones copy it, and the blank in its name keeps
 * it out of the user's reach.  So the same look-up works in the compiler proper
 * and in lto1, for statements that were inlined, too.
 */
#ifndef PERSEUS_PLUGIN_FACTS_H
#define PERSEUS_PLUGIN_FACTS_H

#include "gcc-plugin/base/gcc-common.h"

#define FACTS_ATTRIBUTE "perseus sites"

struct call_fact {
	int file, line, col; /* file: index into fn_facts.files */
	const char *site;    /* 16 hex digits */
	unsigned ordinal;
	const char *callee;
	const char *type; /* type an allocation is used as, or "-" */
	const char *size; /* its bytes, or "-" */
	unsigned equal;   /* calls that the ordinal counts */
	const char *near; /* 8 hex digits of what is beside it */
	unsigned cookie;  /* bytes of the block in front of what is allocated */
};

struct mem_fact {
	int file, line, col;
	const char *site;
	char kind; /* L S A */
	unsigned bytes, root, place;
	const char *offset, *base, *type, *field; /* "-" if none */
};

struct fn_facts {
	const char *name, *pretty, *unit; /* assembler name, printable, unit path */
	bool is_public;
	int file, line; /* of the definition */
	vec<const char *> files;
	vec<call_fact> calls; /* in source order */
	vec<mem_fact> mems;   /* sorted by line */
	int index;            /* N index in the section, -1: not written yet */
	int choice;           /* what arguments and attributes say of it (select.h) */
	char *text;           /* owns all strings */
};

/* Facts of @decl or of what it was cloned from; never NULL: a function that
   came into being after the early pass gets facts without calls. */
struct fn_facts *facts_of(tree decl);

/* Put @text on @decl (and on its abstract origin if that has none). */
void facts_attach(tree decl, const char *text, size_t n);

/* Once, at start: make the look-up table's keys known to the garbage collector. */
void facts_keep_from_collector(void);

#endif
