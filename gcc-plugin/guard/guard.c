/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and variables of this unit, against what was found to share lines falsely. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/warn.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/guard/guard.h"
#include "gcc-plugin/layouts/layouts.h"

#define NAME_BYTES 512
#define DEPTH      8

/* Bytes of a type, from its begin: of a member of the structs in an array there are @count, each @stride further on. */
struct span {
	unsigned long first, last, stride, count;
	location_t at;       /* of the innermost member that the user's source declares */
	size_t name_len;     /* of its name in that of the use */
	bool found, unknown; /* unknown: it is there, but elements of elements are not followed */
};

/* ---- members ---- */

static bool is_base_or_nameless(tree field)
{
	return (!DECL_NAME(field) || DECL_ARTIFICIAL(field)) && RECORD_OR_UNION_TYPE_P(TREE_TYPE(field));
}

static bool is_called(tree field, const char *name, size_t n)
{
	return DECL_NAME(field) && strlen(IDENTIFIER_POINTER(DECL_NAME(field))) == n &&
	       !strncmp(IDENTIFIER_POINTER(DECL_NAME(field)), name, n);
}

/* What the standard library's types are made of is not declared where somebody could mend it. */
static void set_place(struct span *s, tree field, const char *whole, const char *end)
{
	if (s->name_len && !in_system_header_at(s->at))
		return;
	s->at = DECL_SOURCE_LOCATION(field);
	s->name_len = (size_t)(end - whole);
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
	return true;
}

static unsigned long bytes_of_type(tree type)
{
	return TYPE_SIZE_UNIT(type) && tree_fits_uhwi_p(TYPE_SIZE_UNIT(type))
		       ? (unsigned long)tree_to_uhwi(TYPE_SIZE_UNIT(type))
		       : 0;
}

/*
 * Go from the array *type, of which @rest ("[2][].n") says the elements, to one of them: *base is moved
 * to it, or to the first of s->count.  Returns what is behind the brackets; NULL: it cannot be followed.
 */
static const char *into_elements(tree *type, const char *rest, unsigned long *base, struct span *s)
{
	while (*rest == '[' && TREE_CODE(*type) == ARRAY_TYPE) {
		unsigned long whole = bytes_of_type(*type), one = bytes_of_type(TREE_TYPE(*type));
		const char *end = strchr(rest, ']');

		if (!end || !one)
			return NULL;
		if (end > rest + 1) {
			unsigned long i = strtoul(rest + 1, NULL, 10);

			if (i >= whole / one)
				return NULL;
			*base += i * one;
		} else if (s->count > 1) {
			s->unknown = end[1] != 0;
			return end + 1; /* all of it */
		} else {
			s->stride = one;
			s->count = MAX(whole / one, 1);
		}
		*type = TREE_TYPE(*type);
		rest = end + 1;
	}
	return *rest == '[' ? NULL : rest;
}

static bool find_member(tree type, const char *whole, const char *name, unsigned long base, struct span *s,
			int depth);

/* The member that @rest says of @field, which lies at @base; @whole: all of the name. */
static bool find_in(tree field, const char *whole, const char *rest, unsigned long base, struct span *s,
		    int depth)
{
	unsigned long at = base + (unsigned long)int_byte_position(field);
	tree type = TREE_TYPE(field);
	unsigned long outer = s->count, one;
	const char *behind = into_elements(&type, rest, &at, s);

	if (!behind)
		return false;
	if (s->unknown)
		return true;
	one = bytes_of_type(type);
	if (*behind == '.' && RECORD_OR_UNION_TYPE_P(type))
		return find_member(type, whole, behind + 1, at, s, depth + 1);
	if (behind == rest || DECL_BIT_FIELD_TYPE(field))
		return whole_field(field, base, s);
	/* Some element of an array of numbers: all of it. */
	s->first = at;
	s->last = at + (s->count > outer ? s->stride * s->count : one) - 1;
	s->count = outer;
	return one != 0;
}

