/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/data/layout.h"

#define FIELDS_MAX 256
#define DEPTH_MAX  6

/* Name of an aggregate as a field -> the rest of its T line, and behind a newline that of its P line, if it has one. */
static hash_map<nofree_string_hash, char *> *known;

static vec<const char *> in_function;

static long elements_of(tree array)
{
	tree n = GCC_ARRAY_TOP(array);

	return n != error_mark_node && tree_fits_shwi_p(n) ? (long)tree_to_shwi(n) + 1 : 0;
}

tree layout_dimensions(tree type, char *name, size_t size)
{
	for (; TREE_CODE(type) == ARRAY_TYPE && elements_of(type) > 0; type = TREE_TYPE(type)) {
		size_t n = strlen(name);

		snprintf(name + n, size - n, "[%ld]", elements_of(type));
	}
	return type;
}

static void write_fields(struct text *out, tree type, long base, const char *prefix, int depth, int *left);

static void write_field(struct text *out, tree size, const char *name, long at)
{
	text_str(out, "\t");
	text_field(out, name);
	text_add(out, ":%ld:%lu", at, (unsigned long)tree_to_uhwi(size));
}

/* The elements of an array without a bound, of which the block has as many as there is room for; NULL_TREE: none. */
static tree open_elements(tree f)
{
	tree size = DECL_SIZE_UNIT(f), type = TREE_TYPE(f);
	bool open = TREE_CODE(type) == ARRAY_TYPE && (!size || integer_zerop(size));

	size = open ? TYPE_SIZE_UNIT(TREE_TYPE(type)) : NULL_TREE;
	return size && tree_fits_uhwi_p(size) && tree_to_uhwi(size) > 0 ? TREE_TYPE(type) : NULL_TREE;
}

/* "it[]" with the bytes of one element, and the members of the first. */
static void write_open(struct text *out, tree elements, long at, char *name, size_t size, int depth,
		       int *left)
{
	size_t n = strlen(name);

	--*left;
	snprintf(name + n, size - n, "[]");
	write_field(out, TYPE_SIZE_UNIT(elements), name, at);
	if (RECORD_OR_UNION_TYPE_P(elements) && depth < DEPTH_MAX)
		write_fields(out, elements, at, name, depth + 1, left);
}

/* Behind the members of a union or struct without a name follows "union" or "struct", no member, with where it lies. */
static void write_fields(struct text *out, tree type, long base, const char *prefix, int depth, int *left)
{
	for (tree f = TYPE_FIELDS(type); f && *left > 0; f = DECL_CHAIN(f)) {
		char name[96];
		tree ft, size;
		long at;

		if (TREE_CODE(f) != FIELD_DECL || TREE_CODE(byte_position(f)) != INTEGER_CST)
			continue;
		ft = TREE_TYPE(f);
		size = DECL_SIZE_UNIT(f);
		at = base + (long)int_byte_position(f);
		snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix && DECL_NAME(f) ? "." : "",
			 DECL_NAME(f) ? IDENTIFIER_POINTER(DECL_NAME(f)) : "");
		if (RECORD_OR_UNION_TYPE_P(ft) && TYPE_FIELDS(ft) && depth < DEPTH_MAX) {
			write_fields(out, ft, at, name, depth + 1, left);
			if (!*name && !DECL_ARTIFICIAL(f) && --*left > 0)
				write_field(out, size, TREE_CODE(ft) == RECORD_TYPE ? "struct" : "union", at);
			continue;
		}
		if (tree elements = DECL_NAME(f) ? open_elements(f) : NULL_TREE)
			write_open(out, elements, at, name, sizeof(name), depth, left);
		if (!DECL_NAME(f) || !size || !tree_fits_uhwi_p(size) || tree_to_uhwi(size) == 0)
			continue;
		--*left;
		ft = layout_dimensions(ft, name, sizeof(name));
		write_field(out, size, name, at);
		/* The members of the first element; the others follow at its size. */
		if (TREE_CODE(TREE_TYPE(f)) == ARRAY_TYPE && RECORD_OR_UNION_TYPE_P(ft) && TYPE_FIELDS(ft) &&
		    depth < DEPTH_MAX && strchr(name, '['))
			write_fields(out, ft, at, name, depth + 1, left);
	}
}

