/* SPDX-License-Identifier: MIT */
#include "analyzer/patch/layouts/items.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/layouts/rules.h"
#include "analyzer/patch/types/search.h"
#include "analyzer/patch/variables/variables.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"

/* Memory of malloc begins with a word, though anywhere in a line. */
#define WORD 8u
/* Where a line between members does not part them, two may, or four. */
#define ALIGN_MOST 256u

static void put_item(struct layout_items *x, struct plan_layout *l, const struct run_type *type,
		     const struct layout_asked *asked, bool old)
{
	const struct run_type *grows = asked && asked->grows ? asked->grows : type;

	vec_push(&x->at, ((struct layout_item){.l = l,
					       .type = type,
					       .grows = grows,
					       .objects = asked ? asked->objects : 0,
					       .old = old}));
}

static void free_layout(struct plan_layout *l)
{
	free(l->type);
	free(l->field);
	free(l->variable);
	free(l->unit);
	free(l->file);
	free(l->breaks);
	free(l->evidence);
	free(l->reason);
	free(l);
}

/* The run's type that a plan calls @name; NULL: there is none. */
static const struct run_type *type_called(const struct run *run, const char *name)
{
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_types; i++)
			if (layout_same_type(run->modules[m].sites.types[i].name, name))
				return &run->modules[m].sites.types[i];
	return NULL;
}

void layout_items_begin(struct layout_items *x, const struct run *run, struct plan_layout *layouts, size_t n)
{
	*x = (struct layout_items){0};
	for (size_t i = 0; i < n; i++)
		put_item(x, &layouts[i],
			 layouts[i].kind == PLAN_LAYOUT_FIELD ? type_called(run, layouts[i].type) : NULL,
			 NULL, true);
}

static void drop(struct layout_items *x, size_t n)
{
	while (x->at.n > n) {
		struct layout_item *it = &x->at.at[--x->at.n];

		vec_release(&it->idents);
		if (!it->old)
			free_layout(it->l);
	}
}

void layout_items_release(struct layout_items *x)
{
	drop(x, 0);
	vec_release(&x->at);
}

/* Is one path the end of the other? */
static bool same_file(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	if (n > m)
		return same_file(b, a);
	return !strcmp(a, b + m - n) && (n == m || b[m - n - 1] == '/');
}

/* "v" of "T<1>::v": what one declaration calls all the variables that it makes; @n bytes of @name. */
static const char *declared_name(const char *name, size_t *n)
{
	const char *at = name;
	int depth = 0;

	for (const char *s = name; *s; s++) {
		depth += (*s == '<') - (*s == '>');
		if (!depth && s[0] == ':' && s[1] == ':')
			at = s + 2;
	}
	*n = strcspn(at, "<");
	return at;
}

bool layout_is_template(const struct plan_layout *l)
{
	return strchr(l->kind == PLAN_LAYOUT_FIELD ? l->type : l->variable, '<') != NULL;
}

static bool same_declared(const char *a, const char *b)
{
	size_t n, m;

	a = declared_name(a, &n);
	b = declared_name(b, &m);
	return n == m && !strncmp(a, b, n);
}

/* Two instances of one template, whose field the compiler aligns in all of them. */
static bool same_template(const struct plan_layout *a, const struct plan_layout *b)
{
	size_t n = strcspn(a->type, "<");

	return a->line == b->line && a->type[n] && b->type[n] == '<' && !strncmp(a->type, b->type, n);
}

/* The item of the same declaration as @l; NULL: there is none. */
static struct layout_item *item_known(const struct layout_items *x, const struct plan_layout *l)
{
	for (size_t i = 0; i < x->at.n; i++) {
		struct plan_layout *k = x->at.at[i].l;

		if (k->kind != l->kind || !same_file(k->file, l->file))
			continue;
		if (l->kind == PLAN_LAYOUT_FIELD
			    ? !strcmp(k->field, l->field) &&
				      (layout_same_type(k->type, l->type) || same_template(k, l))
			    : k->line == l->line && same_declared(k->variable, l->variable))
			return &x->at.at[i];
	}
	return NULL;
}

/* @l, the list's then, if there is none of its declaration. */
static void offer(struct layout_items *x, struct plan_layout *l, const struct run_type *type,
		  const struct layout_asked *asked)
{
	if (!item_known(x, l)) {
		put_item(x, l, type, asked, false);
		return;
	}
	x->n_known++;
	free_layout(l);
}

/*
 * A template's variables, and those of functions on one line, have one declaration, and the compiler aligns
 * all of them: one item, whose bytes are those of all that were seen.
 */
