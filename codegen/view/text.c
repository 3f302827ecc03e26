/* SPDX-License-Identifier: MIT */
#include "codegen/view/text.h"

#include <string.h>

#include "lib/shown.h"

#define MACRO_CHARS 32

static bool is_printable(unsigned char c)
{
	return c >= 0x20 && c < 0x7f;
}

/* Two characters that mean something together inside or at the end of a comment. */
static bool is_mark(char a, char b)
{
	return (a == '*' && b == '/') || (a == '/' && (b == '*' || b == '/')) || (a == '?' && b == '?');
}

void text_comment(struct strbuf *out, const char *s, size_t max)
{
	char last = out->len ? out->s[out->len - 1] : '\0';
	size_t n = 0;

	for (s = s ? s : "-"; *s && n < max; s++, n++) {
		char c = is_printable((unsigned char)*s) && *s != '\\' ? *s : '.';

		if (is_mark(last, c))
			strbuf_add(out, " ", 1);
		strbuf_add(out, &c, 1);
		last = c;
	}
	if (*s)
		strbuf_puts(out, "...");
	else if (last == '*' || last == '/' || last == '?')
		strbuf_add(out, " ", 1); /* what follows must not complete a mark */
}

void text_macro(struct strbuf *out, const char *s)
{
	int n = 0;

	for (; s && *s && n < MACRO_CHARS; s++, n++) {
		char c = *s;

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		else if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9'))
			c = '_';
		strbuf_add(out, &c, 1);
	}
	if (!n)
		strbuf_puts(out, "X");
}

void text_csv(struct strbuf *out, const char *s)
{
	size_t n;

	strbuf_puts(out, "\"");
	s = s ? s : "";
	/* A spreadsheet would evaluate a field that starts with one of these. */
	if (*s && strchr("=+-@", *s))
		strbuf_puts(out, "'");
	for (; *s; s += n) {
		uint32_t c = shown_char(s, &n);

		if (c == '"')
			strbuf_puts(out, "\"\"");
		else if (shown_not(c))
			strbuf_puts(out, ".");
		else
			strbuf_add(out, s, n);
	}
	strbuf_puts(out, "\"");
}

bool text_is_plain(const char *s)
{
	for (; *s; s++)
		if (!is_printable((unsigned char)*s) || strchr("\"\\?", *s))
			return false;
	return true;
}
