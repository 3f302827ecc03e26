/* SPDX-License-Identifier: MIT */
#include "evidence/pack/csv.h"

#include <errno.h>
#include <stdbool.h>

#include "lib/strbuf.h"

struct reader {
	const char *at, *end, *name;
	uint32_t line;
	struct err *err;
};

static int csv_fail(const struct reader *r, const char *what)
{
	return err_set(r->err, -EINVAL, "%s line %u: %s", r->name, r->line, what);
}

static int quoted(struct reader *r, struct strbuf *out)
{
	for (r->at++;; r->at++) {
		if (r->at == r->end)
			return csv_fail(r, "the quote is not closed");
		if (*r->at == '\0')
			return csv_fail(r, "a byte 0 in the text");
		r->line += *r->at == '\n';
		if (*r->at != '"') {
			strbuf_add(out, r->at, 1);
			continue;
		}
		if (r->at + 1 == r->end || r->at[1] != '"')
			break;
		strbuf_add(out, r->at++, 1);
	}
	r->at++;
	if (r->at < r->end && *r->at != ',' && *r->at != '\n' && *r->at != '\r')
		return csv_fail(r, "text behind a closing quote: a quote inside a field is doubled");
	return 0;
}

static int plain(struct reader *r, struct strbuf *out)
{
	for (; r->at < r->end && *r->at != ',' && *r->at != '\n' && *r->at != '\r'; r->at++) {
		if ((unsigned char)*r->at < 0x20 && *r->at != '\t')
			return csv_fail(r, "a control character");
		if (*r->at == '"')
			return csv_fail(r, "a quote inside a field that does not begin with one");
		strbuf_add(out, r->at, 1);
	}
	return 0;
}

/* One field; blanks round a field without quotes do not belong to it. */
static int field(struct reader *r, struct csv_row *row)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	strbuf_puts(&out, "");
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
	if (r->at < r->end && *r->at == '"') {
		ret = quoted(r, &out);
	} else {
		ret = plain(r, &out);
		while (out.len && (out.s[out.len - 1] == ' ' || out.s[out.len - 1] == '\t'))
			out.s[--out.len] = '\0';
	}
	vec_push(&row->fields, strbuf_detach(&out));
	return ret;
}

static bool ends_line(const struct reader *r)
{
	return r->at == r->end || *r->at == '\n' || *r->at == '\r';
}

static int one_row(struct reader *r, struct csv_rows *rows)
{
	struct csv_row *row = vec_add(rows);
	int ret;

	row->line = r->line;
	do {
		ret = field(r, row);
	} while (!ret && r->at < r->end && *r->at == ',' && r->at++);
	if (!ret && !ends_line(r))
		ret = csv_fail(r, "a comma or the end of the line expected");
	return ret;
}

int csv_parse(struct csv_rows *rows, const char *text, size_t len, const char *name, struct err *err)
{
	struct reader r = {text, text + len, name, 1, err};
	int ret = 0;

	while (!ret && r.at < r.end) {
		if (*r.at == '\r' || *r.at == '\n')
			r.line += *r.at++ == '\n';
		else
			ret = one_row(&r, rows);
	}
	return ret;
}

const char *csv_field(const struct csv_row *row, size_t i)
{
	return i < row->fields.n ? row->fields.at[i] : "";
}

void csv_release(struct csv_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		for (size_t k = 0; k < rows->at[i].fields.n; k++)
			free(rows->at[i].fields.at[k]);
		vec_release(&rows->at[i].fields);
	}
	vec_release(rows);
}
