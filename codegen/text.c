/* SPDX-License-Identifier: MIT */
#include "codegen/text.h"

#include <string.h>

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

void text_plan(struct strbuf *out, const char *s)
{
	if (!s || !*s) {
		strbuf_puts(out, "-");
		return;
	}
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= 0x20 || c >= 0x7f || c == '%')
			strbuf_printf(out, "%%%02X", c);
		else
			strbuf_add(out, s, 1);
	}
}

size_t text_control(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;

	if (*c < 0x80)
		return *c < 0x20 || *c == 0x7f;
	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
		return 2; /* C1 */
	if (c[0] == 0xd8 && c[1] == 0x9c)
		return 2; /* Arabic letter mark */
	if (c[0] == 0xe2 && c[1] == 0x80 &&
	    ((c[2] >= 0x8b && c[2] <= 0x8f) || (c[2] >= 0xa8 && c[2] <= 0xae)))
		return 3; /* zero width, marks, line ends, embeddings, overrides */
	if (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa0 && c[2] <= 0xaf)
		return 3; /* isolates, invisible operators */
	return c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf ? 3 : 0;
}

void text_csv(struct strbuf *out, const char *s)
{
	strbuf_puts(out, "\"");
	s = s ? s : "";
	/* A spreadsheet would evaluate a field that starts with one of these. */
	if (*s && strchr("=+-@", *s))
		strbuf_puts(out, "'");
	for (; *s; s++) {
		size_t control = text_control(s);

		if (*s == '"')
			strbuf_puts(out, "\"\"");
		else
			strbuf_add(out, control ? "." : s, 1);
		s += control > 1 ? control - 1 : 0;
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
