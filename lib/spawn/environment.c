/* SPDX-License-Identifier: MIT */
#include "lib/spawn/environment.h"

#include <stdarg.h>
#include <stdlib.h>

#include "lib/mem.h"

void environment_set(struct environment *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(e, mem_vprintf(fmt, ap));
	va_end(ap);
}

void environment_release(struct environment *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->at[i]);
	vec_release(e);
}
