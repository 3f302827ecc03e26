/* SPDX-License-Identifier: MIT */
#include "lib/read/json-read.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/shown.h"
#include "lib/strbuf.h"

struct reader {
	const char *start, *p, *end;
	const char *name;
	size_t values;
	int depth;
	struct err *err;
};

static int wrong(struct reader *r, const char *what)
{
	size_t line = 1;

	for (const char *s = r->start; s < r->p; s++)
		line += *s == '\n';
	return err_set(r->err, -EINVAL, "'%s' is not JSON: line %zu: %s", r->name, line, what);
}

static void skip_space(struct reader *r)
{
	while (r->p < r->end && strchr(" \t\n\r", *r->p) && *r->p)
		r->p++;
}

static bool json_read_take(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* Four hexadecimal digits; -1: not there. */
static int hex4(struct reader *r)
{
	int value = 0;

	if (r->end - r->p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = *r->p++;
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return -1;
		value = 16 * value + digit;
	}
	return value;
}

static void put_utf8(struct strbuf *out, uint32_t c)
{
	char b[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; c >>= 6)
		b[i] = (char)(0x80 | (c & 0x3f));
	b[0] = (char)(lead[n] | c);
	strbuf_add(out, b, n);
}

/* Behind `\u`: one character, perhaps of two halves. */
static int read_unicode(struct reader *r, struct strbuf *out)
{
	int c = hex4(r), low;

	if (c <= 0)
		return wrong(r, c ? "\\u needs four hexadecimal digits" : "a string with a NUL");
	if (c >= 0xdc00 && c <= 0xdfff)
		return wrong(r, "half a character");
	if (c >= 0xd800 && c <= 0xdbff) {
		low = json_read_take(r, '\\') && json_read_take(r, 'u') ? hex4(r) : -1;
		if (low < 0xdc00 || low > 0xdfff)
			return wrong(r, "half a character");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	put_utf8(out, (uint32_t)c);
	return 0;
}

static int read_escape(struct reader *r, struct strbuf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (r->p == r->end)
		return wrong(r, "a string without an end");
	if (json_read_take(r, 'u'))
		return read_unicode(r, out);
	at = *r->p ? strchr(from, *r->p) : NULL;
	if (!at)
		return wrong(r, "an unknown escape");
	strbuf_add(out, &to[at - from], 1);
	r->p++;
	return 0;
}

/* A character that stands for itself.  The text behind @end is not looked at. */
static int read_plain(struct reader *r, struct strbuf *out)
{
	char some[5] = "";
	size_t n = (size_t)(r->end - r->p) < 4 ? (size_t)(r->end - r->p) : 4;

	if ((unsigned char)*r->p < 0x20)
		return wrong(r, "a control character in a string");
	memcpy(some, r->p, n);
	if (shown_char(some, &n) == 0xfffd && n == 1)
		return wrong(r, "a string that is not UTF-8");
	strbuf_add(out, r->p, n);
	r->p += n;
	return 0;
}

/* Behind the quote; the caller frees *text. */
static int read_string(struct reader *r, char **text)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	while (!ret && r->p < r->end && *r->p != '"')
		ret = json_read_take(r, '\\') ? read_escape(r, &out) : read_plain(r, &out);
	if (!ret && !json_read_take(r, '"'))
		ret = wrong(r, "a string without an end");
	if (ret)
		strbuf_release(&out);
	else
		*text = strbuf_detach(&out);
	return ret;
}

static size_t digits(struct reader *r)
{
	size_t n = 0;

	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; n++)
		r->p++;
	return n;
}

static int read_number(struct reader *r, struct json_value *v)
{
	const char *begin = r->p;
	char copy[64];
	size_t n;

	json_read_take(r, '-');
	if (!json_read_take(r, '0') && !digits(r))
		return wrong(r, "neither a value nor a number");
	if (json_read_take(r, '.') && !digits(r))
		return wrong(r, "a number without digits behind the point");
	if (json_read_take(r, 'e') || json_read_take(r, 'E')) {
		if (!json_read_take(r, '-'))
			json_read_take(r, '+');
		if (!digits(r))
			return wrong(r, "a number without an exponent");
	}
	n = (size_t)(r->p - begin);
	if (n >= sizeof(copy))
		return wrong(r, "a number with too many digits");
	memcpy(copy, begin, n);
	copy[n] = 0;
	v->kind = JSON_NUMBER;
	v->number = strtod(copy, NULL);
	return isfinite(v->number) ? 0 : wrong(r, "a number that is too large");
}

