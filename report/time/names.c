/* SPDX-License-Identifier: MIT */
/* Names that a summary owns, each once. */
#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "report/time/collect.h"

#define ROOM_FIRST 256u

static size_t names_hash(const char *name)
{
	uint64_t h = 14695981039346656037u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 1099511628211u;
	return (size_t)(h ^ h >> 32);
}

/* Where @name is, or would be. */
static uint32_t *names_slot(const struct report_summary *s, const char *name)
{
	for (size_t i = names_hash(name);; i++) {
		uint32_t *at = &s->name_at[i & (s->name_room - 1)];

		if (!*at || !strcmp(s->names[*at - 1], name))
			return at;
	}
}

/* Twice the room, for names and for their hashes. */
static void names_grow(struct report_summary *s)
{
	s->name_room = s->name_room ? 2 * s->name_room : ROOM_FIRST;
	free(s->name_at);
	s->name_at = mem_new(s->name_room, sizeof(*s->name_at));
	s->names = mem_resize(s->names, s->name_room / 2, sizeof(*s->names));
	for (size_t i = 0; i < s->n_names; i++)
		*names_slot(s, s->names[i]) = (uint32_t)i + 1;
}

const char *summary_name(struct report_summary *s, const char *name)
{
	uint32_t *at;

	if (2 * s->n_names >= s->name_room)
		names_grow(s);
	at = names_slot(s, name);
	if (!*at) {
		s->names[s->n_names++] = mem_strdup(name);
		*at = (uint32_t)s->n_names;
	}
	return s->names[*at - 1];
}

const char *pretty_name(struct report_summary *s, const char *asm_name)
{
	const struct run_function *f = run_function(s->run, asm_name);
	const char *name;
	char *short_name;

	if (f)
		return f->pretty;
	short_name = demangle_short(asm_name);
	name = short_name ? summary_name(s, short_name) : asm_name;
	free(short_name);
	return name;
}
