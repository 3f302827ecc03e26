/* SPDX-License-Identifier: MIT */
/* Parts of std::pair that are kept apart. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/types/types.h"
#include "analyzer/patch/variables/variable.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"

/* The second type of "std::pair<A, B>", owned by the caller; NULL: it is another type. */
static char *second_type(const char *type)
{
	int depth = 0;

	if (!type || strncmp(type, "std::pair<", 10))
		return NULL;
	for (const char *s = type + 10; *s; s++) {
		depth += (*s == '<') - (*s == '>');
		if (*s != ',' || depth)
			continue;
		s += 1 + strspn(s + 1, " ");
		depth = (int)strlen(s) - 1;
		while (depth > 0 && s[depth - 1] == ' ')
			depth--;
		return depth > 0 ? mem_strndup(s, (size_t)depth) : NULL;
	}
	return NULL;
}

/* True if threads meet between the two parts of pairs, and not inside of one. */
static bool between_parts(const struct sharing_object *o)
{
	for (size_t i = 0; i < o->n_uses; i++) {
		bool first = !strncmp(o->uses[i].field, "first", 5);

		if (o->uses[i].inside || (!first && strncmp(o->uses[i].field, "second", 6) != 0))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!o->array && first == !strncmp(o->uses[k].field, "first", 5) &&
			    !sharing_use_alike(&o->uses[i], &o->uses[k]))
				return false;
	}
	return true;
}

/* What the layout of a pair has of its second part, which may have base classes; free the fields. */
static bool second_layout(const struct sharing_object *o, const char *type, struct run_type *out)
{
	const struct run_type *pair = o->layout;

	*out = (struct run_type){.name = type};
	if (!pair)
		return false;
	out->fields = mem_new(pair->n_fields + 1, sizeof(*out->fields));
	for (size_t i = 0; i < pair->n_fields; i++) {
		struct run_field field = pair->fields[i];

		if (strncmp(field.name, "second.", 7))
			continue;
		if (!out->n_fields)
			out->bytes = pair->bytes - field.offset;
		field.name += 7;
		field.offset -= pair->bytes - out->bytes;
		out->fields[out->n_fields++] = field;
	}
	out->fixed = out->bytes;
	return out->n_fields;
}

/* Let @layout, the type of the second part, begin a line. */
static bool align_second(struct patch *p, const struct sharing_finding *f, const struct sharing_object *pair,
			 const struct run_type *layout)
{
	struct sharing_use use = {.field = (char *)layout->fields[0].name, .placed = true};
	struct sharing_object o = {.kind = OBJECT_GLOBAL,
				   .array = true,
				   .uses = &use,
				   .n_uses = 1,
				   .file = pair->file,
				   .layout = layout};
	struct remedy_layout l;
	bool done;

	if (patch_check_memory(p, &o, NULL) || o.also_allocated || !layout_pad(&l, &o, true))
		return false;
	done = l.whole && !patch_struct(p, f, &o, &l, NULL);
	layout_release(&l);
	return done;
}

bool patch_pair(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		uint64_t *bytes)
{
	char *type = second_type(o->type);
	struct run_type layout = {0};
	bool done = type && !layout_of_library(type) && o->kind != OBJECT_HEAP && between_parts(o) &&
		    second_layout(o, type, &layout) && align_second(p, f, o, &layout);
	uint64_t n = remedy_elements(o), first = done ? o->layout->bytes - layout.bytes : 0;

	if (done) {
		patch_alignment(p, o);
		*bytes += (n + !n) * ((REMEDY_LINE - first % REMEDY_LINE) % REMEDY_LINE +
				      (REMEDY_LINE - layout.bytes % REMEDY_LINE) % REMEDY_LINE);
	}
	free(layout.fields);
	free(type);
	return done;
}
