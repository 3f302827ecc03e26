/* SPDX-License-Identifier: MIT */
/* The one place where perseus prints: what others chose does not rule the terminal. */
#include "cmd/base/print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/shown.h"

/* @text is changed. */
static void show(FILE *to, char *text)
{
	shown_make(text, "\n\t");
	fputs(text, to);
}

void cmd_vsay(FILE *to, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	show(to, text);
	free(text);
}

void cmd_say(FILE *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmd_vsay(to, fmt, ap);
	va_end(ap);
}

void cmd_print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmd_vsay(stdout, fmt, ap);
	va_end(ap);
}

void cmd_put(FILE *to, const char *text)
{
	char *copy = text ? mem_strdup(text) : NULL;

	if (copy)
		show(to, copy);
	free(copy);
}

void cmd_raw(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

int cmd_colour(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && !getenv("NO_COLOR") && term && strcmp(term, "dumb");
}

void cmd_mark(FILE *to, bool well, const char *word)
{
	if (cmd_colour(to))
		fprintf(to, "\033[%sm%s\033[0m", well ? "34" : "38;5;208", word);
	else
		cmd_put(to, word);
}

void cmd_again(FILE *to)
{
	fputs("\r\033[K", to);
}