static int offer_variable(struct layout_items *x, struct plan_layout *l, const void *ident, struct err *err)
{
	struct layout_item *known = item_known(x, l);
	bool other = known && !known->old;

	for (size_t i = 0; other && i < known->idents.n; i++)
		other = known->idents.at[i] != ident;
	if (other && l->size != known->l->size) {
		err_set(err, -ENOTSUP, "one declaration makes `%s` and `%s`, and they differ in size",
			known->l->variable, l->variable);
		free_layout(l);
		return -ENOTSUP;
	}
	if (other) {
		known->l->bytes += l->bytes;
		vec_push(&known->idents, ident);
		free_layout(l);
		return 0;
	}
	offer(x, l, NULL, NULL);
	if (!known)
		vec_push(&x->at.at[x->at.n - 1].idents, ident);
	return 0;
}

/* ---- fields ---- */

static const struct run_part *part_of(const struct run_type *t, const char *name)
{
	for (size_t i = 0; i < t->n_parts; i++)
		if (!strcmp(t->parts[i].name, name))
			return &t->parts[i];
	return NULL;
}

/* -ENOTSUP: why the compiler could not align member @name, which @q found. */
static int check_member(const struct search *q, const struct run_type *t, const char *name, struct err *err)
{
	const struct source_member *sm = source_member(&q->file->src, &q->members, name, strlen(name));
	struct anchor anchor;
	int ret;

	if (!sm)
		return err_set(err, -ENOTSUP,
			       "`%s` is a member of a base class of %s, and a plan aligns none "
			       "of these",
			       name, t->name);
	ret = anchor_refused(q, sm, name, err);
	if (ret)
		return ret;
	anchor_of(q, sm, &anchor);
	if (anchor.whole)
		return err_set(err, -ENOTSUP, "`%s` is in a union, whose members share their bytes", name);
	if (sm->bit_field)
		return err_set(err, -ENOTSUP, "`%s` is a bit-field, which has no address of its own", name);
	if (!part_of(t, name))
		return err_set(err, -ENOTSUP, "`%s` is in a struct without a name", name);
	return 0;
}

static int check_type(const struct search *q, const struct run_type *t, struct err *err)
{
	if (source_is(&q->file->src, q->def.keyword, "union"))
		return err_set(err, -ENOTSUP, "the members of the union %s share their bytes", t->name);
	if (q->members.n && q->members.at[q->members.n - 1].flexible)
		return err_set(err, -ENOTSUP,
			       "%s ends with an array without a bound, and whoever allocates it counts bytes",
			       t->name);
	if (!t->n_parts) {
		err_set(err, -ENOTSUP,
			"the site table does not say what the members of %s are aligned to: it "
			"is packed, or the program was built by an older version",
			t->name);
		return -ENOTSUP;
	}
	return 0;
}

static int add_member(struct layout_items *x, const struct search *q, const struct run_type *t,
		      const char *name, const struct layout_asked *asked, struct err *err)
{
	const struct source *s = &q->file->src;
	struct plan_layout *l;
	int ret = check_member(q, t, name, err);

	if (ret)
		return ret;
	l = mem_new(1, sizeof(*l));
	*l = (struct plan_layout){
		.kind = PLAN_LAYOUT_FIELD,
		.type = layout_type(q->l),
		.field = mem_strdup(name),
		.file = mem_strdup(q->file->name),
		.line = s->at[source_member(s, &q->members, name, strlen(name))->name].line,
		.align = REMEDY_LINE,
		.size = t->bytes,
		.offset = part_of(t, name)->offset,
		.evidence = mem_strdup(asked->ids),
	};
	offer(x, l, t, asked);
	return 0;
}

/* The members that begin lines; where only the structs are to, the first that can. */
static int add_members(struct layout_items *x, const struct search *q, const struct run_type *t,
		       bool elements, const struct layout_asked *asked, struct err *err)
{
	const struct remedy_layout *l = q->l;
	bool any = false;
	int ret = 0;

	for (size_t i = 0; i < l->n_members && !ret; i++) {
		if (!l->members[i].apart)
			continue;
		any = true;
		ret = add_member(x, q, t, l->members[i].name, asked, err);
	}
	if (any || ret)
		return ret;
	if (!elements)
		return err_set(err, -ENOTSUP, "no member of %s would begin a line", t->name);
	for (size_t i = 0; i < t->n_parts; i++) {
		ret = *t->parts[i].name ? add_member(x, q, t, t->parts[i].name, asked, err) : -ENOTSUP;
		if (!ret)
			return 0;
	}
	return ret;
}

static struct layout_rules rules_of(const struct layout_items *x, const struct run *run, size_t n,
				    const struct plan_layout **list)
{
	for (size_t i = 0; i < n; i++)
		list[i] = x->at.at[i].l;
	return (struct layout_rules){run, list, n};
}

