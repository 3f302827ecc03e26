/* SPDX-License-Identifier: MIT */
/* A member that is an array of numbers, or a pair: each becomes a struct of a line, and its uses in all sources change along. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/types/search.h"
#include "analyzer/patch/variables/variable.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"

/* Room behind a number, which is aligned to its size and of no more than 16 bytes. */
#define BEHIND (REMEDY_LINE - 8)

/* The member, and what else could be meant by its name. */
struct numbers {
	struct patch *p;
	const struct sharing_object *o;
	const struct search *q;    /* the struct that has it */
	const char *path, *member; /* "q.w" and "w" */
	struct declaration v;
	unsigned dims;
	bool gaps;
	bool others; /* other structs have a member of that name */
	bool pair;   /* a std::pair, of which the second part changes */
};

static int refuse(const struct numbers *n, const struct patch_file *f, size_t i, const char *what,
		  struct err *err)
{
	return err_set(err, -ENOTSUP, "`%s` at %s:%u is %s", n->member, f->name, f->src.at[i].line, what);
}

/* True if an access of the site tables is one to the member. */
static bool is_site_of(const struct numbers *n, const struct run_mem_site *site)
{
	size_t len = remedy_stem(site->field);
	bool outer = !strcmp(site->type, n->o->layout->name);

	return outer ? len == strlen(n->path) && !strncmp(site->field, n->path, len)
		     : len == strlen(n->member) && !strncmp(site->field, n->member, len);
}

/* The last name in @field, "w" of "q.w[]", is that of the member. */
static bool same_last(const struct numbers *n, const char *field)
{
	size_t len = remedy_stem(field), own = strlen(n->member);

	return len >= own && !strncmp(field + len - own, n->member, own) &&
	       (len == own || field[len - own - 1] == '.');
}

/* What the accesses of @u at the line of token @i are to: the member, or others of that name. */
static void told_by(const struct numbers *n, const struct sites_unit *u, const struct patch_file *f, size_t i,
		    bool whose[2])
{
	for (uint32_t k = 0; k < u->n_mems; k++) {
		const struct run_mem_site *site = &u->mems[k];

		if (site->line == f->src.at[i].line && same_last(n, site->field) &&
		    patch_open(n->p, site->file) == f)
			whose[is_site_of(n, site)] = true;
	}
}

/* The same of all units: 1 the member, 0 others, -1 unknown. */
static int told(const struct numbers *n, const struct patch_file *f, size_t i)
{
	const struct run *run = n->p->run;
	bool whose[2] = {false, false};

	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t u = 0; u < run->modules[m].sites.n_units; u++)
			told_by(n, &run->modules[m].sites.units[u], f, i, whose);
	return whose[0] == whose[1] ? -1 : whose[1];
}

/* The type word in the declaration of the variable at @first that is nearest in front of it; SOURCE_NONE: not found. */
static size_t declared_type(const struct source *s, size_t first)
{
	static const char *const pass[] = {"*", "&", "const", "volatile", "restrict", NULL};
	char *name = source_piece(s, first, first);
	size_t type = SOURCE_NONE;

	for (size_t k = first; k-- > 1 && type == SOURCE_NONE;) {
		size_t i = k - 1;

		if (!source_is(s, k, name))
			continue;
		while (i && source_is_any(s, i, pass))
			i--;
		if (source_is_word(s, i) && !source_is(s, i, "return") && !source_is(s, i, "struct"))
			type = i;
	}
	free(name);
	return type;
}

