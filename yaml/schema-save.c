/* SPDX-License-Identifier: MIT */
/* Struct -> canonical text. */
#include "lib/shown.h"
#include "yaml/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

static void indent_by(int indent, struct strbuf *out)
{
	strbuf_printf(out, "%*s", indent, "");
}

/* Characters that YAML does not take literally, that end a line, or that would make it look like another. */
static bool needs_escape(uint32_t c)
{
	return shown_not(c) || c == 0xfffe || c == 0xffff;
}

static void quote_char(const char *s, size_t n, uint32_t c, struct strbuf *out)
{
	if (c == '"' || c == '\\')
		strbuf_printf(out, "\\%c", (int)c);
	else if (c == '\n')
		strbuf_puts(out, "\\n");
	else if (c == '\t')
		strbuf_puts(out, "\\t");
	else if (c == 0xfffd)
		strbuf_puts(out, "\xef\xbf\xbd");
	else if (needs_escape(c))
		strbuf_printf(out,
			      c < 0x100     ? "\\x%02" PRIx32
			      : c < 0x10000 ? "\\u%04" PRIx32
					    : "\\U%08" PRIx32,
			      c);
	else
		strbuf_add(out, s, n);
}

void schema_quote(const char *s, struct strbuf *out)
{
	size_t n;

	strbuf_puts(out, "\"");
	for (; *s; s += n) {
		uint32_t c = shown_char(s, &n);

		quote_char(s, n, c, out);
	}
	strbuf_puts(out, "\"");
}

/* The shortest of 15 to 17 digits that reads back as the same number. */
static void put_double(double x, struct strbuf *out)
{
	char buf[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, x + 0.0);
		if (strtod(buf, NULL) == x)
			break;
	}
	strbuf_puts(out, buf);
}

static void put_scalar(const struct schema_field *f, const void *at, size_t position, struct strbuf *out)
{
	const char *s;

	switch (f->kind) {
	case SCHEMA_STRING:
	case SCHEMA_HEX:
		s = *(char *const *)at;
		if (f->words)
			strbuf_puts(out, s ? s : "");
		else
			schema_quote(s ? s : "", out);
		break;
	case SCHEMA_BOOL:
		strbuf_puts(out, *(const bool *)at ? "true" : "false");
		break;
	case SCHEMA_U64:
		strbuf_printf(out, "%" PRIu64, *(const uint64_t *)at);
		break;
	case SCHEMA_INT:
		strbuf_printf(out, "%d", *(const int *)at);
		break;
	case SCHEMA_DOUBLE:
		put_double(*(const double *)at, out);
		break;
	case SCHEMA_INDEX:
		strbuf_printf(out, "%zu", position);
		break;
	default:
		strbuf_printf(out, "%" PRIu32, *(const uint32_t *)at);
	}
}

static void put_reals(const double *at, size_t n, struct strbuf *out)
{
	strbuf_puts(out, "[");
	for (size_t i = 0; i < n; i++) {
		strbuf_puts(out, i ? ", " : "");
		put_double(at[i], out);
	}
	strbuf_puts(out, "]");
}

static void put_enum(const struct schema_field *f, unsigned value, struct strbuf *out)
{
	unsigned n = 0;

	while (f->words[n])
		n++;
	if (value < n)
		strbuf_puts(out, f->words[value]);
	else
		strbuf_printf(out, "%u", value); /* refused when it is read back */
}

/* `{same: 1, remote: 2}`, zeros left out. */
static void put_numbers(const struct schema_field *f, const uint64_t *at, struct strbuf *out)
{
	const char *comma = "";

	strbuf_puts(out, "{");
	for (size_t w = 0; f->words[w]; w++) {
		if (!at[w])
			continue;
		strbuf_printf(out, "%s%s: %" PRIu64, comma, f->words[w], at[w]);
		comma = ", ";
	}
	strbuf_puts(out, "}");
}

static void put_row(const uint64_t *at, size_t n, struct strbuf *out)
{
	strbuf_puts(out, "[");
	for (size_t i = 0; i < n; i++)
		strbuf_printf(out, "%s%" PRIu64, i ? ", " : "", at[i]);
	strbuf_puts(out, "]\n");
}

static bool is_written(const struct schema_field *f, const void *obj)
{
	bool optional = f->flags & (SCHEMA_OPTIONAL | SCHEMA_ABSENT);

	return schema_applies(f, obj) && !(optional && schema_is_absent(f, obj));
}

