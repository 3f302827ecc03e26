/* SPDX-License-Identifier: MIT */
/* Finding the definition of a struct in the sources. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/types/search.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"

#define INCLUDE_DEPTH 8u
/* Base classes of base classes. */
#define BASE_DEPTH 4u

/* Members that have to be there by name. */
static bool needed(const struct search *q, const struct patch_file *f, const struct source_struct *t,
		   const struct remedy_member *m)
{
	if (!strcmp(m->name, "_vptr"))
		return false;
	/* What a base class declares stays where it is; room behind it can still be made. */
	if (t->derived && ((!m->apart && !m->gap) || m->now + m->bytes <= q->l->fixed))
		return false;
	/* A C++ type may have members of its base classes. */
	return m->group >= 0 || m->apart || m->gap || !q->type || !f->src.cxx;
}

/* The build's table reaches up to the end of the struct: no member is missing in it. */
static bool all_known(const struct remedy_layout *l)
{
	uint64_t end = 0;

	for (size_t i = 0; i < l->n_members; i++)
		if (l->members[i].now + l->members[i].bytes > end)
			end = l->members[i].now + l->members[i].bytes;
	return l->bytes_now && end + 16 > l->bytes_now;
}

static bool in_layout(const struct remedy_layout *l, const struct source *s, size_t name)
{
	for (size_t i = 0; i < l->n_members; i++)
		if (source_is(s, name, l->members[i].name))
			return true;
	return false;
}

/* Arrays without elements and what is not understood are in no table. */
static bool adds_member(struct search *q, const struct patch_file *f, const struct source_members *ms)
{
	const struct source *s = &f->src;

	for (size_t i = 0; i < ms->n; i++) {
		const struct source_member *m = &ms->at[i];
		bool none = source_is(s, m->name + 1, "[") && source_is(s, m->name + 2, "0");

		if (m->odd || m->flexible || none || in_layout(q->l, s, m->name))
			continue;
		free(q->misfit);
		q->misfit = source_piece(s, m->name, m->name);
		return q->added = true;
	}
	return false;
}

/* 0: it is another type; 1: it has the members; 2: and no others, which a condition could have left out. */
int search_fits(struct search *q, const struct patch_file *f, const struct source_struct *t,
		const struct source_members *ms)
{
	size_t last = 0;

	if (!q->type && !q->partial && ms->n != q->l->n_members)
		return 0;
	for (size_t i = 0; i < q->l->n_members; i++) {
		const struct remedy_member *m = &q->l->members[i];
		const struct source_member *sm = source_member(&f->src, ms, m->name, strlen(m->name));

		/* Members of a union, on each other, have no order. */
		if (sm && sm->name >= last) {
			last = source_is(&f->src, t->keyword, "union") ? 0 : sm->name;
		} else if (needed(q, f, t, m)) {
			q->inherits |= t->derived;
			free(q->misfit);
			q->misfit = mem_strdup(m->name);
			return 0;
		}
	}
	if (q->type && !q->partial && !f->src.cxx && !t->derived && !ms->conditional && !ms->special &&
	    all_known(q->l) && adds_member(q, f, ms))
		return 0;
	return ms->n == q->l->n_members ? 2 : 1;
}

bool search_of_lines(const struct source *s, size_t from, size_t to)
{
	static const char *const words[] = {"alignas", "_Alignas", "aligned", "__aligned__", NULL};

	for (size_t i = from; i < to && s->at[i].kind != TOKEN_DIRECTIVE; i++)
		if (source_is_any(s, i, words) && source_is(s, i + 1, "(") &&
		    strtoul(s->text + s->at[i + 2].at, NULL, 0) >= REMEDY_LINE)
			return true;
	return false;
}

static void search_file(struct search *q, struct patch_file *f)
{
	struct source_struct t;

	for (size_t i = 0; f && source_next_struct(&f->src, &i, &t);) {
		struct source_members ms;
		int rank;

		/* A struct of whole lines is not the one that was recorded. */
		if (t.aligned && q->l->bytes_now % REMEDY_LINE)
			continue;
		if (q->type && !source_struct_named(&f->src, &t, q->type))
			continue;
		source_members(&f->src, t.open, t.close, &ms);
		q->named |= q->type != NULL;
		rank = 2 * search_fits(q, f, &t, &ms);
		/* Of two under conditions, one with a part of whole lines is not that of the build; alone, it was changed since. */
		rank -= rank && q->l->bytes_now % REMEDY_LINE && search_of_lines(&f->src, t.open, t.close);
		q->n = rank > q->rank ? 1 : q->n + (rank && rank == q->rank);
		if (rank > q->rank) {
			source_members_release(&q->members);
			q->file = f;
			q->def = t;
			q->members = ms;
			q->rank = rank;
		} else {
			source_members_release(&ms);
		}
	}
}

