/* SPDX-License-Identifier: MIT */
/* Which field and which element of an object an access touches. */
#include "analyzer/objects/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/names.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

/* In blocks of no known type up to this size, a place is named by its offset. */
#define SMALL_BLOCK 256u

/* "v[3].x[1]" -> "v[].x[]": which element is not the same in every run. */
static void drop_indices(char *s)
{
	char *to = s;

	for (; *s; s++) {
		*to++ = *s;
		if (*s == '[')
			s += strspn(s + 1, "0123456789");
	}
	*to = '\0';
}

static uint64_t field_bytes(const struct object *o, const char *name, const struct run_mem_site *site)
{
	for (size_t i = 0; o->layout && i < o->layout->n_fields; i++)
		if (run_field_is(&o->layout->fields[i], name))
			return o->layout->fields[i].bytes;
	return site ? site->bytes : 0;
}

static uint32_t intern_field(struct object *o, const char *name, const struct run_mem_site *site)
{
	for (uint32_t i = 0; i < o->n_fields; i++)
		if (!strcmp(o->fields[i], name))
			return i;
	o->fields = mem_resize(o->fields, o->n_fields + 1, sizeof(*o->fields));
	o->field_bytes = mem_resize(o->field_bytes, o->n_fields + 1, sizeof(*o->field_bytes));
	o->fields[o->n_fields] = mem_strdup(name);
	o->field_bytes[o->n_fields] = field_bytes(o, name, site);
	return (uint32_t)o->n_fields++;
}

/* A scalar of several in one object: an element of an array without a layout. */
static bool is_element(const struct object *o, const struct run_mem_site *site)
{
	if (o->array)
		return true;
	/* The brackets of the site are those of a member, or of a pointer to one. */
	if (o->layout && !o->guessed && o->bytes && (o->open || o->bytes < 2 * o->layout->bytes))
		return false;
	if (site && strstr(site->base, "[]"))
		return true;
	return o->kind != OBJECT_STACK && o->kind != OBJECT_UNKNOWN && !o->layout && site &&
	       o->bytes > site->bytes;
}

/* "in.n" is the part "n" of something. */
static bool is_part(const char *whole, const char *part)
{
	size_t all = strlen(whole), len = strlen(part);

	return all > len && whole[all - len - 1] == '.' && !strcmp(whole + all - len, part);
}

/*
 * What the site says of a use whose bytes were not seen.  Where it knows only the
 * struct inside the object's, the one field of the object that it can be is
 * meant, so that the name is that of a run in which the bytes were seen.
 */
static void field_of_site(char *name, size_t size, const struct object *o, const struct run_mem_site *site)
{
	bool inner =
		o->layout && !o->guessed && name_known(site->type) && strcmp(o->layout->name, site->type);
	const char *only = NULL;
	size_t n = 0;

	for (size_t i = 0; inner && i < o->layout->n_fields; i++) {
		const struct run_field *f = &o->layout->fields[i];

		if (f->bytes != site->bytes || !is_part(f->name, site->field))
			continue;
		only = f->name;
		n++;
	}
	snprintf(name, size, "%s", n == 1 ? only : site->field);
}

/*
 * What an access of @bytes to a block of no known type is called: an element of an
 * array of bytes, or a place in the block.  A span has no bytes of its own.
 */
static bool is_byte(const struct object *o, const struct run_mem_site *site, uint64_t bytes)
{
	return o->allocation && o->allocation->alloc_bytes == 1 && site &&
	       (site->bytes ? site->bytes : bytes) == 1 && !name_known(site->type);
}

/* Bytes of one of several elements; 0: it is no array, or not known. */
static uint64_t spots_unit_of(const struct object *o, const struct run_mem_site *site)
{
	if (o->layout)
		return o->layout->bytes;
	return o->unit ? o->unit : site ? site->bytes : 0;
}

