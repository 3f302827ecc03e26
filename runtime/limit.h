/* SPDX-License-Identifier: MIT */
/* RLIMIT_AS of the program, which is raised by what the runtime maps (limit.c). */
#ifndef RUNTIME_LIMIT_H
#define RUNTIME_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Raise the soft limit by what the runtime maps, of which the record has @bytes; false: that is not allowed. */
bool limit_make_room(uint64_t bytes);

/* prlimit(), as the program sees it: 0, or -1 and errno. */
int limit_change(pid_t pid, int what, const struct rlimit *in, struct rlimit *out);

/* Before exec, give the next program the limit that this one asked for; after a failed exec, undo that. */
void limit_lower(void);
void limit_raise(void);

#endif
