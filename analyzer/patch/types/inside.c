/* SPDX-License-Identifier: MIT */
/* Changing the struct that a member is, where threads meet inside of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/types/search.h"
#include "analyzer/sharing/remedy-layout.h"
#include "analyzer/sharing/sharing.h"
#include "lib/mem.h"

/* Meetings in one element that are less than this share of the finding's do not decide about it. */
#define INSIDE_SHARE 0.1

/* The number of the element of @member in @name, "1" of "s[1].gen", to @*len characters; NULL: none is known. */
static const char *element_in(const char *name, const char *member, size_t *len)
{
	size_t n = strlen(member);

	if (!name || strncmp(name, member, n) || name[n] != '[')
		return NULL;
	*len = strcspn(name + n + 1, "]");
	return strspn(name + n + 1, "0123456789") == *len && *len ? name + n + 1 : NULL;
}

/* Meetings of the pair are of different fields of one and the same element. */
static bool in_one_element(const struct sharing_pair *p, const char *member)
{
	size_t x_len, y_len;
	const char *x = element_in(p->a.member, member, &x_len), *y = element_in(p->b.member, member, &y_len);

	return x && y && x_len == y_len && !memcmp(x, y, x_len) && strcmp(p->a.member, p->b.member) != 0 &&
	       (!p->a.element || !p->b.element || !strcmp(p->a.element, p->b.element));
}

/* Which elements its threads use is not known. */
static bool perhaps_in_element(const struct sharing_pair *p, const char *member)
{
	size_t len;

	return !element_in(p->a.member, member, &len) || !element_in(p->b.member, member, &len);
}

/*
 * Threads meet inside of one element of array @member, so its members are to be parted, too: it
 * was seen, or the numbers of elements are not known and each thread has members of its own.
 */
static bool inside_element(const struct sharing_finding *f, const char *member, bool alike)
{
	uint64_t seen = 0, perhaps = 0;

	for (size_t i = 0; i < f->n_pairs; i++) {
		if (f->pairs[i].verdict != SHARING_FALSE)
			continue;
		seen += in_one_element(&f->pairs[i], member) ? f->pairs[i].transfers : 0;
		perhaps += perhaps_in_element(&f->pairs[i], member) ? f->pairs[i].transfers : 0;
	}
	perhaps = alike ? seen : seen + perhaps;
	return perhaps && (double)perhaps >= INSIDE_SHARE * (double)f->transfers;
}

/* The first use of the same threads stands for the group, as for a struct by itself. */
static int32_t group_of(const struct sharing_object *o, int32_t i)
{
	int32_t g = 0;

	while (!sharing_use_alike(&o->uses[g], &o->uses[i]))
		g++;
	return g;
}

/* Members of different threads; those of an array only if threads meet in one element. */
static void keep_apart(struct remedy_layout *l, const struct sharing_finding *f,
		       const struct sharing_object *o, const char *member, bool elements)
{
	bool alike = true, parted;

	for (size_t i = 0; i < l->n_members && elements; i++)
		alike &= group_of(o, l->members[i].group) == group_of(o, l->members[0].group);
	parted = !elements || inside_element(f, member, alike);
	for (size_t i = 0; i < l->n_members; i++) {
		struct remedy_member *m = &l->members[i];
		bool apart;

		if (elements && !(parted && alike))
			m->group = parted ? group_of(o, m->group) : 0;
		apart = parted && i && (!elements || m->group != m[-1].group);
		m->apart = apart && !l->gaps;
		m->gap = apart && l->gaps ? REMEDY_LINE : 0;
	}
}

/* The type of "in.deeper" of @o as the build has it; NULL: not known. */
static const struct run_type *type_inside(const struct patch *p, const struct sharing_object *o,
					  const char *path)
{
	const struct run_type *t = o->layout;

	for (size_t len; t && *path; path += len + (path[len] == '.')) {
		const struct run_type *next = NULL;

		len = strcspn(path, ".");
		for (size_t i = 0; i < t->n_parts && !next; i++)
			if (!strncmp(t->parts[i].name, path, len) && !t->parts[i].name[len])
				next = run_type(p->run, t->parts[i].type);
		t = next;
	}
	return t;
}

