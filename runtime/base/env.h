/* SPDX-License-Identifier: MIT */
/* What the environment asks for.  A program that runs with another's rights has none. */
#ifndef RUNTIME_BASE_ENV_H
#define RUNTIME_BASE_ENV_H

#include <stdbool.h>
#include <stdint.h>

/* A number from the environment; @otherwise if there is none from 1 to @max. */
uint64_t env_number(const char *name, uint64_t otherwise, uint64_t max);

/* Where to record, what for, and how much.  False: no record is asked for, or none can be made there. */
bool env_read(void);

#endif
