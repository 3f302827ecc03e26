/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and variables of this unit, against what was found to share lines falsely. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/warn.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/guard/guard.h"
#include "gcc-plugin/layouts/layouts.h"

#define NAME_BYTES 512
#define DEPTH      8

/* Bytes of a type, from its begin. */
struct span {
	unsigned long first, last;
	location_t at;
};

/* ---- members ---- */

static bool is_base_or_nameless(tree field)
{
	return (!DECL_NAME(field) || DECL_ARTIFICIAL(field)) && RECORD_OR_UNION_TYPE_P(TREE_TYPE(field));
}

/* Behind the "[2]" of "count[2].n". */
static const char *behind_elements(const char *rest)
{
	while (*rest == '[') {
		const char *end = strchr(rest, ']');

		if (!end)
			return rest;
		rest = end + 1;
	}
	return rest;
}

/* All of @field, which lies at @base. */
static bool whole_field(tree field, unsigned long base, struct span *s)
{
	if (!DECL_SIZE(field) || !tree_fits_uhwi_p(DECL_SIZE(field)) || integer_zerop(DECL_SIZE(field)) ||
	    !tree_fits_shwi_p(bit_position(field)))
		return false;
	s->first = base + (unsigned long)int_bit_position(field) / BITS_PER_UNIT;
	s->last = base + ((unsigned long)int_bit_position(field) + tree_to_uhwi(DECL_SIZE(field)) - 1) /
				 BITS_PER_UNIT;
	s->at = DECL_SOURCE_LOCATION(field);
	return true;
}

/* Where the member @name ("tx", "in.tx", "lanes[].n") of @type is, which lies at @base. */
static bool find_member(tree type, const char *name, unsigned long base, struct span *s, int depth)
{
	size_t n = strcspn(name, ".[");

	for (tree f = TYPE_FIELDS(type); f && depth < DEPTH; f = DECL_CHAIN(f)) {
		const char *rest;

		if (TREE_CODE(f) != FIELD_DECL || TREE_CODE(byte_position(f)) != INTEGER_CST)
			continue;
		if (is_base_or_nameless(f)) {
			if (find_member(TREE_TYPE(f), name, base + (unsigned long)int_byte_position(f), s,
					depth + 1))
				return true;
			continue;
		}
		if (!DECL_NAME(f) || strlen(IDENTIFIER_POINTER(DECL_NAME(f))) != n ||
		    strncmp(IDENTIFIER_POINTER(DECL_NAME(f)), name, n))
			continue;
		rest = behind_elements(name + n);
		/* Of an array of structs all of it: its elements are not told apart. */
		if (*rest == '.' && RECORD_OR_UNION_TYPE_P(TREE_TYPE(f)))
			return find_member(TREE_TYPE(f), rest + 1, base + (unsigned long)int_byte_position(f),
					   s, depth + 1);
		return whole_field(f, base, s);
	}
	return false;
}

/*
 * Do @a, and @b which lies @shift bytes further on, touch one line?  *begin: the first place in a line
 * where an object that is aligned to @align begins if they do.  *always: they do wherever it begins.
 */
static bool on_one_line(const struct span *a, const struct span *b, unsigned long shift, unsigned long line,
			unsigned long align, unsigned long *begin, bool *always)
{
	bool any = false;

	*always = true;
	for (unsigned long r = 0; r < line; r += MIN(align, line)) {
		unsigned long a_first = (r + a->first) / line, a_last = (r + a->last) / line;
		unsigned long b_first = (r + shift + b->first) / line, b_last = (r + shift + b->last) / line;
		bool one = a_first <= b_last && b_first <= a_last;

		if (one && !any)
			*begin = r;
		any |= one;
		*always &= one;
	}
	return any;
}