/* The site names a member of the object's own type that is none of the array without a bound behind it. */
static bool before_open(const struct object *o, const struct run_mem_site *site)
{
	return site && name_known(site->type) && name_known(site->field) &&
	       !strcmp(site->type, o->layout->name) && !strchr(site->field, '[');
}

/*
 * The layout of an object lies where it begins.  Where a type was only guessed from
 * accesses, it does if this access is at home where it then would be.
 */
static bool at_home(const struct object *o, const struct place *place, uint64_t address,
		    const struct run_mem_site *site, struct run_field_place *p)
{
	uint64_t rel;

	if (!o->layout || !place->base || address < place->base)
		return false;
	rel = (address - place->base) % (o->open && !before_open(o, site) ? UINT64_MAX : o->layout->bytes);
	if (run_field_at(o->layout, rel, p->bytes, site ? site->field : NULL, p))
		return false;
	if (!o->guessed)
		return true;
	return o->bytes % o->layout->bytes == 0 && site && name_known(site->type) &&
	       name_known(site->field) && !strcmp(site->type, o->layout->name) &&
	       run_field_is(p->field, site->field);
}

/* A node of the C++ library has bytes for what it holds, of which the access knows the type. */
static bool in_storage(const struct object *o, const struct run_mem_site *site,
		       const struct run_field_place *p)
{
	return p->bytes == 1 && strstr(p->name, "_M_storage") && site && name_known(site->type) &&
	       name_known(site->field) && strcmp(site->type, o->layout->name) != 0;
}

/* "unsigned long int", "pointer", also in an array: no field of a struct is part of it, whatever a site says. */
static bool spots_is_number(const char *type)
{
	static const char *const words[] = {"char",     "short", "int",    "long",   "unsigned",
					    "signed",   "bool",  "_Bool",  "double", "float",
					    "volatile", "const", "pointer"};
	size_t n = 0;

	for (const char *s = type; s && *s; s += n + (s[n] == ' ')) {
		bool any = false;

		n = strcspn(s, " ");
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			any |= strlen(words[i]) == n && !strncmp(words[i], s, n);
		if (!any)
			return false;
	}
	return n > 0;
}

/* Bytes, which are storage for whatever an access knows as a struct. */
static bool spots_is_bytes(const char *type)
{
	return type && (strstr(type, "char") || !strcmp(type, "byte"));
}

/* Numbers of the elements of the object itself. */
static void set_outer(const struct object *o, const struct place *place, uint64_t address,
		      const struct run_mem_site *site, struct spot *out)
{
	uint64_t unit = spots_unit_of(o, site), at, n = 1;

	if (!is_element(o, site))
		return;
	for (const char *s = o->dims; *s == '['; s += strcspn(s, "]") + 1, out->n_outer++)
		n *= strtoull(s + 1, NULL, 10);
	if (!out->n_outer)
		out->n_outer = 1;
	if (!place->base || address < place->base || !unit || out->n_outer > SPOT_INDICES / 2 ||
	    o->unnumbered)
		return;
	at = (address - place->base) / unit;
	for (const char *s = o->dims; *s == '['; s += strcspn(s, "]") + 1) {
		n /= strtoull(s + 1, NULL, 10);
		out->index[out->n_index++] = at / n;
		at %= n;
	}
	if (!*o->dims)
		out->index[out->n_index++] = at;
}

/* What the table says of the field that the site names. */
static void set_offset(const struct object *o, const char *name, const struct run_mem_site *site,
		       struct spot *out)
{
	bool same = !o->layout || !strcmp(o->layout->name, site->type);

	for (size_t i = 0; o->layout && i < o->layout->n_fields; i++)
		if (run_field_is(&o->layout->fields[i], name) && !strchr(o->layout->fields[i].name, '[')) {
			out->offset = o->layout->fields[i].offset;
			return;
		}
	if (same && name_known(site->field) && !strchr(site->field, '['))
		out->offset = site->offset;
}

