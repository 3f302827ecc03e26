/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of the plan's fields in this unit: refused by a reason, or as the plan says. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/layouts/layouts.h"

#define NAME_BYTES 512
#define DEPTH      8

/* A planned field as a reader sees it: in the type with a name. */
struct seen {
	tree type, field;
	unsigned long offset; /* in the type; of the struct without a name that it is in: all of it */
	struct plan_layout *l;
	char name[NAME_BYTES];
};

static bool is_nameless(tree type)
{
	tree name = TYPE_NAME(TYPE_MAIN_VARIANT(type));

	if (name && TREE_CODE(name) == TYPE_DECL)
		name = DECL_NAME(name);
	return !name || IDENTIFIER_ANON_P(name);
}

/* The flexible array member that @type ends with? */
static bool ends_open(tree type)
{
	tree last = NULL_TREE;

	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
		if (TREE_CODE(f) == FIELD_DECL && !DECL_ARTIFICIAL(f))
			last = f;
	return last && TREE_CODE(TREE_TYPE(last)) == ARRAY_TYPE &&
	       (!DECL_SIZE(last) || integer_zerop(DECL_SIZE(last)) || !TYPE_DOMAIN(TREE_TYPE(last)) ||
		!TYPE_MAX_VALUE(TYPE_DOMAIN(TREE_TYPE(last))));
}

/* Is it the type of a lambda, as GCC prints that: "work(int)::<lambda(long int)>"? */
static bool is_lambda(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, ")>") && strstr(name, "<lambda(");
}

/* Why the field cannot have an alignment of the plan's; NULL: it can. */
static const char *field_refused(const struct seen *s)
{
	tree own = DECL_CONTEXT(s->field);

	if (is_lambda(s->name))
		return "it is what a lambda has captured: the compiler makes it, and no source declares it";
	if (in_system_header_at(DECL_SOURCE_LOCATION(s->field)))
		return "its declaration is a system header's: libraries have it without the plan";
	if (TREE_CODE(own) != RECORD_TYPE)
		return "it is a member of a union, and the members of a union share their bytes";
	if (DECL_BIT_FIELD_TYPE(s->field))
		return "it is a bit-field, which has no address of its own";
	if (DECL_PACKED(s->field) || TYPE_PACKED(own) || TYPE_PACKED(s->type))
		return "it is packed: its bytes are laid out by hand";
	if (TYPE_REVERSE_STORAGE_ORDER(own))
		return "its type has an explicit scalar storage order: its bytes are laid out for others";
	if (ends_open(s->type))
		return "its type ends with an array without a bound, and whoever allocates it counts bytes";
	if (DECL_ALIGN(s->field) < s->l->align * BITS_PER_UNIT)
		return "its alignment is limited, by #pragma pack or -fpack-struct, or the type was needed "
		       "before all of its template was read";
	return NULL;
}

static void check_figures(struct seen *s)
{
	unsigned long size, then, at;
	location_t loc = DECL_SOURCE_LOCATION(s->field);
	tree direct = DECL_CONTEXT(s->field) == s->type ? s->field : NULL_TREE;

	/* Another instance of the template: it is aligned like the one that is named, and that is all. */
	if (strchr(s->l->type, '<') && !layouts_same_type(s->l->type, s->name, false))
		return;
	size = tree_fits_uhwi_p(TYPE_SIZE_UNIT(s->type))
		       ? (unsigned long)tree_to_uhwi(TYPE_SIZE_UNIT(s->type))
		       : 0;
	if (size != s->l->size_then || s->offset != s->l->offset_then)
		layouts_refuse(s->l, loc,
			       "with it the type has %lu bytes and the field is at %lu, the plan says "
			       "%lu and %lu",
			       size, s->offset, s->l->size_then, s->l->offset_then);
	else if (!layouts_plain(s->type, direct, &then, &at))
		layouts_refuse(s->l, loc,
			       "what the type is without it cannot be told: virtual bases, bases or "
			       "members that share bytes, or bit-fields without a width");
	else if (then != s->l->size || (direct && at != s->l->offset))
		layouts_refuse(s->l, loc,
			       "without it the type has %lu bytes and the field is at %lu, the plan "
			       "says %lu and %lu",
			       then, at, s->l->size, s->l->offset);
}

