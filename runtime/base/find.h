/* SPDX-License-Identifier: MIT */
/* Functions of the objects behind ours, without libc's own look-up, which allocates on the program's heap. */
#ifndef RUNTIME_BASE_FIND_H
#define RUNTIME_BASE_FIND_H

/*
 * The first definition of @name in the objects loaded behind the one that has
 * @own: of @version where the object has such a version, else its default one.
 * NULL: none.  Takes the loader's lock, allocates nothing.
 */
void *find_behind(const void *own, const char *name, const char *version);

#endif
