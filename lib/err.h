/* SPDX-License-Identifier: MIT */
/*
 * The error object.  A function that can fail returns 0 or a negative errno
 * value and takes a `struct err *` last.  Whoever detects the failure writes
 * the message once; callers may put context in front of it; only cmd/ prints.
 */
#ifndef PERSEUS_LIB_ERR_H
#define PERSEUS_LIB_ERR_H

#include <stdbool.h>

struct err {
	int code;      /* negative errno, 0 while nothing failed */
	char msg[480]; /* no full stop; further lines are advice, indented by two; no control characters */
};

#define ERR_INIT                                                                                             \
	{                                                                                                    \
		0, ""                                                                                        \
	}

/*
 * Set the message and return @code (negative errno), for `return err_set()`.
 * A NULL @err is allowed: the message is dropped.
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * True if @code says that this machine failed at the moment (a disk, memory, descriptors): what
 * could not be read then is no other than it was, and must not be passed over.
 */
bool err_is_fault(int code);

/* Put "context: " in front of the message; returns err->code. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append an indented line of advice ("\n  ..."); returns err->code. */
int err_advise(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