/* Members of the struct inside that its base classes declare are not looked for in it. */
static void know_bases(struct remedy_layout *l, const struct run_type *t)
{
	l->fixed = t ? t->fixed : 0;
	for (size_t i = 0; l->fixed && i < l->n_members; i++)
		for (size_t k = t->n_fields; k-- > 0;)
			if (layout_holds(&l->members[i], t->fields[k].name))
				l->members[i].now = l->members[i].unit_now = t->fields[k].offset;
}

/*
 * What is known of the struct inside: the fields that are used.  Fields of
 * its own name each one set of threads; of an array, those that the same threads use are one.
 */
static void inner_layout(struct remedy_layout *l, const struct patch *p, const struct sharing_finding *f,
			 const struct sharing_object *o, const char *member)
{
	bool elements = false;

	*l = (struct remedy_layout){.gaps = o->kind == OBJECT_HEAP ? !o->keeps_alignment : o->also_allocated,
				    .word = o->kind == OBJECT_HEAP ? 8 : 1,
				    .object = (size_t)(o - f->objects)};
	for (size_t i = 0; i < o->n_uses; i++) {
		elements |= remedy_inner_elements(o->uses[i].field, member);
		search_member(l, remedy_inner_name(o->uses[i].field, member), (int32_t)i, o->uses[i].bytes);
	}
	for (size_t i = 0; i < f->n_pairs && !l->n_members; i++) {
		const struct run_mem_site *sites[2] = {f->pairs[i].a.site, f->pairs[i].b.site};

		for (int s = 0; s < 2; s++)
			if (sites[s])
				search_member(l, remedy_site_name(sites[s], o, member), 0, sites[s]->bytes);
	}
	keep_apart(l, f, o, member, elements);
	know_bases(l, type_inside(p, o, member));
	elements |= l->n_members == 1;
	l->whole = !l->gaps && elements;
	if (l->gaps && elements)
		l->tail_gap = REMEDY_LINE;
}

/* The E of a member "std::array<struct E, 4> w;", NULL: it is of another type. */
static char *type_in_array(const struct source *s, size_t first, size_t end)
{
	for (size_t i = first; i + 2 < end; i++) {
		size_t k = i + 2;

		if (!source_is(s, i, "array") || !source_is(s, i + 1, "<"))
			continue;
		while (k + 1 < end && source_is_word(s, k) && source_is_word(s, k + 1))
			k++;
		return source_is_word(s, k) && source_is(s, k + 1, ",") ? source_piece(s, k, k) : NULL;
	}
	return NULL;
}

/* The type in front of a member: "struct worker w[2];" -> worker. */
static char *type_of_member(const struct source *s, const struct source_member *sm)
{
	size_t i = (sm - sm->number)->declarator;

	if (source_is(s, i - 1, ">"))
		return type_in_array(s, sm->first, i);

	return i > sm->first && source_is_word(s, i - 1) && sm->declarator == sm->name
		       ? source_piece(s, i - 1, i - 1)
		       : NULL;
}

int search_descend(struct search *inner, const struct search *outer, const char *member,
		   const struct sharing_finding *f, const struct sharing_object *o, struct err *err)
{
	const struct source *s = &outer->file->src;
	const struct source_member *sm = source_member(s, &outer->members, member, strlen(member));
	char *type;

	if (!sm)
		return err_set(err, -ENOENT, "`%s` is not among the members in %s", member,
			       outer->file->name);
	inner->partial = true;
	if (sm->inner.open != SOURCE_NONE) {
		inner->file = outer->file;
		inner->def = sm->inner;
		inner->nested = true;
		source_members(s, sm->inner.open, sm->inner.close, &inner->members);
		return search_fits(inner, inner->file, &inner->def, &inner->members)
			       ? 0
			       : err_set(err, -ENOENT, "`%s` has other members than in the build", member);
	}
	type = type_of_member(s, sm);
	inner->type = type;
	if (type)
		search_all(inner, f, o);
	inner->type = NULL;
	if (type && inner->n == 1) {
		free(type);
		return 0;
	}
	if (!type)
		type = source_piece(s, sm->first, sm->name - 1);
	err_set(err, -ENOENT, "the type of `%s`, `%s`, was not found as a struct below '%s'", member, type,
		inner->p->tree.root);
	free(type);
	return -ENOENT;
}

/*
 * "in.both" where all that is used of @member, "in", lies inside of its member "both"; NULL: they use
 * several, or elements of it, or it has none.  Owned by the caller.
 */
