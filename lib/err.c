/* SPDX-License-Identifier: MIT */
#include "lib/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/shown.h"

/* What a message quotes may be made to rule the terminal it is shown on. */
static void defuse(char *s)
{
	shown_make(s, "\n\t");
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	defuse(err->msg);
	return code;
}

bool err_is_fault(int code)
{
	return code == -EIO || code == -ENOMEM || code == -EMFILE || code == -ENFILE;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	size_t used;

	if (!err)
		return 0;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	defuse(err->msg);
	used = strlen(err->msg);
	snprintf(err->msg + used, sizeof(err->msg) - used, ": %s", old);
	return err->code;
}

int err_advise(struct err *err, const char *fmt, ...)
{
	size_t used;
	va_list ap;

	if (!err)
		return 0;
	used = strlen(err->msg);
	if (used + 4 < sizeof(err->msg)) {
		memcpy(err->msg + used, "\n  ", 4);
		va_start(ap, fmt);
		vsnprintf(err->msg + used + 3, sizeof(err->msg) - used - 3, fmt, ap);
		va_end(ap);
		defuse(err->msg + used);
	}
	return err->code;
}
