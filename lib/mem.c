/* SPDX-License-Identifier: MIT */
#include "lib/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *mem_check(void *p)
{
	static const char text[] = "perseus: out of memory\n";

	if (p)
		return p;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(3);
}

void *mem_new(size_t n, size_t size)
{
	return mem_check(calloc(n ? n : 1, size ? size : 1));
}

void *mem_resize(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		mem_check(NULL);
	return mem_check(realloc(p, (n && size) ? n * size : 1));
}

char *mem_strdup(const char *s)
{
	return s ? mem_strndup(s, strlen(s)) : NULL;
}

char *mem_strndup(const char *s, size_t len)
{
	char *copy = mem_check(malloc(len + 1));

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *mem_vprintf(const char *fmt, va_list ap)
{
	char *text = NULL;

	return vasprintf(&text, fmt, ap) < 0 ? mem_check(NULL) : text;
}