/* Bytes at the start that no order of the members can move: base classes, and the pointer to virtual functions. */
static unsigned long fixed_bytes(tree type)
{
	unsigned long end = 0;

	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f)) {
		bool fixed = TREE_CODE(f) == FIELD_DECL &&
			     (DECL_VIRTUAL_P(f) || (!DECL_NAME(f) && DECL_ARTIFICIAL(f)));

		if (!fixed || TREE_CODE(byte_position(f)) != INTEGER_CST || !DECL_SIZE_UNIT(f) ||
		    !tree_fits_uhwi_p(DECL_SIZE_UNIT(f)))
			continue;
		end = MAX(end, (unsigned long)int_byte_position(f) + tree_to_uhwi(DECL_SIZE_UNIT(f)));
	}
	return end;
}

/* Is @type one whose members lie where the rules of the ABI put them, with what P lines can say of them? */
static bool by_rules(tree type)
{
	int n = 0;

	if (TREE_CODE(type) != RECORD_TYPE || TYPE_PACKED(type) || TYPE_REVERSE_STORAGE_ORDER(type))
		return false;
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f)) {
		if (TREE_CODE(f) != FIELD_DECL)
			continue;
		if (++n > FIELDS_MAX || DECL_PACKED(f) || TREE_CODE(byte_position(f)) != INTEGER_CST ||
		    !DECL_SIZE_UNIT(f) || !tree_fits_uhwi_p(DECL_SIZE_UNIT(f)))
			return false;
	}
	return n > 0;
}

/* All bytes that @f has a part of. */
static unsigned long field_bytes(tree f)
{
	if (!DECL_BIT_FIELD_TYPE(f))
		return (unsigned long)tree_to_uhwi(DECL_SIZE_UNIT(f));
	return (unsigned long)((int_bit_position(f) + (long)tree_to_uhwi(DECL_SIZE(f)) + BITS_PER_UNIT - 1) /
				       BITS_PER_UNIT -
			       int_byte_position(f));
}

/* Its own members, in order, with what they are aligned to. */
static void write_parts(struct text *out, tree type)
{
	text_add(out, "%u", TYPE_ALIGN_UNIT(type));
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f)) {
		tree element = TREE_TYPE(f);
		char of[128] = "-";

		if (TREE_CODE(f) != FIELD_DECL)
			continue;
		while (TREE_CODE(element) == ARRAY_TYPE)
			element = TREE_TYPE(element);
		if (RECORD_OR_UNION_TYPE_P(element))
			layout_type_name(element, of, sizeof(of));
		text_str(out, "\t");
		text_field(out, DECL_NAME(f) ? IDENTIFIER_POINTER(DECL_NAME(f)) : "");
		text_add(out, ":%ld:%lu:%u:", (long)int_byte_position(f), field_bytes(f),
			 DECL_BIT_FIELD_TYPE(f) ? 0 : DECL_ALIGN_UNIT(f));
		text_field(out, of);
	}
}

static char *render(tree type)
{
	struct text out = {NULL, 0, 0};
	tree size = TYPE_SIZE_UNIT(type);
	int left = FIELDS_MAX;

	if (size && tree_fits_uhwi_p(size))
		text_add(&out, "%lu", (unsigned long)tree_to_uhwi(size));
	else
		text_str(&out, "-");
	write_fields(&out, type, 0, "", 0, &left);
	if (fixed_bytes(type))
		text_add(&out, "\t:0:%lu", fixed_bytes(type));
	if (by_rules(type)) {
		text_str(&out, "\n");
		write_parts(&out, type);
	}
	return out.s;
}

/* @name's entry, made empty if there was none. */
static char **entry(const char *name)
{
	if (!known)
		known = new hash_map<nofree_string_hash, char *>;
	char **slot = known->get(name);
	if (!slot) {
		known->put(xstrdup(name), NULL);
		slot = known->get(name);
	}
	return slot;
}

void layout_begin(void)
{
	in_function.truncate(0);
}

/*
 * The block of std::make_shared() has room for an object whose type only its functions
 * name: what _M_ptr() points to.
 */
static tree held_by(tree type, const char *name)
{
	if (!layout_held(name))
		return NULL_TREE;
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f)) {
		tree to = TREE_CODE(f) == FUNCTION_DECL && DECL_NAME(f) &&
					  !strcmp(IDENTIFIER_POINTER(DECL_NAME(f)), "_M_ptr")
				  ? TREE_TYPE(TREE_TYPE(f))
				  : NULL_TREE;

		if (to && POINTER_TYPE_P(to))
			return TYPE_MAIN_VARIANT(TREE_TYPE(to));
	}
	return NULL_TREE;
}

const char *layout_held(const char *name)
{
	static const char shared[] = "std::_Sp_counted_ptr_inplace<";

	return strncmp(name, shared, sizeof(shared) - 1) ? NULL : name + sizeof(shared) - 1;
}