/* Where the member @name ("tx", "in.tx", "lanes[].n") of @type is, which lies at @base. */
static bool find_member(tree type, const char *whole, const char *name, unsigned long base, struct span *s,
			int depth)
{
	size_t n = strcspn(name, ".[");

	for (tree f = TYPE_FIELDS(type); f && depth < DEPTH; f = DECL_CHAIN(f)) {
		bool inside;

		if (TREE_CODE(f) != FIELD_DECL || TREE_CODE(byte_position(f)) != INTEGER_CST)
			continue;
		inside = is_base_or_nameless(f);
		if (inside ? !find_member(TREE_TYPE(f), whole, name,
					  base + (unsigned long)int_byte_position(f), s, depth + 1)
			   : !is_called(f, name, n))
			continue;
		if (!inside && !find_in(f, whole, name + n, base, s, depth))
			return false;
		if (!inside)
			set_place(s, f, whole, name + n + strcspn(name + n, "."));
		return true;
	}
	return false;
}

/* Do bytes @a to @a_last and @b to @b_last touch one line of @line bytes? */
static bool meet(unsigned long a, unsigned long a_last, unsigned long b, unsigned long b_last,
		 unsigned long line)
{
	return a / line <= b_last / line && b / line <= a_last / line;
}

/* Does any of @a touch a line with any of @b, of an object that begins at byte @r of one, @shift further on? */
static bool any_meet(const struct span *a, const struct span *b, unsigned long r, unsigned long shift,
		     unsigned long line)
{
	for (unsigned long i = 0; i < a->count; i++) {
		unsigned long x = r + a->first + i * a->stride, x_last = r + a->last + i * a->stride;
		unsigned long from = r + shift + b->first,
			      nearest = b->stride && x > from ? (x - from) / b->stride : 0;

		/* The one in front of it, and those behind, of which the first counts. */
		for (unsigned long k = nearest; k < b->count && k < nearest + 2; k++)
			if (meet(x, x_last, from + k * b->stride, from + (b->last - b->first) + k * b->stride,
				 line))
				return true;
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
		bool one = any_meet(a, b, r, shift, line);

		if (one && !any)
			*begin = r;
		any |= one;
		*always &= one;
	}
	return any;
}

static bool tell_pair(const struct guard_item *it, const char *type, const struct guard_use *a,
		      const struct guard_use *b, const struct span *at, const struct span *other,
		      const char *where)
{
	bool said;

	if (it->kind == GUARD_MEMBERS)
		said = warn_at(
			WARN_SHARING, at->at,
			"`%.*s' (used by %s) and `%.*s' (used by %s) of `%s' share a line of %lu bytes%s: "
			"false sharing, found as %s",
			(int)at->name_len, a->name, a->who, (int)other->name_len, b->name, b->who, type,
			it->bytes, where, it->evidence);
	else
		said = warn_at(WARN_SHARING, at->at,
			       "`%.*s' of an element of `%s' and `%.*s' of the next one share a line of %lu "
			       "bytes%s: false sharing, found as %s",
			       (int)at->name_len, a->name, type, (int)other->name_len, b->name, it->bytes,
			       where, it->evidence);
	if (said && other->at != at->at)
		inform(other->at, "%<%.*s%> is here", (int)other->name_len, b->name);
	return said;
}

/* One use beside another one: said if they share a line, and that is harmful. */
static void check_pair(struct guard_item *it, tree type, const char *name, const struct span *spans,
		       unsigned i, unsigned k)
{
	const struct guard_use *a = &it->use[i], *b = &it->use[k];
	unsigned long begin = 0, shift = it->kind == GUARD_ELEMENTS ? bytes_of_type(type) : 0;
	char where[100] = "";
	bool always;

	if ((!a->written && !b->written) || !spans[i].found || !spans[k].found || spans[i].unknown ||
	    spans[k].unknown ||
	    (it->kind == GUARD_MEMBERS && (!strcmp(a->who, b->who) || !strcmp(a->name, b->name))))
		return;
	if (!on_one_line(&spans[i], &spans[k], shift, it->bytes, TYPE_ALIGN_UNIT(type), &begin, &always))
		return;
	if (!always)
		snprintf(where, sizeof(where), " where the object begins at byte %lu of one", begin);
	it->told = tell_pair(it, name, a, b, &spans[i], &spans[k], where);
}

/* Where the uses of @it are in @type; *gone: the first that is not there.  Returns how many are not. */
static unsigned find_uses(const struct guard_item *it, tree type, struct span *spans, const char **gone)
{
	unsigned n = 0;

	for (unsigned i = 0; i < it->n_uses; i++) {
		struct span *s = &spans[i];

		memset(s, 0, sizeof(*s));
		s->count = 1;
		s->found = find_member(type, it->use[i].name, it->use[i].name, 0, s, 0);
		if (!s->found && !n++)
			*gone = it->use[i].name;
	}
	return n;
}