/* What the words round token @i say: 1 the member, 0 that of another struct, -1 unknown. */
static int written(const struct numbers *n, const struct patch_file *f, size_t i)
{
	const struct source *s = &f->src;
	const char *dot = strrchr(n->path, '.');
	char *outer = patch_last_name(n->o->layout->name);
	size_t first = uses_first(s, i), type = SOURCE_NONE;
	int whose = -1;

	if (source_is(s, first, "{") || source_is(s, first, ",")) {
		/* `struct hall h = {.in = {.w = ..}}`: its statement begins with the type. */
		for (size_t k = first; k && !source_is(s, k, ";") && whose < 0; k--) {
			if (source_is(s, k, "}") && source_match(s, k) != SOURCE_NONE)
				k = source_match(s, k);
			whose = source_is_word(s, k) && source_is(s, k, outer) ? 1 : -1;
		}
	} else if (source_is_word(s, first)) {
		type = declared_type(s, first);
	}
	if (type != SOURCE_NONE && source_is(s, type, outer))
		whose = dot || first + 2 == i || source_is(s, i - 2, "]") ? 1 : -1;
	else if (type != SOURCE_NONE && first + 2 == i && type && source_is(s, type - 1, "struct"))
		whose = 0;
	free(outer);
	return whose;
}

/* True if some struct of @f other than that of the member has one of that name, or derives from it. */
static bool has_other(const struct numbers *n, const struct patch_file *f)
{
	struct source_struct t;
	bool any = false;

	for (size_t i = 0; !any && source_next_struct(&f->src, &i, &t);) {
		struct source_members ms;

		if (f == n->q->file && t.open == n->q->def.open)
			continue;
		source_members(&f->src, t.open, t.close, &ms);
		for (size_t k = 0; k < ms.n && !any; k++)
			any = source_is(&f->src, ms.at[k].name, n->member) &&
			      !(f == n->q->file && ms.at[k].name == n->v.m->name);
		source_members_release(&ms);
	}
	return any;
}

/* True if token @i is in the class of the member, or in a function `Class::f() {` of it. */
static bool in_class(const struct numbers *n, const struct patch_file *f, size_t i)
{
	const struct source *s = &f->src;
	char *tag = n->q->def.tag == SOURCE_NONE
			    ? NULL
			    : source_piece(&n->q->file->src, n->q->def.tag, n->q->def.tag);
	bool inside = f == n->q->file && i > n->q->def.open && i < n->q->def.close;

	for (size_t end = source_block_end(s, i); tag && !inside && end != SOURCE_NONE;
	     end = source_block_end(s, end + 1)) {
		size_t k = source_match(s, end);

		for (; k != SOURCE_NONE && k > 1 && !source_is(s, k - 1, ";") && !source_is(s, k - 1, "}");
		     k--)
			inside |= source_is(s, k, "::") && source_is(s, k - 1, tag);
	}
	free(tag);
	return inside;
}

/* `.w = {1, 2}`: braces round each, where it is a list of values. */
static int edit_designated(const struct numbers *n, struct patch_file *f, size_t i, struct err *err)
{
	const struct source *s = &f->src;
	size_t open = i + 1 + source_is(s, i + 1, "=");

	if (n->pair || n->dims > 1 || !source_is(s, open, "{") || source_match(s, open) == SOURCE_NONE)
		return 0;
	return declaration_brace_list(s, open, &f->edits, err);
}

/* A name without an object in front: of the member within its class alone. */
static int edit_bare(const struct numbers *n, struct patch_file *f, struct declaration *v, size_t *i,
		     struct err *err)
{
	const struct source *s = &f->src;
	size_t at = *i, open = at + 1;

	if (at && source_is(s, at - 1, "::"))
		return in_class(n, f, at) || n->q->def.tag == SOURCE_NONE
			       ? refuse(n, f, at, "named by its class", err)
			       : 0;
	for (size_t k = at; k > 2 && k + 8 > at; k--)
		if (source_is(s, k - 1, "offsetof") || source_is(s, k - 1, "__builtin_offsetof"))
			return refuse(n, f, at, "named in an offsetof()", err);
	if (!patch_cxx(n->p, f) || !in_class(n, f, at))
		return 0;
	/* `: w{}, x()` of a constructor; a pair may have values. */
	if ((source_is(s, open, "{") || source_is(s, open, "(")) &&
	    (n->pair || source_match(s, open) == open + 1))
		return 0;
	if (at && (source_is_word(s, at - 1) || source_is(s, at - 1, "*") || source_is(s, at - 1, ">")) &&
	    !source_is(s, open, "["))
		return refuse(n, f, at, "perhaps something else of that name", err);
	return declaration_edit_use(v, &f->edits, at, i, ".v", n->dims, err);
}