static bool is_of_library(tree type)
{
	tree decl = TYPE_STUB_DECL(TYPE_MAIN_VARIANT(type));

	return decl && in_system_header_at(DECL_SOURCE_LOCATION(decl));
}

/* What @type is made of by name: plans align members of those, and it changes with them; not the library's. */
static void note_parts(tree type)
{
	for (tree f = by_rules(type) ? TYPE_FIELDS(type) : NULL_TREE; f; f = DECL_CHAIN(f)) {
		tree element = TREE_TYPE(f);
		char name[128];

		while (TREE_CODE(f) == FIELD_DECL && TREE_CODE(element) == ARRAY_TYPE)
			element = TREE_TYPE(element);
		if (TREE_CODE(f) != FIELD_DECL || TREE_CODE(element) != RECORD_TYPE || !TYPE_NAME(element) ||
		    is_of_library(element))
			continue;
		layout_type_name(element, name, sizeof(name));
		layout_note(TYPE_MAIN_VARIANT(element), name);
	}
}

void layout_note(tree type, const char *name)
{
	struct text field = {NULL, 0, 0};
	char **slot;

	if (!RECORD_OR_UNION_TYPE_P(type) || !COMPLETE_TYPE_P(type))
		return;
	if (tree held = held_by(type, name)) {
		char inner[128];

		layout_type_name(held, inner, sizeof(inner));
		layout_note(held, inner);
	}
	text_field(&field, name);
	slot = entry(field.s);
	if (!*slot)
		*slot = render(type);
	note_parts(type);
	if (flag_generate_lto) {
		for (unsigned i = in_function.length(); i-- > 0;)
			if (!strcmp(in_function[i], field.s)) {
				text_release(&field);
				return;
			}
		in_function.safe_push(xstrdup(field.s));
	}
	text_release(&field);
}

void layout_end(struct text *out)
{
	for (unsigned i = 0; i < in_function.length(); i++) {
		layout_lines(out, in_function[i]);
		free((char *)in_function[i]);
	}
	in_function.truncate(0);
}

void layout_lines(struct text *out, const char *name)
{
	char **slot = known ? known->get(name) : NULL;
	size_t n = slot && *slot ? strcspn(*slot, "\n") : 0;

	if (!n)
		return;
	text_add(out, "T\t%s\t", name);
	text_bytes(out, *slot, n);
	text_str(out, "\n");
	if ((*slot)[n])
		text_add(out, "P\t%s\t%s\n", name, *slot + n + 1);
}

void layout_parts(const char *name, void (*each)(const char *type))
{
	char **slot = known ? known->get(name) : NULL;
	const char *at = slot && *slot ? strchr(*slot, '\n') : NULL;

	while (at && (at = strchr(at, '\t'))) {
		size_t n = strcspn(++at, "\t");
		char *part = xstrndup(at, n), *type = part;

		for (int i = 0; type && i < 4; i++)
			type = strchr(type + (i > 0), ':');
		if (type && strcmp(type, ":-"))
			each(type + 1);
		free(part);
	}
}

void layout_learn_parts(const char *line)
{
	size_t n = strcspn(line, "\t");
	char *name = xstrndup(line, n);
	char **slot = entry(name);

	if (*slot && line[n] && !strchr(*slot, '\n')) {
		char *both = concat(*slot, "\n", line + n + 1, NULL);

		free(*slot);
		*slot = both;
	}
	free(name);
}

void layout_learn(const char *line)
{
	size_t n = strcspn(line, "\t");
	char *name = xstrndup(line, n);
	char **slot = entry(name);

	if (!*slot && line[n])
		*slot = xstrdup(line + n + 1);
	free(name);
}

bool layout_known(const char *name)
{
	char **slot = known ? known->get(name) : NULL;

	return slot && *slot;
}

void layout_type_name(tree type, char *out, size_t size)
{
	tree name;

	while (TREE_CODE(type) == ARRAY_TYPE)
		type = TREE_TYPE(type);
	if (RECORD_OR_UNION_TYPE_P(type)) {
		access_type_name(type, NULL, out, size);
		return;
	}
	name = TYPE_NAME(TYPE_MAIN_VARIANT(type));
	if (name && TREE_CODE(name) == TYPE_DECL)
		name = DECL_NAME(name);
	if (name)
		snprintf(out, size, "%s", IDENTIFIER_POINTER(name));
	else
		snprintf(out, size, "%s", POINTER_TYPE_P(type) ? "pointer" : "-");
}
