/* SPDX-License-Identifier: MIT */
#include "codegen/graft/lines.h"

#include <stdlib.h>
#include <string.h>

size_t lines_start(const struct source *s, size_t i)
{
	size_t at = s->at[i].at;

	while (at && s->text[at - 1] != '\n')
		at--;
	return at;
}

size_t lines_after(const struct source *s, size_t i)
{
	return s->at[i].at + s->at[i].len;
}

size_t lines_behind(const struct source *s, size_t i)
{
	size_t at = lines_after(s, i);

	while (at < s->len && s->text[at] != '\n')
		at++;
	return at < s->len ? at + 1 : at;
}

bool lines_first(const struct source *s, size_t i)
{
	for (size_t at = lines_start(s, i); at < s->at[i].at; at++)
		if (s->text[at] != ' ' && s->text[at] != '\t')
			return false;
	return true;
}

bool lines_last(const struct source *s, size_t i)
{
	size_t at = lines_after(s, i), end = lines_behind(s, i);

	if (end == at || s->text[end - 1] != '\n')
		return false;
	end--;
	if (end > at && s->text[end - 1] == '\r')
		end--;
	if (end > at && s->text[end - 1] == '\\')
		return false;
	while (at < end) {
		const char *close;

		if (s->text[at] == ' ' || s->text[at] == '\t') {
			at++;
			continue;
		}
		if (s->text[at] != '/' || at + 1 >= end)
			return false;
		if (s->text[at + 1] == '/')
			return true;
		close = s->text[at + 1] == '*' ? strstr(s->text + at + 2, "*/") : NULL;
		if (!close || (size_t)(close - s->text) + 2 > end)
			return false;
		at = (size_t)(close - s->text) + 2;
	}
	return true;
}

const char *lines_end(const struct source *s, size_t at)
{
	const char *next = at < s->len ? memchr(s->text + at, '\n', s->len - at) : NULL;

	if (!next)
		next = memchr(s->text, '\n', s->len);
	return next && next > s->text && next[-1] == '\r' ? "\r\n" : "\n";
}

void lines_indent(const struct source *s, size_t i, struct strbuf *out)
{
	char *indent = source_indent(s, i);

	strbuf_puts(out, indent);
	free(indent);
}
