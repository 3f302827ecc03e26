/* SPDX-License-Identifier: MIT */
/* Characters that a field of a site table cannot hold as they are; perseus/sites.h. */
#ifndef PERSEUS_RECORD_FILE_ESCAPE_H
#define PERSEUS_RECORD_FILE_ESCAPE_H

#include <stdbool.h>

/*
 * Undo \xNN in place; -EINVAL for anything else behind a backslash, or a NUL.
 * Control characters stay as they are written: names go to terminals.
 */
int escape_undo(char *s);

/* True for what a terminal obeys. */
bool escape_is_control(int c);

#endif
