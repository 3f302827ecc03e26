/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses that library functions make for the program. */
#ifndef PERSEUS_PLUGIN_LIBCALL_H
#define PERSEUS_PLUGIN_LIBCALL_H

#include "gcc-plugin/data/access.h"

/*
 * Append to @out (ACCESS_MAX entries, @n used) what the function called does to
 * memory that other threads could see; the number of entries then.
 */
unsigned libcall_accesses(gcall *call, struct mem_access *out, unsigned n);

/*
 * True of an operator of a std::atomic that is not inlined since nothing is optimised: what it does
 * is an access (@kind) of its callers, whose line and member people know, and none of its own.
 */
bool libcall_operator(tree decl, unsigned *kind);

#endif
