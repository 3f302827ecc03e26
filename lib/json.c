/* SPDX-License-Identifier: MIT */
#include "lib/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/shown.h"

void json_init(struct json *j, struct strbuf *out)
{
	*j = (struct json){.out = out, .first = {true}};
}

static void put_escaped(struct strbuf *out, uint32_t c)
{
	if (c >= 0x10000) {
		c -= 0x10000;
		strbuf_printf(out, "\\u%04x", 0xd800 + (c >> 10));
		c = 0xdc00 + (c & 0x3ff);
	}
	strbuf_printf(out, "\\u%04x", c);
}

/*
 * What must not be shown as it is stands there in letters: JSON is looked at, too.
 * Inside of a page nothing ends the script that it stands in.
 */
void json_quote(struct strbuf *out, const char *s)
{
	size_t n;

	strbuf_puts(out, "\"");
	for (; *s; s += n) {
		uint32_t c = shown_char(s, &n);

		if (c == '"' || c == '\\')
			strbuf_printf(out, "\\%c", (int)c);
		else if (shown_not(c) || (c == '<' && (s[1] == '/' || s[1] == '!')))
			put_escaped(out, c);
		else
			strbuf_add(out, s, n);
	}
	strbuf_puts(out, "\"");
}

static void lib_json_begin(struct json *j, const char *key)
{
	if (!j->first[j->depth])
		strbuf_puts(j->out, ",");
	if (j->depth)
		strbuf_printf(j->out, "\n%*s", 2 * j->depth, "");
	j->first[j->depth] = false;
	if (key) {
		json_quote(j->out, key);
		strbuf_puts(j->out, ": ");
	}
}

static void open_level(struct json *j, const char *key, char open, char close)
{
	lib_json_begin(j, key);
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
	lib_json_begin(j, key);
	if (value)
		json_quote(j->out, value);
	else
		strbuf_puts(j->out, "null");
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	lib_json_begin(j, key);
	strbuf_printf(j->out, "%" PRIu64, value);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	lib_json_begin(j, key);
	strbuf_printf(j->out, "%" PRId64, value);
}

void json_double(struct json *j, const char *key, double value)
{
	lib_json_begin(j, key);
	if (isfinite(value))
		strbuf_printf(j->out, "%.9g", value);
	else
		strbuf_puts(j->out, "null");
}

void json_bool(struct json *j, const char *key, bool value)
{
	lib_json_begin(j, key);
	strbuf_puts(j->out, value ? "true" : "false");
}