static void check_seen(struct seen *s)
{
	const char *why;

	s->l->found = true;
	if (!layouts_same_type(s->l->type, s->name, true)) {
		layouts_refuse(s->l, DECL_SOURCE_LOCATION(s->field), "the field here is one of `%s'",
			       s->name);
		return;
	}
	why = field_refused(s);
	if (why)
		layouts_refuse(s->l, DECL_SOURCE_LOCATION(s->field), "%s", why);
	else
		check_figures(s);
}

/* The planned fields of @type, which lies at @base of s->type. */
static void look_into(struct seen *s, tree type, unsigned long base, int depth)
{
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f)) {
		if (TREE_CODE(f) != FIELD_DECL || DECL_ARTIFICIAL(f) ||
		    TREE_CODE(byte_position(f)) != INTEGER_CST)
			continue;
		s->offset = base + (unsigned long)int_byte_position(f);
		if (!DECL_NAME(f) && RECORD_OR_UNION_TYPE_P(TREE_TYPE(f)) && is_nameless(TREE_TYPE(f)) &&
		    depth < DEPTH) {
			look_into(s, TREE_TYPE(f), s->offset, depth + 1);
			continue;
		}
		s->l = layouts_line(f);
		s->field = f;
		if (s->l)
			check_seen(s);
	}
}

/* A field that was aligned, and that no type with a name has as its own: "in.a" of a struct in a struct. */
static bool is_inside(tree types, struct plan_layout *l)
{
	for (tree t = types; t; t = TREE_CHAIN(t))
		for (tree f = TYPE_FIELDS(TREE_VALUE(t)); f; f = DECL_CHAIN(f))
			if (TREE_CODE(f) == FIELD_DECL && layouts_line(f) == l) {
				layouts_refuse(l, DECL_SOURCE_LOCATION(f),
					       "the struct that it is in has no name");
				return true;
			}
	return false;
}

/* A type that the plan means, without the field where the plan has it. */
static void check_absent(tree types, struct plan_layout *l)
{
	if (is_inside(types, l))
		return;
	for (tree t = types; t; t = TREE_CHAIN(t)) {
		tree type = TREE_VALUE(t);
		char name[NAME_BYTES];

		access_type_name(type, NULL, name, sizeof(name));
		if (!layouts_same_type(l->type, name, true))
			continue;
		for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
			if (TREE_CODE(f) == FIELD_DECL && DECL_NAME(f) &&
			    !strcmp(IDENTIFIER_POINTER(DECL_NAME(f)), l->name))
				layouts_refuse(l, DECL_SOURCE_LOCATION(f),
					       "the field is declared at line %d now",
					       expand_location(DECL_SOURCE_LOCATION(f)).line);
		layouts_refuse(l, DECL_SOURCE_LOCATION(TYPE_STUB_DECL(type)), "the type has no such field");
		return;
	}
	if (layouts_is_unit(l->file))
		layouts_refuse(l, UNKNOWN_LOCATION, "this unit has no such type and field");
}

void layouts_check_fields(tree types)
{
	for (tree t = types; t; t = TREE_CHAIN(t)) {
		struct seen s;

		memset(&s, 0, sizeof(s));
		s.type = TREE_VALUE(t);
		access_type_name(s.type, NULL, s.name, sizeof(s.name));
		/* What lies in a struct with a name is a field of that one. */
		if (!is_nameless(s.type) || !strstr(s.name, "unnamed"))
			look_into(&s, s.type, 0, 0);
	}
	for (unsigned i = 0; i < prs_plan.layouts.length(); i++)
		if (!prs_plan.layouts[i].variable && !prs_plan.layouts[i].found)
			check_absent(types, &prs_plan.layouts[i]);
}
