/* SPDX-License-Identifier: MIT */
/* Where in a struct's definition what keeps a member apart can stand. */
#include <errno.h>
#include <string.h>

#include "analyzer/patch/types/search.h"
#include "lib/mem.h"

bool place_first_on_line(const struct source *s, size_t i)
{
	size_t at = s->at[i].at;

	while (at && (s->text[at - 1] == ' ' || s->text[at - 1] == '\t'))
		at--;
	return !at || s->text[at - 1] == '\n';
}

/* Preprocessor conditions open at token @i, counted from the struct's brace. */
int place_conditions(const struct source *s, size_t from, size_t i)
{
	int depth = 0;

	for (; from < i; from++) {
		const char *text = s->text + s->at[from].at + 1;

		if (s->at[from].kind != TOKEN_DIRECTIVE)
			continue;
		text += strspn(text, " \t");
		depth += !strncmp(text, "if", 2);
		depth -= !strncmp(text, "endif", 5);
	}
	return depth;
}

/* Does member @sm, or a part of its declaration, hang on one? */
static bool is_conditional(const struct search *q, const struct source_member *sm, size_t whole)
{
	const struct source *s = &q->file->src;

	for (size_t i = sm->first; i < sm->name; i++)
		if (s->at[i].kind == TOKEN_DIRECTIVE)
			return true;
	return place_conditions(s, q->def.open, whole == SOURCE_NONE ? sm->name : whole);
}

/* True if bit-field @sm shares no memory location with the one in front of it. */
static bool begins_word(const struct search *q, const struct source_member *sm)
{
	const struct source *s = &q->file->src;
	const struct source_member *before = sm > q->members.at ? sm - 1 : NULL;

	if (sm->number || !before || !before->bit_field)
		return !sm->number;
	for (size_t i = before->end; i + 2 < sm->first; i++)
		if (source_is(s, i, ":") && source_is(s, i + 1, "0") && source_is(s, i + 2, ";"))
			return true;
	return false;
}

/* The outermost union inside of the struct that has the member: its keyword; SOURCE_NONE: none has. */
static size_t union_of(const struct search *q, const struct source_member *sm)
{
	const struct source *s = &q->file->src;
	size_t found = SOURCE_NONE;

	for (size_t end = source_block_end(s, sm->name); end != SOURCE_NONE && end != q->def.close;
	     end = source_block_end(s, end + 1)) {
		size_t i = source_match(s, end);

		/* Attributes may stand between `union` and its brace, names not. */
		while (i > q->def.open && !source_is(s, i, "union") && !source_is(s, i, "struct") &&
		       !source_is(s, i, ";"))
			i--;
		if (source_is(s, i, "union"))
			found = i;
	}
	return found;
}

/* True if no member of the union at @whole stands in front of @sm. */
static bool first_in(const struct search *q, const struct source_member *sm, size_t whole)
{
	for (size_t i = 0; i < q->members.n; i++)
		if (q->members.at[i].name > whole && q->members.at[i].name < sm->name)
			return false;
	return true;
}

int anchor_refused(const struct search *q, const struct source_member *sm, const char *name, struct err *err)
{
	const struct source *s = &q->file->src;
	unsigned line = s->at[sm->first].line;

	size_t whole = union_of(q, sm);

	if (is_conditional(q, sm, whole))
		return err_set(err, -ENOTSUP,
			       "the declaration of `%s` (%s:%u) depends on a preprocessor condition", name,
			       q->file->name, line);
	if (sm->bit_field && !begins_word(q, sm))
		return err_set(err, -ENOTSUP,
			       "`%s` (%s:%u) is a bit-field of one memory location with the one before it: "
			       "threads that write both race; a `: 0` between them parts them",
			       name, q->file->name, line);
	if (whole != SOURCE_NONE && !first_in(q, sm, whole))
		return err_set(err, -ENOTSUP, "`%s` (%s:%u) is in a union, whose members stay together", name,
			       q->file->name, line);
	if (sm->odd || (sm->of > 1 && sm->inner.open != SOURCE_NONE))
		return err_set(err, -ENOTSUP, "the declaration of `%s` (%s:%u) is not one that can be split",
			       name, q->file->name, line);
	return 0;
}

void anchor_of(const struct search *q, const struct source_member *sm, struct anchor *out)
{
	const struct source *s = &q->file->src;
	size_t whole = union_of(q, sm);

	*out = (struct anchor){.first = sm->first, .align = sm->first, .whole = whole != SOURCE_NONE};
	if (!out->whole)
		return;
	out->first = out->align = whole;
	while (source_is_word(s, out->first - 1) && !source_is(s, out->first - 1, "private"))
		out->first--;
}
