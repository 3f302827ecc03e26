/* SPDX-License-Identifier: MIT */
/* Types of objects that the site tables do not tell, by what their declarations and accesses say. */
#include "analyzer/patch/declared.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/variables/variables.h"
#include "analyzer/sharing/allocated.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

/* The type that a source calls @type: C++ tables have it without `struct`, those of C with it. */
static const struct run_type *type_called(const struct run *run, const char *type)
{
	const struct run_type *t = run_type(run, type);
	struct strbuf sb = STRBUF_INIT;

	if (!t && !strncmp(type, "struct ", 7))
		return run_type(run, type + 7);
	strbuf_printf(&sb, "struct %s", type);
	t = t ? t : run_type(run, sb.s);
	strbuf_release(&sb);
	return t;
}

/* True if all accesses of the finding are to that type. */
static bool all_of_type(const struct sharing_finding *f, const char *type)
{
	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct run_mem_site *a = f->pairs[i].a.site, *b = f->pairs[i].b.site;

		if (!a || !b || strcmp(a->type, type) || strcmp(b->type, type))
			return false;
	}
	return true;
}

const struct run_type *declared_room(struct patch *p, const struct sharing_finding *f,
				     const struct sharing_object *o)
{
	static const char *const bytes[] = {"char", "unsigned char", "signed char", "std::byte"};
	const struct run_mem_site *site = f->n_pairs ? f->pairs[0].a.site : NULL;
	const struct run_type *t;
	bool of_bytes = false;
	char *name;

	for (size_t i = 0; o->type && i < sizeof(bytes) / sizeof(bytes[0]); i++)
		of_bytes |= !strcmp(o->type, bytes[i]);
	if (!of_bytes || !o->symbol || !site || !all_of_type(f, site->type))
		return NULL;
	t = run_type(p->run, site->type);
	name = t ? patch_last_name(t->name) : NULL;
	if (name && !patch_declared_for(p, o, name))
		t = NULL;
	free(name);
	return t && t->bytes ? t : NULL;
}

bool declared_struct(struct patch *p, const struct sharing_finding *f, struct sharing_object *o)
{
	char *type = o->layout ? NULL : patch_declared_type(p, o, &o->array);

	o->layout = type ? type_called(p->run, type) : NULL;
	/* No variable has a name there, but what uses it says the type. */
	if (!type && !o->file && o->type && all_of_type(f, o->type))
		o->layout = type_called(p->run, o->type);
	free(type);
	if (!o->layout || !o->layout->bytes)
		return false;
	for (size_t i = 0; i < o->n_uses; i++)
		sharing_use_place(&o->uses[i], o->layout);
	allocated_look(o, p->run);
	return true;
}

bool declared_array(struct patch *p, struct sharing_object *o)
{
	static const char elements[] = "_M_elems[].";
	const char *from = o->layout->name + strlen("std::array<"), *comma = strrchr(from, ',');
	char *type = mem_strndup(from, comma ? (size_t)(comma - from) : 0);
	const struct run_type *layout = run_type(p->run, type);

	free(type);
	if (!layout || !layout->bytes)
		return false;
	o->layout = layout;
	o->array = true;
	for (size_t i = 0; i < o->n_uses; i++) {
		if (!strncmp(o->uses[i].field, elements, strlen(elements)))
			o->uses[i].field += strlen(elements);
		o->uses[i].placed = false;
		sharing_use_place(&o->uses[i], layout);
	}
	allocated_look(o, p->run);
	return true;
}

bool declared_members(const struct sharing_object *o)
{
	size_t own = strcspn(o->name, " ");

	for (size_t i = 0; i < o->n_uses; i++) {
		const char *field = o->uses[i].field;

		if (*field && *field != '[' && strpbrk(field, ">*") == NULL &&
		    (strncmp(field, o->name, own) || (field[own] && field[own] != '[')))
			return true;
	}
	return false;
}
