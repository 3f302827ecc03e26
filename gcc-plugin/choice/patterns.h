/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The patterns of select= and skip=: of which functions, files and callees they are. */
#ifndef PERSEUS_PLUGIN_PATTERNS_H
#define PERSEUS_PLUGIN_PATTERNS_H

enum pattern_list { PATTERNS_SELECT, PATTERNS_SKIP };
enum pattern_subject { OF_FUNCTION, OF_FILE, OF_CALLEE };

/* The value of `select=` or `skip=`; may be given several times.  False after error(). */
bool patterns_add(const char *list, enum pattern_list which);

bool patterns_given(enum pattern_list which);
bool patterns_about_callees(enum pattern_list which);

/* Is @s one of those that a pattern of @which for @of names?  @s may be NULL: no. */
bool patterns_match(enum pattern_list which, enum pattern_subject of, const char *s);

/* The same for a file: its path as a whole, or its last part. */
bool patterns_match_path(enum pattern_list which, const char *path);

#endif
