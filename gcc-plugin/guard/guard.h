/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guard=FILE: a warning where what was found to share lines falsely does so again.
 * README.md beside this file has the design.
 */
#ifndef PERSEUS_PLUGIN_GUARD_H
#define PERSEUS_PLUGIN_GUARD_H

enum guard_kind { GUARD_MEMBERS, GUARD_ELEMENTS, GUARD_VARIABLES, GUARD_ARRAY };

/* A member or variable, and the threads that use it. */
struct guard_use {
	const char *who, *name;
	const char *file; /* of a variable */
	bool written;
};

/* A finding's type, variables or array. */
struct guard_item {
	enum guard_kind kind;
	const char *name;    /* of the type or array; of variables NULL */
	const char *file;    /* of an array */
	unsigned long bytes; /* of a line */
	const char *evidence;
	struct guard_use *use;
	unsigned n_uses;
	bool told;
};

/*
 * Read the file @path, whose SHA-256 must be @hash unless that is NULL.  False after error(). The
 * items live as long as the compiler.
 */
bool guard_read(const char *path, const char *hash);

extern struct guard_item *guard_items;
extern unsigned guard_n;

/* Register what looks at types and variables; nothing if there are no items. */
void guard_install(const char *plugin);

#endif
