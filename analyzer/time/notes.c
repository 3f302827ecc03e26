/* SPDX-License-Identifier: MIT */
#include "analyzer/time/notes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/shown.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

void notes_add(struct notes *notes, const char *fmt, ...)
{
	char text[480];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	shown_make(text, "");
	for (size_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->at[i], text))
			return;
	vec_push(notes, mem_strdup(text));
}

#define NAMED 4 /* of those for which a line holds, too */

static const char *said(const char *note)
{
	return strstr(note, ": ");
}

static bool says_the_same(const char *a, const char *b)
{
	return said(a) && said(b) && !strcmp(said(a), said(b));
}

static char *one_line(const struct notes *notes, size_t i)
{
	struct strbuf more = STRBUF_INIT, out = STRBUF_INIT;
	size_t n = 0;

	for (size_t k = i + 1; k < notes->n; k++)
		if (says_the_same(notes->at[i], notes->at[k]) && n++ < NAMED)
			strbuf_printf(&more, "%s%.*s", n > 1 ? ", " : "",
				      (int)(said(notes->at[k]) - notes->at[k]), notes->at[k]);
	strbuf_puts(&out, notes->at[i]);
	if (n)
		strbuf_printf(&out, " (the same for %zu more: %s%s)", n, more.s, n > NAMED ? ", ..." : "");
	strbuf_release(&more);
	return strbuf_detach(&out);
}

void notes_grouped(const struct notes *notes, struct notes *out)
{
	for (size_t i = 0; i < notes->n; i++) {
		bool before = false;

		for (size_t k = 0; k < i && !before; k++)
			before = says_the_same(notes->at[k], notes->at[i]);
		if (!before)
			vec_push(out, one_line(notes, i));
	}
}

void notes_release(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->at[i]);
	vec_release(notes);
}