static void tell_pair(struct guard_item *it, const char *type, const struct guard_use *a,
		      const struct guard_use *b, const struct span *at, const struct span *other,
		      const char *where)
{
	bool said;

	it->told = true;
	if (it->kind == GUARD_MEMBERS)
		said = warn_at(
			WARN_SHARING, at->at,
			"`%s' (used by %s) and `%s' (used by %s) of `%s' share a line of %lu bytes%s: false "
			"sharing, found as %s",
			a->name, a->who, b->name, b->who, type, it->bytes, where, it->evidence);
	else
		said = warn_at(
			WARN_SHARING, at->at,
			"`%s' of an element of `%s' and `%s' of the next one share a line of %lu bytes%s: "
			"false sharing, found as %s",
			a->name, type, b->name, it->bytes, where, it->evidence);
	if (said && other->at != at->at)
		inform(other->at, "%qs is here", b->name);
}

/* The first pair of uses that share a line, if it is harmful. */
static void check_pair(struct guard_item *it, tree type, const char *name, const struct guard_use *a,
		       const struct guard_use *b)
{
	unsigned long align = TYPE_ALIGN_UNIT(type), begin = 0, shift = 0;
	char where[100] = "";
	struct span x, y;
	bool always;

	if (it->told || (!a->written && !b->written) ||
	    (it->kind == GUARD_MEMBERS && (!strcmp(a->who, b->who) || !strcmp(a->name, b->name))))
		return;
	if (it->kind == GUARD_ELEMENTS)
		shift = (unsigned long)tree_to_uhwi(TYPE_SIZE_UNIT(type));
	if (!find_member(type, a->name, 0, &x, 0) || !find_member(type, b->name, 0, &y, 0) ||
	    !on_one_line(&x, &y, shift, it->bytes, align, &begin, &always))
		return;
	if (!always)
		snprintf(where, sizeof(where), " where the object begins at byte %lu of one", begin);
	tell_pair(it, name, a, b, &x, &y, where);
}

/* Uses of @it that are no member of @type. */
static unsigned absent(const struct guard_item *it, tree type, const char **first)
{
	struct span s;
	unsigned n = 0;

	for (unsigned i = 0; i < it->n_uses; i++)
		if (!find_member(type, it->use[i].name, 0, &s, 0) && !n++)
			*first = it->use[i].name;
	return n;
}

static void check_type(struct guard_item *it, tree type, const char *name)
{
	const char *gone = NULL;
	unsigned n = absent(it, type, &gone);

	/* One without any of the members is another type of that name. */
	if (n == it->n_uses || it->told)
		return;
	for (unsigned i = 0; i < it->n_uses; i++)
		for (unsigned k = 0; k < it->n_uses; k++)
			if (it->kind == GUARD_ELEMENTS || i < k)
				check_pair(it, type, name, &it->use[i], &it->use[k]);
	if (n && !it->told) {
		it->told = true;
		warn_at(WARN_SHARING, DECL_SOURCE_LOCATION(TYPE_STUB_DECL(type)),
			"`%s' has no member `%s' any more, so %s is guarded in part: record again and make "
			"the "
			"guard anew",
			name, gone, it->evidence);
	}
}

static bool can_check(tree type)
{
	return type && RECORD_OR_UNION_TYPE_P(type) && COMPLETE_TYPE_P(type) && TYPE_STUB_DECL(type) &&
	       TYPE_SIZE_UNIT(type) && tree_fits_uhwi_p(TYPE_SIZE_UNIT(type));
}

static const struct gcc_debug_hooks *hooks_before;
static struct gcc_debug_hooks hooks;

/* Of each struct, union and class, when it has its layout; instances of templates, too. */
static void laid_out(tree decl, int local)
{
	tree type = TREE_TYPE(decl);
	char name[NAME_BYTES] = "";

	hooks_before->type_decl(decl, local);
	if (!can_check(type))
		return;
	for (unsigned i = 0; i < guard_n; i++) {
		struct guard_item *it = &guard_items[i];

		if (it->kind != GUARD_MEMBERS && it->kind != GUARD_ELEMENTS)
			continue;
		if (!*name)
			access_type_name(type, NULL, name, sizeof(name));
		if (layouts_same_type(it->name, name, false))
			check_type(it, type, name);
	}
}

/* ---- variables ---- */