/* A value that fits on the line of its key. */
static void put_inline(const struct schema_field *f, const void *obj, size_t position, struct strbuf *out)
{
	const char *at = (const char *)obj + f->offset;

	if (f->kind == SCHEMA_KEYED)
		put_numbers(f, (const uint64_t *)(const void *)at, out);
	else if (f->kind == SCHEMA_ENUM)
		put_enum(f, *(const unsigned *)(const void *)at, out);
	else if (f->kind == SCHEMA_REALS)
		put_reals(*(double *const *)(const void *)at, schema_count(f, obj), out);
	else
		put_scalar(f, at, position, out);
}

static void put_flow(const struct schema *s, const void *obj, size_t position, struct strbuf *out)
{
	const char *comma = "";

	strbuf_puts(out, "{");
	for (const struct schema_field *f = s->fields; f->key; f++) {
		if (!is_written(f, obj))
			continue;
		strbuf_printf(out, "%s%s: ", comma, f->key);
		put_inline(f, obj, position, out);
		comma = ", ";
	}
	strbuf_puts(out, "}\n");
}

/* A list element: its first key stands behind the dash. */
static void put_element(const struct schema *s, const char *at, size_t i, int indent, struct strbuf *out)
{
	size_t start;

	indent_by(indent, out);
	strbuf_puts(out, "- ");
	if (s->flow) {
		put_flow(s, at, i, out);
		return;
	}
	start = out->len;
	schema_text(s, at, indent + 2, i, out);
	if (out->len == start) {
		strbuf_puts(out, "{}\n");
		return;
	}
	memmove(out->s + start, out->s + start + indent + 2, out->len - start - (size_t)indent - 1);
	out->len -= (size_t)indent + 2;
}

static void put_list(const struct schema_field *f, const void *obj, int indent, struct strbuf *out)
{
	const char *at = *(const char *const *)(const void *)((const char *)obj + f->offset);
	size_t n = schema_count(f, obj);

	if (!n) {
		strbuf_puts(out, " []\n");
		return;
	}
	strbuf_puts(out, "\n");
	for (size_t i = 0; i < n; i++) {
		if (f->kind == SCHEMA_STRUCT) {
			put_element(f->element, at + i * f->element->size, i, indent + 2, out);
		} else if (f->kind == SCHEMA_MATRIX) {
			indent_by(indent + 2, out);
			strbuf_puts(out, "- ");
			put_row((const uint64_t *)(const void *)at + i * n, n, out);
		} else {
			indent_by(indent + 2, out);
			strbuf_puts(out, "- ");
			schema_quote(((char *const *)(const void *)at)[i], out);
			strbuf_puts(out, "\n");
		}
	}
}

/* A map of structs, one line each. */
static void put_keyed(const struct schema_field *f, const char *at, int indent, struct strbuf *out)
{
	size_t size = f->element->size;
	char *zero = mem_new(1, size);

	strbuf_puts(out, "\n");
	for (size_t i = 0; f->words[i]; i++) {
		size_t w = f->order ? f->order[i] : i;

		if (zero && !memcmp(at + w * size, zero, size))
			continue;
		indent_by(indent + 2, out);
		strbuf_printf(out, "%s: ", f->words[w]);
		put_flow(f->element, at + w * size, 0, out);
	}
	free(zero);
}

void schema_text(const struct schema *s, const void *obj, int indent, size_t position, struct strbuf *out)
{
	for (const struct schema_field *f = s->fields; f->key; f++) {
		if (!is_written(f, obj))
			continue;
		indent_by(indent, out);
		strbuf_printf(out, "%s:", f->key);
		if (f->kind == SCHEMA_MAP) {
			strbuf_puts(out, "\n");
			schema_text(f->element, (const char *)obj + f->offset, indent + 2, 0, out);
		} else if (f->kind == SCHEMA_STRUCT || f->kind == SCHEMA_STRINGS ||
			   f->kind == SCHEMA_MATRIX) {
			put_list(f, obj, indent, out);
		} else if (f->kind == SCHEMA_KEYED && f->element) {
			put_keyed(f, (const char *)obj + f->offset, indent, out);
		} else {
			strbuf_puts(out, " ");
			put_inline(f, obj, position, out);
			strbuf_puts(out, "\n");
		}
	}
}
