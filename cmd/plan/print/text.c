/* SPDX-License-Identifier: MIT */
#include "cmd/base/print.h"
#include "cmd/plan/print/text.h"
#include "lib/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_COLUMNS 70 /* behind the heads, to stay within 80 */

/* A line may end before @s; a number and its % stay together. */
static bool may_break(const char *s)
{
	return s[0] == ' ' && s[1] != '%';
}

/* Bytes of @s that fit into a line, broken at a blank where there is one. */
static size_t fitting(const char *s)
{
	size_t len = strlen(s);

	if (len <= TEXT_COLUMNS)
		return len;
	for (len = TEXT_COLUMNS; len && !may_break(&s[len]); len--)
		;
	return len ? len : strcspn(s, " ");
}

/* "HEAD      text", the text in as many lines as it needs. */
void plan_item(const char *head, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	for (const char *s = text; *s; head = "") {
		size_t n = fitting(s);

		size_t shown = n;

		while (shown > 1 && s[shown - 1] == ' ')
			shown--;
		cmd_print("%-9s %.*s\n", head, (int)shown, s);
		s += n;
		s += strspn(s, " ");
	}
	free(text);
}