static char *common_path(const struct sharing_object *o, const char *member)
{
	char *path = NULL;
	bool good = true;

	for (size_t i = 0; i < o->n_uses && good; i++) {
		const char *field = o->uses[i].field;
		size_t len = strlen(member);

		if (strncmp(field, member, len) || (field[len] && !strchr(".[", field[len])))
			continue;
		good = !remedy_inner_elements(field, member) && field[len];
		len += good ? 1 + strcspn(field + len + 1, ".[") : 0;
		path = path || !good ? path : mem_strndup(field, len);
		/* Nothing behind it: threads meet between members.  The library's are none of a source. */
		good = good && field[len] && strncmp(field + len, "._M_", 4) && strlen(path) == len &&
		       !strncmp(path, field, len);
	}
	if (good)
		return path;
	free(path);
	return NULL;
}

/* True if use @i, which lies in member @name of @path, was met by other threads inside of that. */
static bool meets_below(const struct sharing_object *o, const char *path, size_t i, const char *name)
{
	const struct sharing_use *use = &o->uses[i];
	bool meets = false;

	for (size_t k = 0; k < i && !meets; k++) {
		char *other = remedy_inner_name(o->uses[k].field, path);

		meets = other && !strcmp(other, name) && strcmp(o->uses[k].field, use->field) != 0 &&
			!sharing_use_alike(&o->uses[k], use);
		free(other);
	}
	return meets;
}

/* -ENOTSUP: threads also meet inside of a member of @path, which moving its members does not part. */
static int check_below(const struct sharing_object *o, const char *path, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < o->n_uses && !ret; i++) {
		char *name = remedy_inner_name(o->uses[i].field, path);

		if (name && strncmp(name, "_M_", 3) && meets_below(o, path, i, name))
			ret = err_set(err, -ENOTSUP,
				      "threads meet inside of `%s.%s`, too, where room between the members "
				      "of `%s` does not part them",
				      path, name, path);
		free(name);
	}
	return ret;
}

/* The struct that @member is, which is no union. */
static int descend_once(struct search *in, const struct search *outer, const char *member,
			const struct sharing_finding *f, const struct sharing_object *o, struct err *err)
{
	int ret = search_descend(in, outer, member, f, o, err);

	if (!ret && source_is(&in->file->src, in->def.keyword, "union"))
		ret = err_set(err, -ENOTSUP,
			      "`%s` is a union, whose members stay together: they share their bytes", member);
	return ret;
}

/* The struct that @member is, or the one in it that all threads use: *path leads there; @in's layout is @l. */
static int descend_into(struct search *in, const struct search *outer, struct remedy_layout *l, char **path,
			const struct sharing_finding *f, const struct sharing_object *o, struct err *err)
{
	int ret = descend_once(in, outer, *path, f, o, err);
	char *below;

	while (!ret && (below = common_path(o, *path))) {
		struct search next = {.p = in->p, .l = l};

		layout_release(l);
		inner_layout(l, in->p, f, o, below);
		ret = descend_once(&next, in, below + strlen(*path) + 1, f, o, err);
		search_release(in);
		*in = next;
		free(*path);
		*path = below;
	}
	return ret ? ret : check_below(o, *path, err);
}

int patch_member(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		 char **member, struct err *err)
{
	struct remedy_layout outer = {.bytes_now = o->layout->bytes}, l;
	struct search q = {.p = p, .l = &outer}, in = {.p = p, .l = &l};
	char *outermost = mem_strdup(*member);
	int ret;

	search_members(&outer, o);
	ret = search_find(&q, f, o, err);
	inner_layout(&l, p, f, o, outermost);
	if (!ret && !l.n_members)
		ret = err_set(err, -ENOTSUP, "threads meet in elements of `%s`, which have no members",
			      outermost);
	if (!ret)
		ret = descend_into(&in, &q, &l, member, f, o, err);
	if (!ret) {
		char *type = in.def.tag == SOURCE_NONE ? NULL
						       : source_piece(&in.file->src, in.def.tag, in.def.tag);

		ret = patch_check_open(p, o, outermost, type, err);
		free(type);
	}
	if (!ret && l.fixed) {
		struct sharing_object inner = *o;

		inner.layout = type_inside(p, o, *member);
		ret = search_bases(&in, f, &inner, err);
	}
	if (!ret)
		ret = search_change(&in, err);
	search_release(&q);
	search_release(&in);
	layout_release(&outer);
	layout_release(&l);
	free(outermost);
	return ret;
}
