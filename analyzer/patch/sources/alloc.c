/* SPDX-License-Identifier: MIT */
/* May a type grow, and does memory of it keep an alignment: as far as the sources tell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/sources/sources.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/source/alloc.h"

/* Structs in structs are followed so far. */
#define HOLD_DEPTH 3u

char *patch_last_name(const char *type)
{
	static const char *const drop[] = {"struct ", "class ", "union "};
	char *plain = demangle_type(type), *name;
	int depth = 0;

	type = plain ? plain : type;

	for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		if (!strncmp(type, drop[i], strlen(drop[i])))
			type += strlen(drop[i]);
	for (const char *p = type; *p; p++) {
		depth += (*p == '<') - (*p == '>');
		if (!depth && p[0] == ':' && p[1] == ':')
			type = p + 2;
	}
	name = mem_strndup(type, strcspn(type, "<[ :"));
	free(plain);
	return name;
}

static bool is_new(const struct run_call_site *call)
{
	return call && (!strncmp(call->callee, "_Znw", 4) || !strncmp(call->callee, "_Zna", 4));
}

/* @named: the size may be that of other things in the block, so it must name this one. */
static bool line_is_sized(struct patch *p, const char *path, uint32_t line, const char *type, bool named)
{
	const struct patch_file *f = path ? patch_open(p, path) : NULL;

	return f && (named ? source_sized_by : source_sized)(&f->src, line, type);
}

/* The function that @name, of @len bytes, is in the site tables; NULL: none. */
static const struct run_function *function_named(const struct run *run, const char *name, size_t len)
{
	for (size_t m = 0; m < run->n_modules; m++) {
		const struct sites *s = &run->modules[m].sites;

		for (size_t i = 0; i < s->n_functions; i++)
			if (strlen(s->functions[i].name) == len && !strncmp(s->functions[i].name, name, len))
				return &s->functions[i];
	}
	return NULL;
}

/* One of the places "function:line>function:line" that the allocating function was inlined into. */
static bool chain_is_sized(struct patch *p, const struct run_call_site *call, const char *type, bool named)
{
	for (const char *link = call->chain; link && *link; link = strchr(link, '>')) {
		const struct run_function *fn;
		size_t len;

		link += *link == '>';
		len = strcspn(link, ":>");
		if (link[len] != ':')
			continue;
		fn = function_named(p->run, link, len);
		if (line_is_sized(p, fn && strcmp(fn->file, "-") ? fn->file : call->file,
				  (uint32_t)strtoul(link + len + 1, NULL, 10), type, named))
			return true;
	}
	return false;
}

/* The statement of @call says sizeof, or hands the type to a macro. */
static bool call_is_sized(struct patch *p, const struct run_call_site *call, const char *type, bool named)
{
	struct run_place place;

	if (!call)
		return false;
	run_site_place(p->run, call, &place);
	return line_is_sized(p, place.file, place.line, type, named) ||
	       line_is_sized(p, call->file, call->line, type, named) || chain_is_sized(p, call, type, named);
}

static bool says_other(const struct run_call_site *call, const char *type)
{
	return call && call->alloc_type && strcmp(call->alloc_type, "-") && strcmp(call->alloc_type, type);
}

/* The type of @o may grow: what allocates it asks for its size. */
static int check_size(struct patch *p, const struct sharing_object *o, const char *type, struct err *err)
{
	const struct run_call_site *call = o->allocation ? o->allocation : o->allocator;
	bool other = says_other(call, o->layout->name); /* it lies behind what the block is named by */
	struct run_place place;

	if ((o->kind != OBJECT_HEAP && !o->allocator) || is_new(o->allocator) ||
	    call_is_sized(p, o->allocator, type, other) || call_is_sized(p, o->allocation, type, other))
		return 0;
	if (!call)
		return err_set(err, -ENOTSUP,
			       "where the memory was allocated is not known, so neither is that it "
			       "grows with `%s`",
			       o->layout->name);
	run_site_place(p->run, call, &place);
	return err_set(err, -ENOTSUP,
		       "the allocation at %s:%u takes no size from `%s`: a larger one need not fit",
		       place.file ? place.file : "-", place.line, o->layout->name);
}

static bool defines(const struct patch_file *f, const char *type)
{
	struct source_struct t;

	for (size_t i = 0; source_next_struct(&f->src, &i, &t);)
		if (t.tag != SOURCE_NONE && source_is(&f->src, t.tag, type))
			return true;
	return false;
}

bool patch_no_unit(struct patch *p, const struct patch_file *f)
{
	const char *end = strrchr(f->name, '.');

	if (!end || (end[1] != 'c' && end[1] != 'C'))
		return false;
	for (size_t m = 0; m < p->run->n_modules; m++)
		for (size_t i = 0; i < p->run->modules[m].sites.n_units; i++)
			if (patch_open(p, p->run->modules[m].sites.units[i].source) == f)
				return false;
	return true;
}

/* A source that none of the program's units was made from, with a type of its own that has this name. */
static bool of_other_program(struct patch *p, const struct patch_file *f, const char *type)
{
	return defines(f, type) && patch_no_unit(p, f);
}

