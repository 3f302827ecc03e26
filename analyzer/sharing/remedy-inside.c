/* SPDX-License-Identifier: MIT */
/* Threads that meet inside of one member: what moves members does not part them. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy-layout.h"
#include "analyzer/sharing/remedy.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

/* Meetings in one place that are less than this share of the finding's do not decide about it. */
#define INSIDE_SHARE 0.1

size_t remedy_member_len(const char *field)
{
	return strcspn(field, ".[");
}

bool remedy_same_member(const char *x, const char *y)
{
	size_t len = remedy_member_len(x);

	return len && len == remedy_member_len(y) && !strncmp(x, y, len);
}

/* Seen to pass between two places of the member in one struct. */
static bool seen_inside(const struct sharing_finding *f, const struct sharing_use *use)
{
	return use->inside && (double)use->inside >= INSIDE_SHARE * (double)f->transfers;
}

/* One number: what several threads need of it they share truly, and nothing in it can be moved apart. */
static bool is_number(const struct sharing_use *use)
{
	return !strchr(use->field, '[') && use->bytes && use->access >= use->bytes;
}

bool remedy_inside_member(const struct sharing_finding *f, const struct sharing_object *o, size_t at)
{
	const struct sharing_use *use = &o->uses[at];

	if (!o->layout || !use->placed || !*use->field || *use->field == '[')
		return false;
	if (seen_inside(f, use))
		return true;
	if (o->array || use->beside || remedy_is_lock(o, use))
		return false;
	/* Of several blocks of the heap, each thread may have its own. */
	if (use->n_threads > 1 && o->kind != OBJECT_HEAP && !is_number(use))
		return true;
	for (size_t i = 0; i < o->n_uses; i++)
		if (i != at && remedy_same_member(o->uses[i].field, use->field) &&
		    !sharing_use_alike(&o->uses[i], use))
			return true;
	return false;
}

/* Behind @member in @field, without what a std::array calls its elements; NULL: another member. */
static const char *behind(const char *field, const char *member)
{
	static const char elements[] = "._M_elems";
	size_t len = strlen(member);

	if (strncmp(field, member, len) || (field[len] != '[' && field[len] != '.'))
		return NULL;
	return field + len + (strncmp(field + len, elements, strlen(elements)) ? 0 : strlen(elements));
}

bool remedy_inner_elements(const char *field, const char *member)
{
	const char *rest = behind(field, member);

	return rest && *rest == '[';
}

char *remedy_inner_name(const char *field, const char *member)
{
	field = behind(field, member);
	if (!field)
		return NULL;
	while (*field == '[')
		field += strcspn(field, "]") + 1;
	return *field == '.' ? mem_strndup(field + 1, strcspn(field + 1, ".[")) : NULL;
}

char *remedy_site_name(const struct run_mem_site *site, const struct sharing_object *o, const char *member)
{
	bool other =
		strcmp(site->type, "-") && strcmp(site->field, "-") && strcmp(site->type, o->layout->name);

	return other ? mem_strndup(site->field, remedy_member_len(site->field))
		     : remedy_inner_name(site->field, member);
}

size_t remedy_stem(const char *field)
{
	const char *library = strstr(field, "._M_");
	size_t len = library ? (size_t)(library - field) : strlen(field);

	while (len && field[len - 1] == ']')
		while (len && field[--len] != '[')
			;
	return len;
}

/*
 * An access by this name is one to @member itself: "w[]" to `q.w`, "w[]" to `w` by another name
 * of the type, and what the library calls the value of a std::atomic.
 */
static bool names_itself(const char *name, const char *member)
{
	const char *dot = strrchr(member, '.');

	return name && (!strcmp(name, dot ? dot + 1 : member) || !strncmp(name, "_M_", 3));
}

/* True if what threads use inside of @member has names: it is a struct, or an array of them. */
static bool has_members(const struct sharing_finding *f, const struct sharing_object *o, const char *member)
{
	char *name = NULL;
	bool any;

	for (size_t i = 0; i < o->n_uses && !name; i++) {
		name = remedy_inner_name(o->uses[i].field, member);
		if (name && !strncmp(name, "_M_", 3)) {
			free(name);
			name = NULL;
		}
	}
	for (size_t i = 0; i < f->n_pairs && !name; i++) {
		const struct run_mem_site *sites[2] = {f->pairs[i].a.site, f->pairs[i].b.site};

		for (int s = 0; s < 2 && !name; s++)
			if (sites[s]) {
				name = remedy_site_name(sites[s], o, member);
				if (names_itself(name, member)) {
					free(name);
					name = NULL;
				}
			}
	}
	any = name != NULL;
	free(name);
	return any;
}

