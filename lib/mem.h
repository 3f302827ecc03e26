/* SPDX-License-Identifier: MIT */
/*
 * Allocation for the offline tools.  A tool that runs out of memory cannot
 * do anything sensible, so these end it with a message instead of returning
 * NULL.  Sizes that come from a file must be bounded by the caller first.
 */
#ifndef PERSEUS_LIB_MEM_H
#define PERSEUS_LIB_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed array of @n objects of @size bytes; the caller frees it. */
void *mem_new(size_t n, size_t size);

/* Resize @p to @n objects of @size bytes; new space is not zeroed. */
void *mem_resize(void *p, size_t n, size_t size);

/* Copy of a string (NULL stays NULL); the caller frees it. */
char *mem_strdup(const char *s);

/* Copy of @len bytes, NUL-terminated; the caller frees it. */
char *mem_strndup(const char *s, size_t len);

/* What vprintf() would print; the caller frees it. */
char *mem_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

#endif