/* What follows `.` or `->`. */
static int edit_member(const struct numbers *n, struct patch_file *f, struct declaration *v, size_t *i,
		       struct err *err)
{
	const struct source *s = &f->src;
	size_t at = *i, first = uses_first(s, at);
	int whose;

	if (source_is(s, at + 1, "("))
		return 0;
	whose = n->others ? written(n, f, at) : 1;
	whose = whose < 0 ? told(n, f, at) : whose;
	if (whose < 0)
		return refuse(n, f, at, "perhaps a member of another struct, which has one of that name, too",
			      err);
	if (!whose)
		return 0;
	if (at > 1 && (source_is(s, at - 2, "{") || source_is(s, at - 2, ",")))
		return edit_designated(n, f, at, err);
	return declaration_edit_use(v, &f->edits, first, i, ".v", n->dims, err);
}

static int edit_file(const struct numbers *n, struct patch_file *f, struct err *err)
{
	const struct source *s = &f->src;
	struct declaration v = n->v;
	int ret = 0;

	v.f = f;
	v.s = s;
	for (size_t i = 0; i < s->n && !ret; i++) {
		if (uses_in_directive(s, i, n->member))
			return refuse(n, f, i, "named in a preprocessor line", err);
		if (!source_is_word(s, i) || !source_is(s, i, n->member) ||
		    (f == n->q->file && i == n->v.m->name))
			continue;
		ret = i && (source_is(s, i - 1, ".") || source_is(s, i - 1, "->"))
			      ? edit_member(n, f, &v, &i, err)
			      : edit_bare(n, f, &v, &i, err);
	}
	return ret;
}

static int edit_uses(struct numbers *n, struct err *err)
{
	int ret = 0;

	tree_list(&n->p->tree);
	if (n->p->tree.cut)
		return err_set(err, -ENOTSUP, "there are too many sources to look for uses of `%s`",
			       n->member);
	for (size_t i = 0; i < n->p->tree.n; i++) {
		const struct patch_file *f = patch_open_tree(n->p, i, n->member);

		n->others |= f && !patch_no_unit(n->p, f) && has_other(n, f);
	}
	for (size_t i = 0; i < n->p->tree.n && !ret; i++) {
		struct patch_file *f = patch_open_tree(n->p, i, n->member);

		if (f && !patch_no_unit(n->p, f))
			ret = edit_file(n, f, err);
	}
	return ret;
}

/* `long w[8];` becomes `struct { _Alignas(64) long v; } w[8];`, in memory of any base with gaps. */
static int wrap(const struct numbers *n, struct edits *e, struct err *err)
{
	const struct source *s = n->v.s;
	size_t from = declaration_behind_storage(&n->v), star = n->v.m->declarator, name = n->v.m->name;
	char *stars = star < name ? source_piece(s, star, name - 1) : mem_strdup("");
	char *gap = n->gaps ? search_gap(BEHIND, n->v.d) : NULL;
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (n->gaps) {
		char *before = search_gap(REMEDY_LINE, n->v.d), *indent = source_indent(s, n->v.m->first);

		strbuf_printf(&sb, "%s\n%s", before, indent);
		free(before);
		free(indent);
	}
	if (n->gaps && from != n->v.m->first) {
		ret = edits_add(e, s->at[n->v.m->first].at, 0, sb.s, err);
		strbuf_release(&sb);
		if (ret)
			return ret;
	}
	strbuf_puts(&sb, "struct { ");
	if (!n->gaps && !source_is(s, from, "alignas") && !source_is(s, from, "_Alignas"))
		strbuf_printf(&sb, "%s ", patch_align(n->v.d));
	ret = edits_add(e, s->at[from].at, 0, sb.s, err);
	strbuf_release(&sb);
	strbuf_printf(&sb, "%sv; %s%s} ", stars, gap ? gap : "", gap ? " " : "");
	if (!ret)
		ret = edits_add(e, s->at[star].at, s->at[name].at - s->at[star].at, sb.s, err);
	strbuf_release(&sb);
	free(stars);
	free(gap);
	if (!ret && !declaration_is_zero(&n->v) && n->dims == 1)
		ret = declaration_brace_values(&n->v, e, err);
	return ret ? ret : declaration_raise_alignment(&n->v, e, err);
}