static int read_word(struct reader *r, struct json_value *v)
{
	static const char *const words[] = {
		[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};

	for (int k = JSON_NULL; k <= JSON_TRUE; k++) {
		size_t n = strlen(words[k]);

		if ((size_t)(r->end - r->p) < n || memcmp(r->p, words[k], n) != 0)
			continue;
		r->p += n;
		v->kind = (enum json_kind)k;
		return 0;
	}
	return read_number(r, v);
}

static int read_value(struct reader *r, struct json_value *v);

/* The key in front of a member, with its colon. */
static int read_key(struct reader *r, struct json_value *v)
{
	int ret;

	skip_space(r);
	if (!json_read_take(r, '"'))
		return wrong(r, "a member without a name");
	ret = read_string(r, &v->key);
	skip_space(r);
	if (!ret && !json_read_take(r, ':'))
		ret = wrong(r, "a member without a colon");
	return ret;
}

/* Behind the opening bracket.  What was read stays in @v, also if it goes wrong. */
static int read_list(struct reader *r, struct json_value *v, char close)
{
	size_t room = 0;
	int ret = 0;

	if (++r->depth > JSON_DEPTH)
		return err_set(r->err, -E2BIG, "'%s' is nested too deeply", r->name);
	skip_space(r);
	if (json_read_take(r, close)) {
		r->depth--;
		return 0;
	}
	do {
		if (v->n == room) {
			room = room ? 2 * room : 4;
			v->at = mem_resize(v->at, room, sizeof(*v->at));
		}
		v->at[v->n] = (struct json_value){.kind = JSON_NULL};
		v->n++;
		if (close == '}')
			ret = read_key(r, &v->at[v->n - 1]);
		if (!ret)
			ret = read_value(r, &v->at[v->n - 1]);
		skip_space(r);
	} while (!ret && json_read_take(r, ','));
	if (!ret && !json_read_take(r, close))
		ret = wrong(r, "a list or an object without an end");
	r->depth--;
	return ret;
}

static int read_value(struct reader *r, struct json_value *v)
{
	skip_space(r);
	if (++r->values > JSON_VALUES)
		return err_set(r->err, -E2BIG, "'%s' has more than %d values", r->name, JSON_VALUES);
	if (json_read_take(r, '{')) {
		v->kind = JSON_OBJECT;
		return read_list(r, v, '}');
	}
	if (json_read_take(r, '[')) {
		v->kind = JSON_ARRAY;
		return read_list(r, v, ']');
	}
	if (json_read_take(r, '"')) {
		v->kind = JSON_STRING;
		return read_string(r, &v->text);
	}
	return read_word(r, v);
}

int json_read(struct json_value *v, const char *text, size_t len, const char *name, struct err *err)
{
	struct reader r = {.start = text, .p = text, .end = text + len, .name = name, .err = err};
	int ret;

	*v = (struct json_value){.kind = JSON_NULL};
	ret = read_value(&r, v);
	skip_space(&r);
	if (!ret && r.p < r.end)
		ret = wrong(&r, "text behind the value");
	if (ret)
		json_release(v);
	return ret;
}

void json_release(struct json_value *v)
{
	for (size_t i = 0; i < v->n; i++)
		json_release(&v->at[i]);
	free(v->at);
	free(v->key);
	free(v->text);
	*v = (struct json_value){.kind = JSON_NULL};
}

const struct json_value *json_member(const struct json_value *object, const char *key)
{
	for (size_t i = 0; object && object->kind == JSON_OBJECT && i < object->n; i++)
		if (!strcmp(object->at[i].key, key))
			return &object->at[i];
	return NULL;
}

const char *json_text_of(const struct json_value *object, const char *key, const char *otherwise)
{
	const struct json_value *v = json_member(object, key);

	return v && v->kind == JSON_STRING ? v->text : otherwise;
}

double json_number_of(const struct json_value *object, const char *key, double otherwise)
{
	const struct json_value *v = json_member(object, key);

	return v && v->kind == JSON_NUMBER ? v->number : otherwise;
}

bool json_bool_of(const struct json_value *object, const char *key, bool otherwise)
{
	const struct json_value *v = json_member(object, key);

	return v && (v->kind == JSON_TRUE || v->kind == JSON_FALSE) ? v->kind == JSON_TRUE : otherwise;
}