/* Bytes of the widest access, 0 unknown. */
static uint64_t access_bytes(const struct sharing_finding *f)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct run_mem_site *sites[2] = {f->pairs[i].a.site, f->pairs[i].b.site};

		for (int s = 0; s < 2; s++)
			if (sites[s] && sites[s]->bytes > bytes)
				bytes = sites[s]->bytes;
	}
	return bytes;
}

/* A layout that is as it was: the object begins a line already, or need not. */
static bool moves_nothing(const struct sharing_finding *f, const struct sharing_object *o)
{
	struct remedy_layout l;
	bool nothing;

	if (!layout_pad(&l, o, remedy_between_elements(f, o)))
		return false;
	nothing = !layout_moves(&l) && (l.gaps || (o->on_line && !o->off_line));
	layout_release(&l);
	return nothing;
}

/* Bytes of the array that @use lies in: the table has "w._M_elems[2]" where an access has "w._M_elems[]._M_i". */
static uint64_t array_bytes(const struct sharing_object *o, const struct sharing_use *use)
{
	size_t len = strcspn(use->field, "[");
	const char *rest = use->field + len;

	while (*rest == '[')
		rest += strcspn(rest, "]") + 1;
	if (*rest && strncmp(rest, "._M_", 4))
		return use->bytes;
	for (size_t i = 0; use->field[len] && i < o->layout->n_fields; i++) {
		const struct run_field *field = &o->layout->fields[i];

		if (!strncmp(field->name, use->field, len + 1) && field->bytes > use->bytes &&
		    !strchr(field->name + len + strcspn(field->name + len, "]"), '.'))
			return field->bytes;
	}
	return use->bytes;
}

/* Bytes of one number of it, 0 unknown. */
static uint64_t number_bytes(const struct sharing_finding *f, const struct sharing_use *use)
{
	return use->access ? use->access : access_bytes(f);
}

/* Of several arrays in one struct, meetings are seen in those that are used first. */
static bool beside_others(const struct sharing_finding *f, const struct sharing_object *o)
{
	bool any = false;

	for (size_t i = 0; i < o->n_uses; i++)
		any |= seen_inside(f, &o->uses[i]);
	return any && !o->array && o->kind != OBJECT_HEAP;
}

bool remedy_in_numbers(const struct sharing_finding *f, const struct sharing_object *o, size_t at)
{
	const struct sharing_use *use = &o->uses[at];
	uint64_t one = number_bytes(f, use);
	bool inside =
		seen_inside(f, use) || (use->n_threads > 1 && (moves_nothing(f, o) || beside_others(f, o)));
	char *member;

	/* The library's arrays are declared with the type of their elements. */
	if (o->layout && layout_of_library(o->layout->name))
		return false;
	if (!inside || use->beside || !o->layout || !use->placed || !one || one >= array_bytes(o, use))
		return false;
	/* Of a struct in the struct, `q.up` and `q.down` can be moved apart; `q.w[0]` and `q.w[1]` not. */
	if (strchr(use->field, '.') && use->n_threads < 2)
		return false;
	member = mem_strndup(use->field, remedy_stem(use->field));
	inside = !has_members(f, o, member);
	free(member);
	return inside;
}

static char *tell(const struct sharing_finding *f, const struct sharing_object *o,
		  const struct sharing_use *use)
{
	unsigned long long one = number_bytes(f, use), all = array_bytes(o, use);
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "threads meet inside of member `%.*s", (int)remedy_stem(use->field), use->field);
	if (all % one == 0)
		strbuf_printf(&sb, "[%llu]", all / one);
	strbuf_printf(&sb, "` of %s: ", o->layout->name);
	if (all / one > REMEDY_ELEMENTS)
		strbuf_puts(&sb, "each thread's part of it would have to begin a line");
	else
		strbuf_printf(&sb, "its elements of %llu bytes would each need a line of their own", one);
	strbuf_puts(&sb, ", which no room around the member gives");
	return strbuf_detach(&sb);
}

uint64_t remedy_numbers(const struct sharing_finding *f, const struct sharing_object *o,
			const struct sharing_use *use, uint64_t *bytes)
{
	*bytes = array_bytes(o, use);
	return *bytes / number_bytes(f, use);
}

char *remedy_no_layout(const struct sharing_finding *f)
{
	bool bases;

	for (size_t i = 0; i < f->n_objects; i++)
		for (size_t k = 0; k < f->objects[i].n_uses; k++)
			if (remedy_in_numbers(f, &f->objects[i], k))
				return tell(f, &f->objects[i], &f->objects[i].uses[k]);
	return remedy_together(f, &bases);
}

char *remedy_together(const struct sharing_finding *f, bool *bases)
{
	char *why = NULL;

	*bases = false;
	for (size_t i = 0; i < f->n_objects && !why; i++)
		why = layout_together(&f->objects[i], remedy_between_elements(f, &f->objects[i]), bases);
	return why;
}