/* The elements, or parts, stay a line apart; not said of what has no name, or hides its members. */
static int assert_stride(const struct numbers *n, struct edits *e, struct err *err)
{
	const struct search *q = n->q;
	const struct source *s = n->v.s;
	struct strbuf condition = STRBUF_INIT, sb = STRBUF_INIT;
	char *type = search_type_name(q, n->v.d), *text, *indent;
	const char *expression = type ? strchr(type, '(') : NULL, *least = !n->pair  ? "[0]) >= 64"
									   : n->dims ? "[0]) >= 128"
										     : ") >= 128";
	int ret;

	if (!type || q->def.is_template || q->members.hidden || source_is(s, q->def.keyword, "class") ||
	    (q->nested && (expression || n->v.d != DIALECT_CXX))) {
		free(type);
		return 0;
	}
	if (expression)
		strbuf_printf(&condition, "sizeof(%.*s.%s%s", (int)strlen(expression + 1) - 1, expression + 1,
			      n->member, least);
	else
		strbuf_printf(&condition, "sizeof(((%s *)0)->%s%s", type, n->member, least);
	text = patch_assertion(n->v.d, condition.s, type);
	indent = source_indent(s, q->def.keyword);
	strbuf_printf(&sb, "\n%s%s", indent, text);
	ret = edits_add(e, s->at[q->def.end].at + 1, 0, sb.s, err);
	free(text);
	free(indent);
	free(type);
	strbuf_release(&condition);
	strbuf_release(&sb);
	return ret;
}

static int check(const struct numbers *n, struct err *err)
{
	const struct source_member *m = n->v.m;
	const struct source *s = n->v.s;

	if (n->p->tree.cut)
		return err_set(err, -ENOTSUP, "there are too many sources to look for uses of `%s`",
			       n->member);
	if (m->odd || m->of > 1 || m->bit_field || m->flexible || m->inner.open != SOURCE_NONE)
		return refuse(n, n->v.f, m->name, "not declared by itself, as an array with a bound", err);
	if (source_block_end(s, m->name) != n->q->def.close)
		return refuse(n, n->v.f, m->name, "a member of a struct or union inside of the struct", err);
	if (source_is(s, n->q->def.keyword, "union"))
		return refuse(n, n->v.f, m->name, "a member of a union, whose members lie on each other",
			      err);
	for (size_t i = n->q->def.open; i < m->name; i++)
		if (s->at[i].kind == TOKEN_DIRECTIVE)
			return refuse(n, n->v.f, m->name, "declared behind a preprocessor line", err);
	return 0;
}

static int change(struct numbers *n, struct err *err)
{
	size_t last;
	int ret = check(n, err);

	if (ret)
		return ret;
	n->dims = declaration_dimensions(&n->v, &last);
	if (n->pair) {
		ret = declaration_change_pair(&n->v, &n->v.f->edits, n->gaps, err);
	} else if (n->dims) {
		ret = wrap(n, &n->v.f->edits, err);
	} else if (declaration_container_args(&n->v) != SOURCE_NONE) {
		n->dims = 1;
		ret = declaration_change_container(&n->v, &n->v.f->edits, !n->gaps, err);
	} else {
		ret = refuse(n, n->v.f, n->v.m->name, "declared as no array", err);
	}
	if (!ret)
		ret = edit_uses(n, err);
	return ret ? ret : assert_stride(n, &n->v.f->edits, err);
}

/* Make the changes to all files, or none. */
static int change_all(struct numbers *n, struct err *err)
{
	struct patch *p = n->p;
	struct edits *old;
	size_t n_old;
	int ret;

	n_old = p->n_files;
	old = mem_new(n_old, sizeof(*old));
	for (size_t i = 0; i < n_old; i++)
		edits_copy(&old[i], &p->files[i]->edits);
	ret = change(n, err);
	for (size_t i = 0; ret && i < p->n_files; i++) {
		edits_release(&p->files[i]->edits);
		p->files[i]->edits = i < n_old ? old[i] : (struct edits){0};
	}
	for (size_t i = 0; !ret && i < n_old; i++)
		edits_release(&old[i]);
	free(old);
	return ret;
}

