/* SPDX-License-Identifier: MIT */
#include "analyzer/notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "analyzer/names.h"
#include "lib/vec.h"

void notes_add(struct notes *notes, const char *fmt, ...)
{
	char text[480];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	name_defuse(text);
	for (size_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->at[i], text))
			return;
	vec_push(notes, mem_strdup(text));
}

void notes_release(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->at[i]);
	vec_release(notes);
}
