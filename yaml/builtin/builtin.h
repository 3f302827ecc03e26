/* SPDX-License-Identifier: MIT */
/* The platforms that are part of the program. */
#ifndef PERSEUS_YAML_BUILTIN_H
#define PERSEUS_YAML_BUILTIN_H

/* NULL-terminated, and the platform document of each. */
extern const char *const builtin_names[];
extern const char *const builtin_texts[];

#endif
