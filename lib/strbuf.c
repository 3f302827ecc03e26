/* SPDX-License-Identifier: MIT */
#include "lib/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

static void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1;

	if (need <= sb->cap)
		return;
	sb->cap = need < 64 ? 64 : need + need / 2;
	sb->s = mem_resize(sb->s, sb->cap, 1);
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_grow(sb, len);
	if (len)
		memcpy(sb->s + sb->len, data, len);
	sb->len += len;
	sb->s[sb->len] = '\0';
}

void strbuf_puts(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap, again;
	int len;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len > 0) {
		strbuf_grow(sb, (size_t)len);
		vsnprintf(sb->s + sb->len, (size_t)len + 1, fmt, again);
		sb->len += (size_t)len;
	}
	va_end(again);
}

void strbuf_wrap(struct strbuf *sb, const char *text, const char *indent, size_t columns)
{
	const char *line = sb->len ? memrchr(sb->s, '\n', sb->len) : NULL;
	size_t at = sb->len - (line ? (size_t)(line + 1 - sb->s) : 0);

	while (*text) {
		size_t len = strcspn(text, " ");

		strbuf_add(sb, text, len);
		at += len;
		text += len + (text[len] == ' ');
		if (*text && at + 1 + strcspn(text, " ") > columns) {
			strbuf_puts(sb, "\n");
			strbuf_puts(sb, indent);
			at = strlen(indent);
		} else if (*text) {
			strbuf_puts(sb, " ");
			at++;
		}
	}
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->s ? sb->s : mem_strdup("");

	*sb = (struct strbuf)STRBUF_INIT;
	return s;
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->s);
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_word(struct strbuf *sb, const char *s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+,:@%";

	if (*s && !s[strspn(s, safe)]) {
		strbuf_puts(sb, s);
		return;
	}
	strbuf_puts(sb, "'");
	for (; *s; s++)
		strbuf_puts(sb, *s == '\'' ? "'\\''" : (char[]){*s, '\0'});
	strbuf_puts(sb, "'");
}

void strbuf_percent(struct strbuf *sb, const char *s)
{
	for (s = s && *s ? s : "-"; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= ' ' || c >= 0x7f || c == '%')
			strbuf_printf(sb, "%%%02X", c);
		else
			strbuf_add(sb, s, 1);
	}
}

int text_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool text_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

const char *text_between(size_t i, size_t n)
{
	return !i ? "" : i + 1 < n ? ", " : " and ";
}
