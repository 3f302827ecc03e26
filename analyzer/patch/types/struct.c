/* SPDX-License-Identifier: MIT */
/* Changing a struct so that threads keep off each other's lines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/types/search.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"
#include "lib/vec.h"

char *search_gap(uint32_t bytes, enum dialect d)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%slong long : 64", d == DIALECT_ANY ? "__extension__ " : "");
	for (uint32_t b = 8; b < bytes; b += 8)
		strbuf_puts(&sb, ", : 64");
	strbuf_printf(&sb, "; /* %u bytes: keeps threads out of one line */", bytes);
	return strbuf_detach(&sb);
}

/* What stands in front of a member in the proposal. */
static char *before_member(const struct search *q, const struct remedy_member *m,
			   const struct source_member *sm, size_t first, enum dialect d)
{
	struct strbuf sb = STRBUF_INIT;
	char *text;

	strbuf_puts(&sb, "");
	if (!q->l->gaps && m->apart && !sm->bit_field)
		strbuf_printf(&sb, "%s ", patch_align(d));
	if (q->l->gaps ? m->gap : m->apart && sm->bit_field) {
		text = search_gap(q->l->gaps ? m->gap : REMEDY_LINE, d);
		strbuf_puts(&sb, text);
		free(text);
		if (place_first_on_line(&q->file->src, first)) {
			text = source_indent(&q->file->src, first);
			strbuf_printf(&sb, "\n%s", text);
			free(text);
		} else {
			strbuf_puts(&sb, " ");
		}
	}
	return strbuf_detach(&sb);
}

/* A later declarator gets a declaration of its own: the ',' in front of it goes. */
static int break_before(const struct search *q, struct edits *e, const struct source_member *sm,
			const char *prefix, struct err *err)
{
	const struct source *s = &q->file->src;
	size_t comma = sm->segment - 1;
	char *spec = source_piece(s, sm->first, (sm - sm->number)->declarator - 1);
	struct strbuf sb = STRBUF_INIT;
	int ret;

	strbuf_printf(&sb, "%s%s ", prefix, spec);
	ret = edits_add(e, s->at[comma].at, s->at[comma].len, ";", err);
	if (!ret)
		ret = edits_add(e, s->at[sm->segment].at, 0, sb.s, err);
	strbuf_release(&sb);
	free(spec);
	return ret;
}

/* The union that begins with @m stands apart as a whole. */
static int edit_union(const struct search *q, struct edits *e, const struct remedy_member *m,
		      const struct source_member *sm, const struct anchor *anchor, enum dialect d,
		      struct err *err)
{
	const struct token *keyword = &q->file->src.at[anchor->align];
	struct strbuf sb = STRBUF_INIT;
	char *gap;
	int ret;

	if (q->l->gaps) {
		gap = before_member(q, m, sm, anchor->first, d);
		ret = edits_add(e, q->file->src.at[anchor->first].at, 0, gap, err);
		free(gap);
		return ret;
	}
	strbuf_printf(&sb, d == DIALECT_C ? "%s " : " %s", patch_align(d));
	ret = edits_add(e, keyword->at + (d == DIALECT_C ? 0 : keyword->len), 0, sb.s, err);
	strbuf_release(&sb);
	return ret;
}

/* @sm begins a line in the source as it is. */
static bool aligned_member(const struct source *s, const struct source_member *sm)
{
	return sm && search_of_lines(s, sm->first, sm->name);
}

/* @m stands apart; what follows it in the same declaration must not follow it there. */
static int edit_member(const struct search *q, struct edits *e, const struct remedy_member *m, enum dialect d,
		       struct err *err)
{
	const struct source *s = &q->file->src;
	const struct source_member *sm = source_member(s, &q->members, m->name, strlen(m->name));
	struct anchor anchor;
	char *prefix;
	int ret;

