/* SPDX-License-Identifier: MIT */
/* What people can do where no patch is written. */
#include <string.h>

#include "analyzer/patch/patch.h"
#include "analyzer/sharing/remedy-layout.h"

/* Meetings inside of one variable, or one element of it, that are less than this share of all are left. */
#define INSIDE_SHARE 0.1

bool patch_meets_inside(const struct sharing_finding *f, const struct sharing_object *o)
{
	bool named = false;

	for (size_t i = 0; i < o->n_uses; i++)
		named |= !o->uses[i].beside && *o->uses[i].field && *o->uses[i].field != '[';
	return named && o->inside && (double)o->inside >= INSIDE_SHARE * (double)f->transfers;
}

/* A wrapper parts elements of an array, and nothing inside of one; types of the library cannot be named. */
static void on_heap(struct strbuf *sb, const struct sharing_object *o, const char *type)
{
	if (layout_of_library(type))
		strbuf_puts(sb, "give each part 64 bytes of its own, and allocate it aligned to 64");
	else if (o->array)
		strbuf_printf(sb,
			      "give each part 64 bytes of its own, and the block aligned_alloc(64, ...); "
			      "in a C++ container: struct alignas(64) padded { %s v; };",
			      type);
	else if (o->layout)
		strbuf_printf(sb,
			      "in %s, give the members of each thread 64 bytes of their own (C++: "
			      "alignas(64)), and allocate it aligned to 64",
			      type);
	else
		strbuf_puts(sb, "give each part 64 bytes of its own, and allocate it aligned to 64");
}

char *patch_advice(const struct sharing_finding *f, const struct sharing_object *o)
{
	const char *type = o->type ? o->type : "T";
	struct strbuf sb = STRBUF_INIT;

	if (o->kind == OBJECT_HEAP)
		on_heap(&sb, o, type);
	else if (o->kind == OBJECT_STACK || o->kind == OBJECT_TLS)
		strbuf_puts(&sb, "declare it with _Alignas(64) (C++: alignas(64)), each part 64 bytes");
	else if (!strncmp(type, "std::array<", 11))
		strbuf_puts(&sb, "make each element a struct alignas(64) with the value as its member");
	else if (patch_meets_inside(f, o) && layout_of_library(type))
		strbuf_puts(&sb, "make each part of it a variable of its own, alignas(64)");
	else if (o->array && !patch_meets_inside(f, o))
		strbuf_printf(&sb, "make each element a struct { _Alignas(64) %s v; }, and use its .v", type);
	else
		strbuf_puts(&sb, "put _Alignas(64) (C++: alignas(64)) where the other side's data begins");
	return strbuf_detach(&sb);
}
