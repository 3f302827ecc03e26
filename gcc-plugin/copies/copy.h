/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Denormals that are moved as bytes or integers (docs/denormal.md). */
#ifndef PERSEUS_PLUGIN_COPIES_COPY_H
#define PERSEUS_PLUGIN_COPIES_COPY_H

#include "gcc-plugin/base/gcc-common.h"

/* Right after the marks: those of moves, and a call behind each copy of memory. */
gimple_opt_pass *make_pass_den_copy(gcc::context *ctxt);

/* Late, where marks are counted: what these calls return is added to the table. */
gimple_opt_pass *make_pass_den_copied(gcc::context *ctxt);

/*
 * The type of floating point that the object at @ref, an access of an integer of as many bytes, was
 * declared as, or that its pointer was made from; NULL_TREE: none, or it is not known.
 */
tree copy_float_behind(tree ref);

/* The one type of floating point that a value of @type consists of; NULL_TREE: there are others, or none. */
tree copy_float_only(tree type);

#endif
