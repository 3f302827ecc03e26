/* SPDX-License-Identifier: MIT */
/* How much address space the record may take from a program whose own is limited (RLIMIT_AS). */
#ifndef RUNTIME_SPACE_H
#define RUNTIME_SPACE_H

#include <stdbool.h>

#define SPACE_RECORD_MIN (1u << 20) /* bytes of a record that only says why nothing was recorded */

/*
 * Set rt.map_max and rt.block_max, before anything is mapped.  A soft limit is
 * raised by what the runtime maps, if that is allowed; else the program keeps
 * most of what it has left.  False: too little for any record.
 */
bool space_choose(void);

#endif