	if (!sm)
		return err_set(err, -ENOENT, "`%s` is not among the members in %s", m->name, q->file->name);
	ret = anchor_refused(q, sm, m->name, err);
	if (ret)
		return ret;
	anchor_of(q, sm, &anchor);
	if (anchor.whole)
		return edit_union(q, e, m, sm, &anchor, d, err);
	if (!q->l->gaps && aligned_member(s, sm))
		return 0;
	prefix = before_member(q, m, sm, sm->first, d);
	ret = sm->number ? break_before(q, e, sm, prefix, err)
			 : edits_add(e, s->at[sm->first].at, 0, prefix, err);
	free(prefix);
	return ret;
}

/* By an alignment in its own declaration. */
static bool stands_apart(const struct search *q, const struct source_member *sm)
{
	const struct remedy_layout *l = q->l;
	struct anchor anchor;

	anchor_of(q, sm, &anchor);
	for (size_t i = 0; i < l->n_members && !anchor.whole; i++)
		if (source_is(&q->file->src, sm->name, l->members[i].name))
			return l->members[i].apart;
	return false;
}

static int edit_members(struct search *q, struct edits *e, enum dialect d, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < q->l->n_members && !ret; i++) {
		const struct remedy_member *m = &q->l->members[i];
		const struct search *holder = search_holder(q, m->name);

		if (!(q->l->gaps ? m->gap != 0 : m->apart))
			continue;
		if (holder && holder != q)
			ret = edit_member(holder, &holder->file->edits, m, patch_dialect(q->p, holder->file),
					  err);
		else
			ret = edit_member(q, e, m, d, err);
	}
	for (size_t i = 1; i < q->members.n && !ret; i++) {
		const struct source_member *sm = &q->members.at[i];

		if (sm->number && stands_apart(q, sm - 1) && !stands_apart(q, sm) && !q->l->gaps)
			ret = break_before(q, e, sm, "", err);
	}
	return ret;
}

/* Room behind the last member, on a line of its own where the brace has one. */
static int edit_tail(const struct search *q, struct edits *e, enum dialect d, struct err *err)
{
	const struct source *s = &q->file->src;
	size_t brace = q->def.close, at = s->at[brace].at;
	char *gap = search_gap(q->l->tail_gap, d), *indent;
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (q->members.n && q->members.at[q->members.n - 1].flexible) {
		free(gap);
		return err_set(err, -ENOTSUP, "`%s` ends in an array without bound", q->l->members[0].name);
	}
	if (place_first_on_line(s, brace) && q->members.n) {
		indent = source_indent(s, q->members.at[q->members.n - 1].first);
		while (at && s->text[at - 1] != '\n')
			at--;
		strbuf_printf(&sb, "%s%s\n", indent, gap);
		free(indent);
	} else {
		strbuf_printf(&sb, "%s ", gap);
	}
	ret = edits_add(e, at, 0, sb.s, err);
	strbuf_release(&sb);
	free(gap);
	return ret;
}

/* What a variable of several elements is an array of: "jobs" of `jobs[4][2]` -> "jobs[0][0])". */
static void of_element(struct strbuf *sb, const struct source *s, size_t i)
{
	for (; source_is(s, i, "[") && source_match(s, i) != SOURCE_NONE; i = source_match(s, i) + 1)
		strbuf_puts(sb, "[0]");
	strbuf_puts(sb, ")");
}

char *search_type_name(const struct search *q, enum dialect d)
{
	const struct source *s = &q->file->src;
	const struct source_struct *t = &q->def;
	struct strbuf sb = STRBUF_INIT;
	size_t name;
	char *piece;

	if (t->tag != SOURCE_NONE) {
		piece = source_piece(s, t->tag, t->tag);
		if (d == DIALECT_CXX)
			return piece;
		strbuf_printf(&sb, "%s %s", source_is(s, t->keyword, "union") ? "union" : "struct", piece);
		free(piece);
		return strbuf_detach(&sb);
	}
	name = source_past_attributes(s, t->close + 1);
	if (!source_is_word(s, name))
		return NULL;
	piece = source_piece(s, name, name);
	strbuf_printf(&sb, t->is_typedef ? "%s" : d == DIALECT_CXX ? "decltype(%s" : "__typeof__(%s", piece);
	free(piece);
	if (!t->is_typedef)
		of_element(&sb, s, name + 1);
	return strbuf_detach(&sb);
}