static void check_type(struct guard_item *it, tree type, const char *name)
{
	struct span *spans = XNEWVEC(struct span, it->n_uses + 1);
	const char *gone = NULL;
	unsigned n = find_uses(it, type, spans, &gone);

	/* One without any of the members is another type of that name. */
	for (unsigned i = 0; n < it->n_uses && i < it->n_uses; i++)
		for (unsigned k = it->kind == GUARD_ELEMENTS ? 0 : i + 1; k < it->n_uses && !it->told; k++)
			check_pair(it, type, name, spans, i, k);
	if (n && n < it->n_uses && !it->told)
		it->told = warn_at(
			WARN_SHARING, DECL_SOURCE_LOCATION(TYPE_STUB_DECL(type)),
			"`%s' has no member `%s': if it is the one that %s was found in, it is guarded in "
			"part; record again and make the guard anew",
			name, gone, it->evidence);
	XDELETEVEC(spans);
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
		if (!it->told && layouts_same_type(it->name, name, false))
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

/* Behind the last "::" of @written that stands in no brackets; @written: there is none. */
static const char *own_name(const char *written)
{
	const char *at = written;
	int depth = 0;

	for (const char *s = written; *s; s++) {
		depth += (*s == '<' || *s == '(') - (*s == '>' || *s == ')');
		if (!depth && s[0] == ':' && s[1] == ':')
			at = s + 2;
	}
	return at;
}

/* Is the variable @decl the one that a reader calls @written: "hits", "app::hits", "S<int>::hits", "work()::hits"? */
static bool is_variable(tree decl, const char *written)
{
	const char *own = own_name(written);
	tree in = DECL_CONTEXT(decl);
	char scope[NAME_BYTES], name[NAME_BYTES];
	size_t n = own > written ? (size_t)(own - written) - 2 : 0;
	bool of_function = n && written[n - 1] == ')';

	if (strcmp(own, IDENTIFIER_POINTER(DECL_NAME(decl))) || n >= sizeof(scope))
		return false;
	snprintf(scope, sizeof(scope), "%.*s", (int)n, written);
	if (in && TREE_CODE(in) == FUNCTION_DECL) {
		/* Arguments are cut off: of two functions of that name both fit, and neither is taken. */
		scope[of_function ? strcspn(scope, "(") : 0] = 0;
		return of_function && DECL_NAME(in) &&
		       layouts_last_part(scope, IDENTIFIER_POINTER(DECL_NAME(in)));
	}
	if (in && TYPE_P(in)) {
		access_type_name(in, NULL, name, sizeof(name));
		return n && layouts_same_type(scope, name, false);
	}
	return !of_function;
}

/* The variable of this unit that is @name of @file; NULL: it has none, or several. */
static tree defined_here(const char *name, const char *file)
{
	varpool_node *node;
	tree found = NULL_TREE;

	FOR_EACH_VARIABLE(node)
	{
		tree decl = node->decl;
		const char *path = expand_location(DECL_SOURCE_LOCATION(decl)).file;

		if (!TREE_STATIC(decl) || DECL_EXTERNAL(decl) || !DECL_NAME(decl) ||
		    DECL_THREAD_LOCAL_P(decl) || !path || !is_variable(decl, name) ||
		    !layouts_is_file(file, path))
			continue;
		if (found)
			return NULL_TREE;
		found = decl;
	}
	return found;
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
	if (size % it->bytes)
		warn_at(WARN_SHARING, DECL_SOURCE_LOCATION(decl),
			"elements of `%s' have %lu bytes, so those of several threads share a line of %lu: "
			"false "
			"sharing, found as %s",
			it->name, size, it->bytes, it->evidence);
	else if (DECL_ALIGN_UNIT(decl) < it->bytes && TYPE_ALIGN_UNIT(of) < it->bytes)
		warn_at(WARN_SHARING, DECL_SOURCE_LOCATION(decl),
			"elements of `%s' are whole lines of %lu bytes, but need not begin one, so those of "
			"several threads may share one: false sharing, found as %s",
			it->name, it->bytes, it->evidence);
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