/* Where member @m lies with the places @then of the parts of @t. */
static uint64_t place_then(const struct run_type *t, const uint64_t *then, const struct remedy_member *m)
{
	for (size_t i = t->n_parts; i-- > 0;)
		if (m->now >= t->parts[i].offset)
			return then[i] + (m->now - t->parts[i].offset);
	return m->now;
}

/* The first offset that is in no line with the byte in front of @end, in whatever word of a line the struct begins. */
static uint64_t beyond(uint64_t end)
{
	return end ? (end - 1) / WORD * WORD + REMEDY_LINE : 0;
}

/* Do members of different threads keep off each other wherever the struct begins, and one struct off the next? */
static bool keeps_apart(const struct remedy_layout *l, const struct run_type *t, const uint64_t *then,
			const struct layout_room *room, bool elements)
{
	uint64_t used = 0, end = 0;

	for (size_t i = 0; i < l->n_members; i++) {
		const struct remedy_member *m = &l->members[i];
		uint64_t at = place_then(t, then, m);

		if (m->apart && at < beyond(used))
			return false;
		end = at + m->bytes > end ? at + m->bytes : end;
		used = m->group >= 0 || m->unseen ? end : used;
	}
	return !elements || room->bytes >= beyond(end);
}

/* In memory of malloc a line between two members may be too little: the items from @from on get more. */
static int align_apart(struct layout_items *x, const struct run *run, const struct remedy_layout *l,
		       const struct run_type *t, bool elements, size_t from, struct err *err)
{
	const struct plan_layout **list = mem_new(x->at.n + 1, sizeof(const struct plan_layout *));
	struct layout_rules rules = rules_of(x, run, x->at.n, list);
	uint64_t *then = mem_new(t->n_parts + 1, sizeof(*then));
	struct layout_room room;
	bool done = false;
	int ret = 0;

	for (uint32_t align = REMEDY_LINE; !ret && !done && align <= ALIGN_MOST; align *= 2) {
		for (size_t i = from; i < x->at.n; i++)
			x->at.at[i].l->align = align;
		ret = layout_rules_apply(&rules, t, then, &room, err);
		done = !ret && (!l->gaps || keeps_apart(l, t, then, &room, elements));
	}
	for (size_t i = from; i < x->at.n; i++)
		x->at.at[i].loose = l->gaps;
	free(then);
	free(list);
	if (!ret && !done)
		ret = err_set(
			err, -ENOTSUP,
			"memory of %s begins anywhere in a line, and no alignment up to %u bytes keeps its "
			"members apart there",
			t->name, ALIGN_MOST);
	return ret;
}

/* The base class of @t that its bytes from @at on are in; NULL: they are in none. */
static const struct run_part *base_at(const struct run_type *t, uint64_t at)
{
	for (size_t i = 0; i < t->n_parts; i++) {
		const struct run_part *part = &t->parts[i];

		if (!*part->name && at >= part->offset && at < part->offset + part->bytes)
			return part;
	}
	return NULL;
}

/*
 * The base class that all members to be kept apart are declared in, NULL: none of them.  Where a
 * class changes and what it is the base of, nobody knows what begins where.
 */
static int find_base(const struct search *q, const struct run_type *t, const struct run_part **base,
		     struct err *err)
{
	const struct remedy_layout *l = q->l;
	bool any = false;

	*base = NULL;
	for (size_t i = 0; i < l->n_members; i++) {
		const struct remedy_member *m = &l->members[i];
		bool own = source_member(&q->file->src, &q->members, m->name, strlen(m->name));
		const struct run_part *part = own ? NULL : base_at(t, m->now);

		if (!m->apart)
			continue;
		if (any && part != *base)
			return err_set(
				err, -ENOTSUP,
				"`%s` of %s is to be aligned, and so are members of other classes that "
				"it is made of",
				m->name, t->name);
		any = true;
		*base = part;
	}
	return 0;
}

int layout_items_struct(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
			const struct sharing_object *o, const struct remedy_layout *l,
			const struct layout_asked *asked, struct err *err)
{
	struct search q = {.p = p, .l = l};
	size_t from = x->at.n;
	bool elements = l->whole || l->tail_gap;
	const struct run_part *base = NULL;
	int ret = layout_nameless(o->layout->name)
			  ? err_set(err, -ENOTSUP, "a plan names types, and the struct of `%s` has no name",
				    o->name)
			  : search_find(&q, f, o, err);

	if (!ret)
		ret = check_type(&q, o->layout, err);
	if (!ret)
		ret = find_base(&q, o->layout, &base, err);
	if (!ret && base)
		ret = layout_items_base(x, p, f, o, base, asked, err);
	else if (!ret)
		ret = add_members(x, &q, o->layout, elements, asked, err);
	if (!ret && !base)
		ret = align_apart(x, p->run, l, o->layout, elements, from, err);
	if (ret)
		drop(x, from);
	search_release(&q);
	return ret;
}