static bool includes(const struct source *s, const char *header)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind == TOKEN_DIRECTIVE &&
		    memmem(s->text + s->at[i].at, s->at[i].len, header, strlen(header)))
			return true;
	return false;
}

static const char *and_more(const struct strbuf *sb)
{
	return sb->len ? " && " : "";
}

/* The first offset that shares no line with @m, wherever in a line the memory begins. */
static void c_beyond(struct strbuf *sb, const struct remedy_layout *l, const char *offset, const char *type,
		     const struct remedy_member *m)
{
	strbuf_printf(sb, "(%s(%s, %s) + %llu)", offset, type, m->name, (unsigned long long)m->bytes - 1);
	if (l->word > 1)
		strbuf_printf(sb, " / %u * %u", l->word, l->word);
	strbuf_puts(sb, " + 64");
}

/* offsetof() knows no bits. */
static bool has_offset(const struct search *q, const struct remedy_member *m)
{
	const struct source_member *sm = source_member(&q->file->src, &q->members, m->name, strlen(m->name));

	return sm && !sm->bit_field;
}

/* True if some member gets an alignment: a bit-field, which can have none but by its union, is moved by a gap. */
static bool aligns(const struct search *q)
{
	for (size_t i = 0; i < q->l->n_members; i++) {
		const char *name = q->l->members[i].name;
		const struct source_member *sm =
			source_member(&q->file->src, &q->members, name, strlen(name));
		struct anchor anchor;

		if (!q->l->members[i].apart || !sm)
			continue;
		anchor_of(q, sm, &anchor);
		if (anchor.whole || !sm->bit_field)
			return true;
	}
	return q->l->whole;
}

/* What the size of a struct is at least that keeps off the next one. */
static unsigned long long least_bytes(const struct search *q)
{
	const struct remedy_layout *l = q->l;
	unsigned long long bytes, apart = (layout_groups(l) ? layout_groups(l) - 1 : 0) * REMEDY_LINE;

	if (q->partial)
		return REMEDY_LINE + 1;
	bytes = layout_least_bytes(l);
	if (!l->gaps && aligns(q))
		bytes = (bytes + REMEDY_LINE - 1) / REMEDY_LINE * REMEDY_LINE;
	/* Where the members' bytes are not known: the last group begins so far behind the first. */
	return bytes > apart ? bytes : apart + 1;
}

static bool reaches_beyond(const struct remedy_member *m, const struct remedy_member *last)
{
	return m->now + m->bytes > last->now + last->bytes;
}

/* Condition under which the members of a C struct keep off each other. */
static void c_condition(const struct search *q, struct strbuf *sb, const char *type)
{
	const char *offset = includes(&q->file->src, "<stddef.h>") ? "offsetof" : "__builtin_offsetof";
	const struct remedy_member *last = NULL;

	if (q->l->whole)
		strbuf_printf(sb, "__alignof__(%s) %% 64 == 0", type);
	for (size_t i = 0; i < q->l->n_members; i++) {
		const struct remedy_member *m = &q->l->members[i];

		if (m->apart && !q->l->gaps && has_offset(q, m) && m->now == m->unit_now)
			strbuf_printf(sb, "%s%s(%s, %s) %% 64 == 0", and_more(sb), offset, type, m->name);
		if (m->gap && last && has_offset(q, m) && has_offset(q, last)) {
			strbuf_printf(sb, "%s%s(%s, %s) >= ", and_more(sb), offset, type, m->name);
			c_beyond(sb, q->l, offset, type, last);
		}
		if (m->group >= 0 && (!last || last->unit != m->unit || reaches_beyond(m, last)))
			last = m;
	}
	if (q->partial && q->l->tail_gap && last) {
		strbuf_printf(sb, "%ssizeof(%s) >= ", and_more(sb), type);
		c_beyond(sb, q->l, offset, type, last);
	} else if (!q->l->gaps && !q->l->whole && aligns(q))
		strbuf_printf(sb, "%s__alignof__(%s) %% 64 == 0", and_more(sb), type);
	else if (q->l->tail_gap || !sb->len)
		strbuf_printf(sb, "%ssizeof(%s) >= %llu", and_more(sb), type, least_bytes(q));
}

