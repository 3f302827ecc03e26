/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses that library functions make for the program. */
#ifndef PERSEUS_PLUGIN_LIBCALL_H
#define PERSEUS_PLUGIN_LIBCALL_H

#include "gcc-plugin/access.h"

/*
 * Append to @out (ACCESS_MAX entries, @n used) what the function called does to
 * memory that other threads could see; the number of entries then.
 */
unsigned libcall_accesses(gcall *call, struct mem_access *out, unsigned n);

#endif