/* ---- variables ---- */

int layout_items_variable(struct layout_items *x, struct patch *p, const struct sharing_object *o,
			  const char *ids, struct err *err)
{
	struct variable_place v;
	struct plan_layout *l;
	int ret = patch_variable_place(p, o, &v, err);

	if (ret)
		return ret;
	l = mem_new(1, sizeof(*l));
	*l = (struct plan_layout){
		.kind = PLAN_LAYOUT_VARIABLE,
		.variable = v.name,
		.unit = v.own ? mem_strdup(v.file->name) : NULL,
		.file = mem_strdup(v.file->name),
		.line = v.line,
		.align = REMEDY_LINE,
		.size = v.bytes,
		.size_after = (v.bytes + REMEDY_LINE - 1) / REMEDY_LINE * REMEDY_LINE,
		.evidence = mem_strdup(ids),
	};
	l->bytes = l->size_after - l->size;
	return offer_variable(x, l, o->ident, err);
}

/* ---- all together ---- */

/* What is in the plan is kept as it is, so its figures must be those with the new ones. */
static int check_old(const struct layout_item *it, uint64_t bytes, uint64_t at, bool touched, struct err *err)
{
	const struct plan_layout *l = it->l;

	if (l->size != it->type->bytes && touched) {
		err_set(err, -EEXIST,
			"the plan has a layout of `%s` of %s, which had %llu bytes without it, and %llu in "
			"this "
			"run",
			l->field, l->type, (unsigned long long)l->size, (unsigned long long)it->type->bytes);
		return err_advise(err,
				  "record a build without the plan's layouts, or take those of this type "
				  "out of it");
	}
	if (l->size == it->type->bytes && (l->size_after != bytes || l->offset_after != at)) {
		err_set(err, -EEXIST,
			"the plan has a layout of `%s` of %s with %llu bytes then, and with what is to come "
			"it has %llu",
			l->field, l->type, (unsigned long long)l->size_after, (unsigned long long)bytes);
		return err_advise(err,
				  "take the plan's layouts of this type out of it, and write them again");
	}
	return 0;
}

/* A new layout of the type of item @i changes what the plan says of it. */
static bool touched(const struct layout_items *x, size_t i)
{
	for (size_t k = 0; k < x->at.n; k++)
		if (!x->at.at[k].old && x->at.at[k].type == x->at.at[i].type)
			return true;
	return false;
}

/* Bytes that one struct grows by because of item @i, behind those in front of it. */
static uint64_t grows_by(const struct layout_items *x, const struct run *run, size_t i,
			 const struct plan_layout **list)
{
	struct layout_rules rules = rules_of(x, run, i, list);
	struct layout_room before, behind;
	struct err err = ERR_INIT;

	if (layout_rules_apply(&rules, x->at.at[i].grows, NULL, &before, &err))
		return 0;
	rules = rules_of(x, run, i + 1, list);
	if (layout_rules_apply(&rules, x->at.at[i].grows, NULL, &behind, &err))
		return 0;
	return behind.bytes - before.bytes;
}

static int finish_field(struct layout_items *x, const struct run *run, size_t i,
			const struct plan_layout **list, struct err *err)
{
	struct layout_item *it = &x->at.at[i];
	struct layout_rules rules = rules_of(x, run, x->at.n, list);
	const struct run_part *part = part_of(it->type, it->l->field);
	uint64_t *then = mem_new(it->type->n_parts + 1, sizeof(*then)), at;
	struct layout_room room;
	int ret = layout_rules_apply(&rules, it->type, then, &room, err);

	at = !ret && part ? then[part - it->type->parts] : 0;
	free(then);
	if (ret || it->old)
		return ret && !(it->old && !touched(x, i)) ? ret
		       : ret || !part                      ? 0
				      : check_old(it, room.bytes, at, touched(x, i), err);
	it->l->size_after = room.bytes;
	it->l->offset_after = at;
	it->l->bytes = grows_by(x, run, i, list) * it->objects;
	return 0;
}

int layout_items_finish(struct layout_items *x, const struct run *run, struct err *err)
{
	const struct plan_layout **list = mem_new(x->at.n + 1, sizeof(const struct plan_layout *));
	int ret = 0;

	for (size_t i = 0; i < x->at.n && !ret; i++)
		if (x->at.at[i].type)
			ret = finish_field(x, run, i, list, err);
	free(list);
	return ret;
}
