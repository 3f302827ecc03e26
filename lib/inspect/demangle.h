/* SPDX-License-Identifier: MIT */
/* C++ and Fortran names for people. */
#ifndef PERSEUS_LIB_INSPECT_DEMANGLE_H
#define PERSEUS_LIB_INSPECT_DEMANGLE_H

/*
 * "app::work<float>" for "_ZN3app4workIfEET_S1_i": the qualified name without
 * return type and parameters; "std::_Hashtable<...>" for one of 200 bytes or more
 * whose end was cut off; "stats::cells" for "__stats_MOD_cells".  The caller frees it.  NULL if @name is not mangled, or if
 * this machine has no C++ library to ask.
 */
char *demangle_short(const char *name);

/* "app::Board" for "N3app5BoardE", as link-time optimisation calls a type; else as demangle_short(). */
char *demangle_type(const char *name);

#endif
