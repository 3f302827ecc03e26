/* SPDX-License-Identifier: MIT */
#include "lib/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_init(struct json *j, struct strbuf *out)
{
	*j = (struct json){.out = out, .first = {true}};
}

/* Bytes of the valid UTF-8 sequence at @s, or 0. */
static int utf8_len(const unsigned char *s)
{
	int n = *s < 0x80                  ? 1
		: *s >= 0xc2 && *s <= 0xdf ? 2
		: (*s & 0xf0) == 0xe0      ? 3
		: *s >= 0xf0 && *s <= 0xf4 ? 4
					   : 0;

	for (int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void quoted(struct strbuf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	strbuf_puts(out, "\"");
	while (*s) {
		int n = utf8_len(s);

		if (*s == '"' || *s == '\\')
			strbuf_printf(out, "\\%c", *s);
		else if (*s < 0x20)
			strbuf_printf(out, "\\u%04x", *s);
		else if (n)
			strbuf_add(out, s, (size_t)n);
		else
			strbuf_puts(out, "\\ufffd");
		s += n ? n : 1;
	}
	strbuf_puts(out, "\"");
}

static void begin(struct json *j, const char *key)
{
	if (!j->first[j->depth])
		strbuf_puts(j->out, ",");
	if (j->depth)
		strbuf_printf(j->out, "\n%*s", 2 * j->depth, "");
	j->first[j->depth] = false;
	if (key) {
		quoted(j->out, key);
		strbuf_puts(j->out, ": ");
	}
}

static void open_level(struct json *j, const char *key, char open, char close)
{
	begin(j, key);
	strbuf_add(j->out, &open, 1);
	if (j->depth < (int)sizeof(j->close) - 1)
		j->depth++;
	j->close[j->depth] = close;
	j->first[j->depth] = true;
}

void json_object(struct json *j, const char *key)
{
	open_level(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_level(j, key, '[', ']');
}

void json_end(struct json *j)
{
	bool empty = j->first[j->depth];
	char close = j->close[j->depth];

	j->depth--;
	if (!empty)
		strbuf_printf(j->out, "\n%*s", 2 * j->depth, "");
	strbuf_add(j->out, &close, 1);
	if (!j->depth)
		strbuf_puts(j->out, "\n");
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin(j, key);
	if (value)
		quoted(j->out, value);
	else
		strbuf_puts(j->out, "null");
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	strbuf_printf(j->out, "%" PRIu64, value);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	begin(j, key);
	strbuf_printf(j->out, "%" PRId64, value);
}

void json_double(struct json *j, const char *key, double value)
{
	begin(j, key);
	if (isfinite(value))
		strbuf_printf(j->out, "%.9g", value);
	else
		strbuf_puts(j->out, "null");
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	strbuf_puts(j->out, value ? "true" : "false");
}
