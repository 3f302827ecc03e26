/* SPDX-License-Identifier: MIT */
#include "lib/spawn/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void words_fill(const char *text, words_value *value, void *arg, struct strbuf *out)
{
	while (*text) {
		size_t len = strcspn(text, "{");
		const char *end;

		strbuf_add(out, text, len);
		text += len;
		if (!*text)
			break;
		end = strchr(text, '}');
		if (end && value(arg, text + 1, (size_t)(end - text) - 1, out))
			text = end + 1;
		else
			strbuf_add(out, text++, 1);
	}
}

const char *words_name(const char *text, size_t *len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	for (const char *p = strchr(text, '{'); p; p = strchr(p + 1, '{')) {
		*len = strspn(p + 1, letters);
		if (*len && p[1 + *len] == '}' && (p[1] < '0' || p[1] > '9') && (p == text || p[-1] != '$'))
			return p + 1;
	}
	return NULL;
}

double words_figure(const char *text, const char *name)
{
	double value = NAN;
	size_t len = strlen(name);

	for (const char *line = text; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line + strspn(line, " \t");
		char *end;
		double v;

		if (strncmp(at, name, len) || !at[len] || !strchr(" \t=:", at[len]))
			continue;
		at += len + strspn(at + len, " \t=:");
		v = strtod(at, &end);
		if (end != at)
			value = end[strspn(end, " \t\r")] && end[strspn(end, " \t\r")] != '\n' ? NAN : v;
	}
	return value;
}