static bool allocated(struct patch *p, const char *type, unsigned depth);

/* True if a struct of @f that holds the type by value is allocated. */
static bool holder_allocated(struct patch *p, const struct patch_file *f, const char *type, unsigned depth)
{
	struct source_struct t;
	bool any = false;

	for (size_t i = 0; !any && source_next_struct(&f->src, &i, &t);) {
		char *name;

		if (t.tag == SOURCE_NONE || !source_holds(&f->src, &t, type))
			continue;
		name = source_piece(&f->src, t.tag, t.tag);
		any = strcmp(name, type) && allocated(p, name, depth + 1);
		free(name);
	}
	return any;
}

/* True if some source allocates @type, or a struct with one in it, by what keeps no alignment. */
static bool allocated(struct patch *p, const char *type, unsigned depth)
{
	tree_list(&p->tree);
	if (p->tree.cut || depth == HOLD_DEPTH)
		return true;
	for (size_t i = 0; i < p->tree.n; i++) {
		const struct patch_file *f = patch_open_tree(p, i, type);
		struct source_allocs a;

		if (!f || of_other_program(p, f, type))
			continue;
		source_allocs(&f->src, type, &a);
		if (a.any || holder_allocated(p, f, type, depth))
			return true;
	}
	return false;
}

/* No call below the root makes objects of the type in memory whose size does not follow it. */
static int check_other_sizes(struct patch *p, const char *type, struct err *err)
{
	tree_list(&p->tree);
	for (size_t i = 0; i < p->tree.n; i++) {
		const struct patch_file *f = patch_open_tree(p, i, type);
		struct source_allocs a;

		if (!f || of_other_program(p, f, type))
			continue;
		source_allocs(&f->src, type, &a);
		if (a.unsized != SOURCE_NONE)
			return err_set(
				err, -ENOTSUP,
				"the allocation at %s:%u takes no size from `%s`: a larger one need not "
				"fit",
				f->name, f->src.at[a.unsized].line, type);
	}
	return 0;
}

/* True if `sizeof(.. type)` at token @i is compared by == with something. */
static bool compares_size(const struct source *s, size_t i, const char *type)
{
	size_t close = source_is(s, i, "sizeof") ? source_match(s, i + 1) : SOURCE_NONE;

	if (close == SOURCE_NONE || !source_is(s, close - 1, type))
		return false;
	return (source_is(s, close + 1, "=") && source_is(s, close + 2, "=")) ||
	       (i > 1 && source_is(s, i - 1, "=") && source_is(s, i - 2, "="));
}

/* The static assertion of a source that the type has just its size; SOURCE_NONE: there is none. */
static size_t asserts_size(const struct source *s, const char *type)
{
	for (size_t i = 0; i < s->n; i++) {
		bool begins = source_is(s, i, "static_assert") || source_is(s, i, "_Static_assert");
		size_t end = begins ? source_match(s, i + 1) : SOURCE_NONE;

		for (size_t k = i; end != SOURCE_NONE && k < end; k++)
			if (compares_size(s, k, type))
				return i;
	}
	return SOURCE_NONE;
}

int patch_check_asserted(struct patch *p, const struct sharing_object *o, struct err *err)
{
	char *type = patch_last_name(o->layout->name);
	int ret = 0;

	tree_list(&p->tree);
	for (size_t i = 0; *type && i < p->tree.n && !ret; i++) {
		const struct patch_file *f = patch_open_tree(p, i, type);
		size_t at = f && !of_other_program(p, f, type) ? asserts_size(&f->src, type) : SOURCE_NONE;

		if (at != SOURCE_NONE)
			ret = err_set(err, -ENOTSUP, "a static assertion at %s:%u fixes the size of `%s`",
				      f->name, f->src.at[at].line, type);
	}
	free(type);
	return ret;
}

int patch_check_open(struct patch *p, const struct sharing_object *o, const char *member, const char *type,
		     struct err *err)
{
	const struct run_call_site *call = o->allocation ? o->allocation : o->allocator;
	size_t len = strlen(member);
	bool open = false;

	for (size_t i = 0; i < o->layout->n_fields; i++)
		open |= !strncmp(o->layout->fields[i].name, member, len) &&
			!strncmp(o->layout->fields[i].name + len, "[]", 2);
	if (!open || call_is_sized(p, call, member, true) || (type && call_is_sized(p, call, type, true)))
		return 0;
	return err_set(err, -ENOTSUP,
		       "the allocation takes no size from the elements of `%s`: larger ones need not fit",
		       member);
}

int patch_check_memory(struct patch *p, struct sharing_object *o, struct err *err)
{
	char *type = patch_last_name(o->layout->name);
	int ret = check_size(p, o, type, err);

	if (!ret && *type)
		ret = check_other_sizes(p, type, err);
	if (!ret && *type && (o->kind == OBJECT_HEAP ? o->keeps_alignment : !o->also_allocated) &&
	    allocated(p, type, 0)) {
		o->keeps_alignment = false;
		o->also_allocated = true;
	}
	free(type);
	return ret;
}