static bool seen(struct search *q, struct patch_file *f)
{
	for (size_t i = 0; i < q->n_seen; i++)
		if (q->seen[i] == f)
			return true;
	if (q->n_seen == sizeof(q->seen) / sizeof(q->seen[0]))
		return true;
	q->seen[q->n_seen++] = f;
	return false;
}

/* The name between the quotes of `#include "name"` or <name>; owned by the caller, NULL: none. */
static char *included(const struct patch_file *f, size_t i)
{
	const struct token *t = &f->src.at[i];
	const char *text = f->src.text + t->at + 1, *end = text - 1 + t->len, *from, *to;

	text += strspn(text, " \t");
	if (end - text < 9 || strncmp(text, "include", 7))
		return NULL;
	from = text + 7 + strcspn(text + 7, "\"<\n") + 1;
	if (from >= end)
		return NULL;
	to = from + strcspn(from, "\">\n");
	return to < end ? mem_strndup(from, (size_t)(to - from)) : NULL;
}

/* What @f includes as @name: seen from its directory, else from the root. */
static struct patch_file *open_included(struct patch *p, const struct patch_file *f, const char *name)
{
	const char *slash = strrchr(f->name, '/');
	struct strbuf sb = STRBUF_INIT;
	struct patch_file *next;

	strbuf_add(&sb, f->name, slash ? (size_t)(slash + 1 - f->name) : 0);
	strbuf_puts(&sb, name);
	next = patch_open(p, sb.s);
	strbuf_release(&sb);
	return next ? next : patch_open(p, name);
}

/* A file and what it includes of the same source tree. */
static void search_from(struct search *q, struct patch_file *f, unsigned depth)
{
	if (!f || q->n || seen(q, f))
		return;
	search_file(q, f);
	for (size_t i = 0; i < f->src.n && !q->n && depth < INCLUDE_DEPTH; i++) {
		char *name = f->src.at[i].kind == TOKEN_DIRECTIVE ? included(f, i) : NULL;

		if (name)
			search_from(q, open_included(q->p, f, name), depth + 1);
		free(name);
	}
}

void search_all(struct search *q, const struct sharing_finding *f, const struct sharing_object *o)
{
	const char *last;
	char *word;
	size_t len;

	search_from(q, patch_open(q->p, o->file), 0);
	for (size_t i = 0; i < f->n_pairs && !q->n; i++) {
		const struct run_mem_site *sites[2] = {f->pairs[i].a.site, f->pairs[i].b.site};

		for (int s = 0; s < 2; s++)
			if (sites[s]) {
				search_from(q, patch_open(q->p, sites[s]->file), 0);
				search_from(q, patch_open(q->p, sites[s]->unit), 0);
			}
	}
	if (q->n || !q->type)
		return;
	last = source_last_name(q->type, &len);
	word = mem_strndup(last, len);
	tree_list(&q->p->tree);
	for (size_t i = 0; i < q->p->tree.n; i++)
		search_file(q, patch_open_tree(q->p, i, word));
	free(word);
}

/* NULL: it has none. */
static const char *type_name(const struct sharing_object *o)
{
	return layout_nameless(o->layout->name) ? NULL : o->layout->name;
}

