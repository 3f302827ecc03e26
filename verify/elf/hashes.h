/* SPDX-License-Identifier: MIT */
/* The hash table (.gnu.hash) by which libraries find what a program exports. */
#ifndef PERSEUS_VERIFY_ELF_HASHES_H
#define PERSEUS_VERIFY_ELF_HASHES_H

#include "verify/elf/image.h"

/* Does the loader come by it to each symbol that the table of symbols @table defines, and to no other? */
bool hashes_are_right(const struct image *e, size_t table);

#endif
