/* SPDX-License-Identifier: MIT */
#include "lib/html/html.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/shown.h"

static const char *entity(uint32_t c)
{
	if (shown_not(c))
		return ".";
	if (c == '&')
		return "&amp;";
	if (c == '<')
		return "&lt;";
	if (c == '>')
		return "&gt;";
	if (c == '"')
		return "&quot;";
	if (c == '\'')
		return "&#39;";
	return NULL;
}

/* One character of @s as text of an element: how many bytes it has. */
static size_t put_char(struct strbuf *out, const char *s)
{
	size_t n;
	const char *other = entity(shown_char(s, &n));

	if (other)
		strbuf_puts(out, other);
	else
		strbuf_add(out, s, n);
	return n;
}

void html_text(struct strbuf *out, const char *text)
{
	for (const char *s = text ? text : ""; *s;)
		s += put_char(out, s);
}

void html_name(struct strbuf *out, const char *name)
{
	for (const char *s = name ? name : ""; *s;) {
		bool joint = *s == '_' || *s == ':';

		s += put_char(out, s);
		if (joint && *s && *s != '_' && *s != ':')
			strbuf_puts(out, "<wbr>");
	}
}

void html_json(struct strbuf *out, const char *json)
{
	for (const char *s = json; *s;) {
		size_t n = strcspn(s, "<");

		strbuf_add(out, s, n);
		s += n;
		if (*s == '<') {
			strbuf_puts(out, "\\u003c");
			s++;
		}
	}
}

const char *html_document(const char *html, const char *id, size_t *len)
{
	char tag[80];
	const char *at, *end;

	snprintf(tag, sizeof(tag), "<script type=\"application/json\" id=\"%s\">", id);
	at = strstr(html, tag);
	at = at ? at + strlen(tag) : NULL;
	end = at ? strstr(at, "</script>") : NULL;
	*len = end ? (size_t)(end - at) : 0;
	return end ? at : NULL;
}

/* Three bytes, or what is left of them, as four digits. */
static void put_group(char four[4], const uint8_t *p, size_t left)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t v = (uint32_t)p[0] << 16;

	v |= left > 1 ? (uint32_t)p[1] << 8 : 0;
	v |= left > 2 ? p[2] : 0;
	four[0] = digits[v >> 18];
	four[1] = digits[v >> 12 & 63];
	four[2] = left > 1 ? digits[v >> 6 & 63] : '=';
	four[3] = left > 2 ? digits[v & 63] : '=';
}

void html_base64(struct strbuf *out, const void *data, size_t len)
{
	const uint8_t *p = data;
	char part[4096];
	size_t n = 0;

	for (size_t i = 0; i < len; i += 3, n += 4) {
		if (n == sizeof(part)) {
			strbuf_add(out, part, n);
			n = 0;
		}
		put_group(part + n, p + i, len - i);
	}
	strbuf_add(out, part, n);
}
