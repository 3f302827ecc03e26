/* SPDX-License-Identifier: MIT */
/* RLIMIT_AS of the program, which is raised by what the runtime maps (wrap-limit.c). */
#ifndef RUNTIME_BASE_LIMIT_H
#define RUNTIME_BASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Raise the soft limit by what the runtime maps, of which the record has @bytes; false: that is not allowed. */
bool limit_make_room(uint64_t bytes);

/* Before exec, give the next program the limit that this one asked for; after a failed exec, undo that. */
void limit_lower(void);
void limit_raise(void);

#endif
