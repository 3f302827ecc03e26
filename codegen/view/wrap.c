/* SPDX-License-Identifier: MIT */
#include "codegen/view/wrap.h"

#include <string.h>

#include "codegen/view/text.h"

#define COLUMNS      120
#define REASON_BYTES 400

static void indent(struct strbuf *out, int tabs)
{
	for (int i = 0; i < tabs; i++)
		strbuf_add(out, "\t", 1);
}

/* Bytes of @text that go on one line of @room columns: up to a blank, or to the next one if none is in reach. */
static size_t line_bytes(const char *text, size_t room)
{
	size_t len = strlen(text);
	size_t n = len <= room ? len : room;

	if (n == len)
		return len;
	while (n > 0 && text[n] != ' ')
		n--;
	return n ? n : strcspn(text, " ");
}

void wrap_comment(struct strbuf *out, int tabs, const char *text)
{
	size_t room = (size_t)(COLUMNS - 8 * tabs - 6);

	indent(out, tabs);
	if (strlen(text) <= room) {
		strbuf_printf(out, "/* %s */\n", text);
		return;
	}
	strbuf_puts(out, "/*\n");
	while (*text) {
		size_t n = line_bytes(text, room);

		indent(out, tabs);
		strbuf_puts(out, " * ");
		strbuf_add(out, text, n);
		strbuf_puts(out, "\n");
		text += n;
		while (*text == ' ')
			text++;
	}
	indent(out, tabs);
	strbuf_puts(out, " */\n");
}

void wrap_reason(struct strbuf *out, const char *reason, const char *evidence)
{
	if (reason && *reason) {
		strbuf_puts(out, out->len ? ": " : "");
		text_comment(out, reason, REASON_BYTES);
	}
	if (evidence && *evidence) {
		strbuf_puts(out, out->len ? " [" : "[");
		text_comment(out, evidence, REASON_BYTES);
		strbuf_puts(out, "]");
	}
}
