/* SPDX-License-Identifier: MIT */
/* The one-line files of /sys and of cgroups, which are opened at the start and never again. */
#ifndef PERSEUS_DAEMON_MACHINE_FILES_H
#define PERSEUS_DAEMON_MACHINE_FILES_H

#include <stddef.h>

#include "perseus/ctl.h"

/* "DIR/NAME" into @out; -ENAMETOOLONG if it does not fit. */
int file_path(char *out, size_t size, const char *dir, const char *name);

/* Open "DIR/NAME" with @flags and close-on-exec; returns the descriptor or a negative errno. */
int file_open(const char *dir, const char *name, int flags);

/* The beginning of the file as a string, whatever was read before; its length or a negative errno. */
int file_read(int fd, char *out, size_t size);

/* The same by name. */
int file_read_at(const char *dir, const char *name, char *out, size_t size);

/* A decimal number, which must be all that the first line holds; 0, or -EINVAL, or as file_read(). */
int file_read_number(int fd, prs_u32 *out);
int file_read_number_at(const char *dir, const char *name, prs_u32 *out);

/* Write @text at the start, whole; 0 or a negative errno. */
int file_write(int fd, const char *text);
int file_write_number(int fd, prs_u32 value);

/* Close it if it is open. */
void file_close(int *fd);

#endif
