/* SPDX-License-Identifier: MIT */
/* Names of data objects as people write them. */
#ifndef PERSEUS_ANALYZER_OBJECTS_NAMES_H
#define PERSEUS_ANALYZER_OBJECTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "record/run.h"

/*
 * "bump()::count" for the symbol "count.0" of a function's static variable,
 * "app::stats" for a mangled one, else the symbol.  @var: its declaration, or
 * NULL.  No control characters.  The caller frees it.
 */
char *name_of_symbol(const struct run *run, const char *symbol, const struct run_variable *var);

/* The last part: "count" of "bump()::count", "stats" of "app::stats<int>::stats"; inside @name. */
const char *name_stem(const char *name);

/*
 * What a heap block of elements of @type is to people, if the C++ library
 * made it: "std::vector<int> element", "std::unordered_map node"; else NULL.
 * @where: names of the functions round the allocation, in any form, or NULL.
 * The caller frees it.
 */
char *name_of_container(const char *type, const char *where);

/* What lies behind the counts of a block of std::make_shared() of @type, "Board"; else NULL.  The caller frees it. */
char *name_of_shared(const char *type);

/*
 * A field without the C++ library's own parts: "tx" of "tx._M_i", "begin" of
 * "_M_impl._M_start".  The caller frees it.
 */
char *name_of_field(const char *field);

/* True if @field is a word inside of a lock of libc or of the C++ library. */
bool name_in_lock(const char *field);

/*
 * True if an access written as @base means a variable itself and not what a
 * pointer shows: "sum", "all[].rx".
 */
bool name_is_direct(const char *base);

/* Length of the variable's name at the root of @base: `stats` of `stats.in[].rx`. */
size_t name_root(const char *base);

/* False for what a site table has for "not known": NULL, "", "-". */
bool name_known(const char *s);

#endif