/* From the struct of the object to the one that has the last name of @path; *@at is that name. */
static int descend(struct search *in, const struct search *outer, const char *path, const char **at,
		   const struct sharing_finding *f, const struct sharing_object *o, struct err *err)
{
	const char *dot = strchr(path, '.');
	char *first = mem_strndup(path, strcspn(path, ".[")), *next = mem_strdup(dot + 1);
	struct remedy_layout *l = mem_new(1, sizeof(*l));
	int ret;

	*at = dot + 1;
	*in = (struct search){.p = outer->p, .l = l};
	search_member(l, next, 0, 0);
	ret = search_descend(in, outer, first, f, o, err);
	free(first);
	return ret;
}

static int change_member(struct patch *p, const struct sharing_object *o, const struct search *q,
			 const char *path, const char *member, bool pair, struct err *err)
{
	struct sharing_object copy = *o;
	struct numbers n = {.p = p, .o = &copy, .q = q, .path = path, .member = member, .pair = pair};
	int ret = patch_check_memory(p, &copy, err);

	if (!ret)
		ret = patch_check_asserted(p, o, err);
	if (ret)
		return ret;
	n.gaps = copy.kind == OBJECT_HEAP ? !copy.keeps_alignment : copy.also_allocated;
	n.v = (struct declaration){.p = p, .f = q->file, .s = &q->file->src, .d = patch_dialect(p, q->file)};
	n.v.m = source_member(n.v.s, &q->members, member, strlen(member));
	if (!n.v.m)
		return err_set(err, -ENOENT, "`%s` is not among the members in %s", member, q->file->name);
	n.v.name = mem_strdup(member);
	n.v.pair = pair;
	ret = change_all(&n, err);
	free(n.v.name);
	return ret;
}

static int change_path(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		       const char *path, bool pair, struct err *err)
{
	struct remedy_layout outer = {.bytes_now = o->layout->bytes};
	struct search q = {.p = p, .l = &outer}, in;
	const char *member = path;
	int ret;

	search_members(&outer, o);
	ret = search_find(&q, f, o, err);
	if (!ret && strchr(path, '.')) {
		ret = descend(&in, &q, path, &member, f, o, err);
		if (!ret)
			ret = change_member(p, o, &in, path, member, pair, err);
		search_release(&in);
		layout_release((struct remedy_layout *)in.l);
		free((struct remedy_layout *)in.l);
	} else if (!ret) {
		ret = change_member(p, o, &q, path, path, pair, err);
	}
	search_release(&q);
	layout_release(&outer);
	return ret;
}

int patch_numbers(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		  const char *path, struct err *err)
{
	return change_path(p, f, o, path, false, err);
}

/* Length of the path of the pair that @field is a part of; 0: by its name it is of none. */
static size_t pair_path(const char *field)
{
	const char *at = strstr(field, ".first"), *end = at ? at + 6 : at;

	if (!at) {
		at = strstr(field, ".second");
		end = at ? at + 7 : at;
	}
	if (!at || (*end && *end != '.'))
		return 0;
	while (at > field && at[-1] == ']')
		while (at > field && *--at != '[')
			;
	return (size_t)(at - field);
}

int patch_pair_member(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		      const char *field, struct err *err)
{
	size_t len = pair_path(field);
	char *path;
	int ret;

	if (!len)
		return err_set(err, -ENOENT, "it is no std::pair");
	for (size_t i = 0; i < o->n_uses; i++)
		if (o->uses[i].beside && *o->uses[i].field && strncmp(o->uses[i].field, field, len))
			return err_set(err, -ENOTSUP, "`%s`, of other threads, lies on its lines, too",
				       o->uses[i].field);
	path = mem_strndup(field, len);
	ret = change_path(p, f, o, path, true, err);
	free(path);
	return ret;
}