static int not_found(const struct search *q, const struct sharing_object *o, struct err *err)
{
	if (o->layout->n_fields && !strncmp(o->layout->fields[0].name, "_M_elems", 8))
		return err_set(err, -ENOENT,
			       "it is a std::array, and of what, the tables of a build by -flto do not say");
	if (q->n > 1)
		return err_set(err, -EEXIST, "`%s` is defined %zu times below '%s'", o->layout->name, q->n,
			       q->p->tree.root);
	if (q->named && q->added)
		return err_set(err, -ENOENT,
			       "`%s` has a member `%s` that it did not have in the build: the source has "
			       "changed since",
			       o->layout->name, q->misfit);
	if (q->named && q->inherits)
		return err_set(err, -ENOENT,
			       "`%s` has no member `%s` of its own: a base class or a macro declares it",
			       o->layout->name, q->misfit ? q->misfit : "?");
	if (q->named)
		return err_set(err, -ENOENT,
			       "`%s` has no member `%s` in the source: a macro makes it, or the source "
			       "has changed since the build",
			       o->layout->name, q->misfit ? q->misfit : "?");
	return err_set(err, -ENOENT,
		       "the definition of `%s` was not found below '%s'; --source=DIR looks elsewhere",
		       o->layout->name, q->p->tree.root);
}

int search_find(struct search *q, const struct sharing_finding *f, const struct sharing_object *o,
		struct err *err)
{
	const char *name = type_name(o);
	char *plain = name ? demangle_type(name) : NULL;

	/* Link-time optimisation calls a type "3job". */
	q->type = plain ? plain : name;
	search_all(q, f, o);
	q->type = NULL;
	free(plain);
	return q->n == 1 ? 0 : not_found(q, o, err);
}

/* The name of a base class from token @*i on, which moves behind it: `public app::base<T>,`. */
static char *next_base(const struct search *q, size_t *i)
{
	const struct source *s = &q->file->src;
	size_t name = SOURCE_NONE;
	int depth = 0;

	for (; *i < q->def.open && (depth || !source_is(s, *i, ",")); ++*i) {
		depth += source_is(s, *i, "<") - source_is(s, *i, ">");
		if (!depth && source_is_word(s, *i))
			name = *i;
	}
	++*i;
	return name == SOURCE_NONE ? NULL : source_piece(s, name, name);
}

/* The class below @q that declares @member, into @out; @depth: so far from the one that was looked for. */
static bool find_base(struct search *out, const struct search *q, const char *member,
		      const struct sharing_finding *f, const struct sharing_object *o, unsigned depth)
{
	static const struct remedy_layout any;
	size_t i = q->def.tag;
	bool found = false;
	char *name;

	while (i < q->def.open && !source_is(&q->file->src, i, ":"))
		i++;
	for (i++; !found && q->def.derived && depth < BASE_DEPTH && i < q->def.open; free(name)) {
		struct search base = {.p = q->p, .l = &any, .partial = true};

		name = next_base(q, &i);
		base.type = name;
		if (name)
			search_all(&base, f, o);
		base.type = NULL;
		if (base.n == 1 && source_member(&base.file->src, &base.members, member, strlen(member))) {
			*out = base;
			out->l = q->l;
			found = true;
			continue;
		}
		found = base.n == 1 && find_base(out, &base, member, f, o, depth + 1);
		if (found)
			out->l = q->l;
		search_release(&base);
	}
	return found;
}

struct search *search_holder(struct search *q, const char *name)
{
	if (source_member(&q->file->src, &q->members, name, strlen(name)))
		return q;
	for (size_t i = 0; i < q->n_bases; i++)
		if (source_member(&q->bases[i].file->src, &q->bases[i].members, name, strlen(name)))
			return &q->bases[i];
	return NULL;
}

int search_bases(struct search *q, const struct sharing_finding *f, const struct sharing_object *o,
		 struct err *err)
{
	for (size_t i = 0; i < q->l->n_members; i++) {
		const struct remedy_member *m = &q->l->members[i];
		struct search base;

		if ((!m->apart && !m->gap) || m->now + m->bytes > q->l->fixed || search_holder(q, m->name))
			continue;
		if (!find_base(&base, q, m->name, f, o, 0))
			return err_set(err, -ENOENT,
				       "the base class of `%s` that has member `%s` was not found below '%s'",
				       o->layout->name, m->name, q->p->tree.root);
		q->bases = mem_resize(q->bases, q->n_bases + 1, sizeof(*q->bases));
		q->bases[q->n_bases++] = base;
	}
	return 0;
}

void search_release(struct search *q)
{
	for (size_t i = 0; i < q->n_bases; i++)
		search_release(&q->bases[i]);
	free(q->bases);

	source_members_release(&q->members);
	free(q->misfit);
}
