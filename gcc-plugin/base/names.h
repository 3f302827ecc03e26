/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names for people, at a cost that is bounded. */
#ifndef PERSEUS_PLUGIN_NAMES_H
#define PERSEUS_PLUGIN_NAMES_H

/*
 * The name of a function as the front end prints it; where that would take
 * exponential time, its bare identifier.  Valid until the next call.
 */
const char *name_of_function(tree decl, int verbosity);

/* The same for a type, given its TYPE_DECL; where it would take too long, the bare identifier. */
const char *name_of_type(tree decl);

/* Path of the file being compiled, as typed and with -ffile-prefix-map. */
const char *name_of_unit(void);

#endif