/* Members of C++ may be out of reach of offsetof. */
static void cxx_condition(const struct search *q, struct strbuf *sb, const char *type, enum dialect d)
{
	if (!q->l->gaps && aligns(q))
		strbuf_printf(sb, "%s(%s) %% 64 == 0", d == DIALECT_CXX ? "alignof" : "__alignof__", type);
	if (q->partial && (q->l->gaps || layout_groups(q->l) > 1))
		strbuf_printf(sb, "%ssizeof(%s) > 64", and_more(sb), type);
	else if (q->l->gaps || layout_groups(q->l) > 1)
		strbuf_printf(sb, "%ssizeof(%s) >= %llu", and_more(sb), type, least_bytes(q));
}

static int edit_assertion(const struct search *q, struct edits *e, enum dialect d, struct err *err)
{
	const struct source *s = &q->file->src;
	struct strbuf condition = STRBUF_INIT, sb = STRBUF_INIT;
	char *type = search_type_name(q, d), *text, *indent;
	int ret = 0;

	/* What is inside of a struct and has no name cannot be spoken of, but by C++11. */
	if (!type || q->def.is_template || (q->nested && q->def.tag == SOURCE_NONE && d != DIALECT_CXX)) {
		free(type);
		return 0;
	}
	if (patch_cxx(q->p, q->file))
		cxx_condition(q, &condition, type, d);
	else
		c_condition(q, &condition, type);
	text = patch_assertion(d, condition.s, type);
	indent = source_indent(s, q->def.keyword);
	strbuf_printf(&sb, "\n%s%s", indent, text);
	ret = edits_add(e, s->at[q->def.end].at + 1, 0, sb.s, err);
	free(indent);
	free(text);
	free(type);
	strbuf_release(&sb);
	strbuf_release(&condition);
	return ret;
}

/* The first member, where C11 can align it and with it the struct; NULL: it cannot. */
static const struct source_member *first_member(const struct search *q)
{
	const struct source_member *sm = q->members.n ? &q->members.at[0] : NULL;

	if (!sm || sm->number || sm->of > 1 || sm->bit_field || sm->odd || sm->inner.open != SOURCE_NONE ||
	    sm->flexible || place_conditions(&q->file->src, q->def.open, sm->name) ||
	    !source_is(&q->file->src, sm->first - 1, "{"))
		return NULL;
	return sm;
}

/* Each struct begins a line in the source as it is. */
static bool aligned_whole(const struct search *q)
{
	const struct source *s = &q->file->src;

	return search_of_lines(s, q->def.keyword + 1, q->def.open) || aligned_member(s, first_member(q));
}

/* Each struct begins a line, so that those of an array share none. */
static int edit_whole(const struct search *q, struct edits *e, enum dialect d, struct err *err)
{
	const struct source *s = &q->file->src;
	const struct token *keyword = &s->at[q->def.keyword];
	const struct source_member *sm = d == DIALECT_C ? first_member(q) : NULL;
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (aligned_whole(q))
		return 0;
	if (sm)
		strbuf_printf(&sb, "%s ", patch_align(d));
	else
		strbuf_printf(&sb, " %s", patch_align(d == DIALECT_C ? DIALECT_ANY : d));
	ret = edits_add(e, sm ? s->at[sm->first].at : keyword->at + keyword->len, 0, sb.s, err);
	strbuf_release(&sb);
	return ret;
}

/* All that is to be moved has an address, and so can be. */
static int check_members(struct search *q, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < q->l->n_members && !ret; i++) {
		const struct remedy_member *m = &q->l->members[i];
		const struct search *holder = search_holder(q, m->name);

		if (holder && (m->apart || m->gap))
			ret = anchor_refused(
				holder,
				source_member(&holder->file->src, &holder->members, m->name, strlen(m->name)),
				m->name, err);
	}
	return ret;
}