void objects_spot(struct objects *os, const struct place *place, uint64_t address, uint64_t bytes, bool seen,
		  const struct run_mem_site *site, struct spot *out)
{
	struct object *o = &os->at[place->object];
	struct run_field_place p = {.bytes = bytes};
	char name[256] = "";

	*out = (struct spot){.place = *place, .offset = SPOT_UNKNOWN, .bytes = bytes};
	if (seen)
		set_outer(o, place, address, site, out);
	if (seen && at_home(o, place, address, site, &p) && in_storage(o, site, &p)) {
		snprintf(name, sizeof(name), "%s", site->field);
		out->offset = p.offset;
	} else if (seen && at_home(o, place, address, site, &p)) {
		snprintf(name, sizeof(name), "%s", p.name);
		out->offset = p.offset;
		out->bytes = p.bytes;
		for (unsigned i = 0; i < p.n_index && out->n_index < SPOT_INDICES; i++)
			out->index[out->n_index++] = p.index[i];
	} else if (seen && o->kind == OBJECT_HEAP && !o->type && place->base && o->bytes <= SMALL_BLOCK &&
		   !is_byte(o, site, bytes)) {
		snprintf(name, sizeof(name), "+%u", (unsigned)(address - place->base));
		out->n_outer = out->n_index = 0;
	} else if (o->whole) {
		name[0] = '\0';
	} else if (site && name_known(site->field) &&
		   (spots_is_bytes(o->type) || !spots_is_number(o->type))) {
		field_of_site(name, sizeof(name), o, site);
		set_offset(o, name, site, out);
	} else if (is_element(o, site)) {
		strcpy(name, "[]");
	}
	if (out->n_index && out->offset == SPOT_UNKNOWN && spots_unit_of(o, site) < bytes)
		out->bytes = spots_unit_of(o, site);
	drop_indices(name);
	if (o->guessed && out->offset == SPOT_UNKNOWN)
		out->n_index = 0;
	out->field = intern_field(o, name, site);
}

/* "[3]", "[0..3]", "[]" if it is not known. */
static void spots_put_index(struct strbuf *sb, const uint64_t *first, const uint64_t *last, unsigned i,
			    unsigned n)
{
	strbuf_puts(sb, "[");
	if (i < n)
		strbuf_printf(sb, "%llu", (unsigned long long)first[i]);
	if (i < n && first[i] != last[i])
		strbuf_printf(sb, "..%llu", (unsigned long long)last[i]);
	strbuf_puts(sb, "]");
}

char *spot_text(const char *subject, const char *field, unsigned n_outer, const uint64_t *first,
		const uint64_t *last, unsigned n_index)
{
	char *word = name_of_field(field);
	const char *s = word;
	struct strbuf sb = STRBUF_INIT;
	unsigned i = 0;

	strbuf_puts(&sb, subject ? subject : "");
	for (; i < n_outer; i++)
		spots_put_index(&sb, first, last, i, n_index);
	/* What is one of several elements and no struct is called "[]". */
	while (n_outer && !strncmp(s, "[]", 2))
		s += 2;
	if (sb.len && *s && *s != '[')
		strbuf_puts(&sb, ".");
	while (*s) {
		if (!strncmp(s, "[]", 2)) {
			spots_put_index(&sb, first, last, i++, n_index);
			s += 2;
		} else {
			strbuf_printf(&sb, "%c", *s++);
		}
	}
	free(word);
	strbuf_puts(&sb, "");
	return strbuf_detach(&sb);
}

void objects_elements(struct objects *os, const struct place *place, uint64_t address, uint64_t end,
		      const struct run_mem_site *site)
{
	struct object *o = &os->at[place->object];
	uint64_t unit = spots_unit_of(o, site), first, last;

	if (!place->base || address < place->base || end <= address || !unit || o->guessed ||
	    end > place->base + o->bytes || o->bytes < 2 * unit || !is_element(o, site))
		return;
	first = (address - place->base) / unit;
	last = (end - 1 - place->base) / unit;
	o->first = o->elements && o->first < first ? o->first : first;
	o->last = o->elements && o->last > last ? o->last : last;
	o->elements = true;
}