/* Is @decl on lines that no other variable is on, whatever the linker does; *begins: begins it a line? */
static bool has_own_lines(tree decl, unsigned long line, bool *begins)
{
	unsigned bits;
	tree size = DECL_SIZE_UNIT(decl);

	*begins = DECL_ALIGN_UNIT(decl) >= line || TYPE_ALIGN_UNIT(TREE_TYPE(decl)) >= line;
	if (layouts_raised(decl, &bits))
		return *begins;
	return *begins && size && tree_fits_uhwi_p(size) && tree_to_uhwi(size) % line == 0;
}

/* The variable of this unit that is @name of @file; NULL: it has none. */
static tree defined_here(const char *name, const char *file)
{
	varpool_node *node;

	FOR_EACH_VARIABLE(node)
	{
		tree decl = node->decl;
		const char *path = expand_location(DECL_SOURCE_LOCATION(decl)).file;

		if (TREE_STATIC(decl) && !DECL_EXTERNAL(decl) && DECL_NAME(decl) &&
		    !DECL_THREAD_LOCAL_P(decl) && path &&
		    layouts_last_part(name, IDENTIFIER_POINTER(DECL_NAME(decl))) &&
		    layouts_is_file(file, path))
			return decl;
	}
	return NULL_TREE;
}

static void check_two(struct guard_item *it, const struct guard_use *a, const struct guard_use *b)
{
	tree x, y;
	bool x_begins, y_begins;

	if (it->told || (!a->written && !b->written) || !strcmp(a->who, b->who) || !strcmp(a->name, b->name))
		return;
	x = defined_here(a->name, a->file);
	y = defined_here(b->name, b->file);
	if (!x || !y || has_own_lines(x, it->bytes, &x_begins) || has_own_lines(y, it->bytes, &y_begins) ||
	    (x_begins && y_begins))
		return;
	it->told = true;
	if (warn_at(WARN_SHARING, DECL_SOURCE_LOCATION(x),
		    "`%s' (used by %s) and `%s' (used by %s) may lie on one line of %lu bytes: false "
		    "sharing, "
		    "found as %s",
		    a->name, a->who, b->name, b->who, it->bytes, it->evidence))
		inform(DECL_SOURCE_LOCATION(y), "%qs is here", b->name);
}

static void check_array(struct guard_item *it)
{
	tree decl = defined_here(it->name, it->file), of = decl ? TREE_TYPE(decl) : NULL_TREE;
	unsigned long size;

	if (!of || TREE_CODE(of) != ARRAY_TYPE || !tree_fits_uhwi_p(TYPE_SIZE_UNIT(TREE_TYPE(of))))
		return;
	size = (unsigned long)tree_to_uhwi(TYPE_SIZE_UNIT(TREE_TYPE(of)));
	if (size % it->bytes == 0)
		return;
	warn_at(WARN_SHARING, DECL_SOURCE_LOCATION(decl),
		"elements of `%s' have %lu bytes, so those of several threads share a line of %lu: false "
		"sharing, found as %s",
		it->name, size, it->bytes, it->evidence);
}

/* PLUGIN_ALL_IPA_PASSES_START: all of the unit is read. */
static void check_variables(void *, void *)
{
	if (in_lto_p || seen_error())
		return;
	for (unsigned i = 0; i < guard_n; i++) {
		struct guard_item *it = &guard_items[i];

		if (it->kind == GUARD_ARRAY)
			check_array(it);
		for (unsigned k = 0; it->kind == GUARD_VARIABLES && k < it->n_uses; k++)
			for (unsigned j = k + 1; j < it->n_uses; j++)
				check_two(it, &it->use[k], &it->use[j]);
	}
}

/* PLUGIN_START_UNIT: the compiler has chosen its hooks by now. */
static void watch_types(void *, void *)
{
	if (in_lto_p)
		return;
	hooks_before = debug_hooks;
	hooks = *debug_hooks;
	hooks.type_decl = laid_out;
	debug_hooks = &hooks;
}

void guard_install(const char *plugin)
{
	if (!guard_n)
		return;
	register_callback(plugin, PLUGIN_START_UNIT, watch_types, NULL);
	register_callback(plugin, PLUGIN_ALL_IPA_PASSES_START, check_variables, NULL);
}