/* -EALREADY: the source has all alignments of the layout. */
static int check_new(struct search *q, struct err *err)
{
	bool all = !q->l->gaps && !q->l->tail_gap && (!q->l->whole || aligned_whole(q)), any = q->l->whole;

	for (size_t i = 0; i < q->l->n_members; i++) {
		const char *name = q->l->members[i].name;
		const struct search *holder = search_holder(q, name);

		if (!q->l->members[i].apart)
			continue;
		any = true;
		all &= holder &&
		       aligned_member(&holder->file->src, source_member(&holder->file->src, &holder->members,
									name, strlen(name)));
	}
	return all && any ? err_set(err, -EALREADY,
				    "the struct at %s:%u has that alignment in the source already",
				    q->file->name, q->file->src.at[q->def.keyword].line)
			  : 0;
}

static int change(struct search *q, struct err *err)
{
	struct edits *e = &q->file->edits;
	enum dialect d = patch_dialect(q->p, q->file);
	const struct source *s = &q->file->src;
	int ret;

	if (source_is(s, q->def.keyword, "union"))
		return err_set(err, -ENOTSUP, "the members of the union at %s:%u lie on top of each other",
			       q->file->name, s->at[q->def.keyword].line);
	ret = check_members(q, err);
	if (!ret)
		ret = check_new(q, err);
	if (!ret && q->l->whole)
		ret = edit_whole(q, e, d, err);
	if (!ret)
		ret = edit_members(q, e, d, err);
	if (!ret && q->l->tail_gap)
		ret = edit_tail(q, e, d, err);
	return ret ? ret : edit_assertion(q, e, d, err);
}

/* Keep, or bring back, the edits of the files that the search found: file 0 is its own, others those of bases. */
static void remember(const struct search *q, struct edits *old)
{
	edits_copy(&old[0], &q->file->edits);
	for (size_t i = 0; i < q->n_bases; i++)
		edits_copy(&old[1 + i], &q->bases[i].file->edits);
}

static void bring_back(struct edits *now, struct edits *old)
{
	edits_release(now);
	edits_copy(now, old);
}

int search_change(struct search *q, struct err *err)
{
	struct edits *old = mem_new(1 + q->n_bases, sizeof(*old));
	int ret;

	remember(q, old);
	ret = change(q, err);
	for (size_t i = 0; ret && i < q->n_bases; i++)
		bring_back(&q->bases[i].file->edits, &old[1 + i]);
	if (ret)
		bring_back(&q->file->edits, &old[0]);
	q->p->bases = !ret && q->n_bases;
	for (size_t i = 0; i <= q->n_bases; i++)
		edits_release(&old[i]);
	free(old);
	return ret;
}

int patch_struct(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		 const struct remedy_layout *l, struct err *err)
{
	struct search q = {.p = p, .l = l};
	int ret = search_find(&q, f, o, err);

	if (!ret)
		ret = search_bases(&q, f, o, err);
	if (!ret)
		ret = search_change(&q, err);
	search_release(&q);
	return ret;
}

void search_member(struct remedy_layout *l, char *name, int32_t group, uint64_t bytes)
{
	for (size_t i = 0; name && i < l->n_members; i++)
		if (!strcmp(l->members[i].name, name)) {
			free(name);
			name = NULL;
		}
	if (!name)
		return;
	l->members = mem_resize(l->members, l->n_members + 1, sizeof(*l->members));
	l->members[l->n_members] =
		(struct remedy_member){.name = name, .group = group, .bytes = bytes, .unit = l->n_members};
	l->n_members++;
}

void search_members(struct remedy_layout *l, const struct sharing_object *o)
{
	for (size_t i = 0; i < o->layout->n_fields; i++) {
		const char *name = o->layout->fields[i].name;

		search_member(l, mem_strndup(name, strcspn(name, ".[")), -1, 0);
	}
}
