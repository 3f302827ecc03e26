/* SPDX-License-Identifier: MIT */
#include "codegen/parts.h"

#include <string.h>

/* Is one of the names in the line @names wanted? */
static bool wanted(const char *names, size_t len, const struct part *parts)
{
	for (; parts->name; parts++) {
		size_t n = strlen(parts->name);

		for (size_t i = 0; parts->wanted && i + n <= len; i++)
			if (i > 0 && names[i - 1] == ' ' && !strncmp(names + i, parts->name, n) &&
			    (i + n == len || names[i + n] == ' '))
				return true;
	}
	return false;
}

void parts_add(struct strbuf *out, const char *text, const struct part *parts)
{
	bool keep = true;

	while (*text) {
		size_t len = strcspn(text, "\n");
		size_t whole = len + (text[len] == '\n');

		if (!strncmp(text, "@if", 3))
			keep = wanted(text + 3, len - 3, parts);
		else if (!strncmp(text, "@else", 5))
			keep = !keep;
		else if (!strncmp(text, "@end", 4))
			keep = true;
		else if (keep)
			strbuf_add(out, text, whole);
		text += whole;
	}
}
