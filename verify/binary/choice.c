/* SPDX-License-Identifier: MIT */
#include "verify/binary/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_call(struct choice *c, uint64_t address, bool own)
{
	c->call = need_more(c->call, c->n, sizeof(*c->call));
	c->own = need_more(c->own, c->n, sizeof(*c->own));
	c->call[c->n] = (struct line_query){.address = address};
	c->own[c->n++] = own;
	c->n_own += own;
}

void choice_add(struct binary *b, const struct order_of *o, const struct vplan_site *site,
		const struct image_symbol *where, const struct body *body)
{
	uint8_t *own = need(body->n + 1, 1);
	struct choice *c;

	b->choice = need_more(b->choice, b->n_choices, sizeof(*b->choice));
	c = &b->choice[b->n_choices++];
	*c = (struct choice){.to = o->self, .where = where, .site = site};
	for (size_t i = 0; i < b->calls.n; i++)
		if (b->calls.call[i].to == o->self && b->calls.call[i].where == where)
			order_belongs(o, body, b->calls.call[i].from, own);
	for (size_t i = 0; i < body->n; i++)
		if (order_is_callee(o, body, i))
			add_call(c, body->step[i].address, own[i]);
	free(own);
}

static bool is_only(const struct choice *c)
{
	return c->n_own && c->n == c->n_own;
}

static bool choice_is_known(const struct choice *c, size_t i)
{
	return c->call[i].line && c->call[i].file && !c->call[i].doubtful;
}

static bool is_at(const struct choice *c, size_t i, int64_t line)
{
	return choice_is_known(c, i) && c->call[i].line == line &&
	       !strcmp(c->call[i].file, last_part(c->site->file));
}

/* The one line of all calls that it belongs to, 0 if they have none. */
static int64_t own_line(const struct choice *c)
{
	int64_t line = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!c->own[i])
			continue;
		if (!is_at(c, i, line ? line : c->call[i].line))
			return 0;
		line = c->call[i].line;
	}
	return line;
}

/* Another call at @line that may be one as well: its own line, or none that is known. */
static bool has_rival(const struct choice *c, int64_t line, bool unknown)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->own[i] && (is_at(c, i, line) || (unknown && !choice_is_known(c, i))))
			return true;
	return false;
}

/* Has the call of another site of the file, which is the only one in its function, moved as far? */
static bool moved_together(const struct binary *b, const struct choice *c)
{
	for (size_t i = 0; i < b->n_choices; i++) {
		const struct choice *o = &b->choice[i];
		int64_t line = is_only(o) ? own_line(o) : 0;

		if (line && o->site->line && !strcmp(o->site->file, c->site->file) &&
		    line - (int64_t)o->site->line == c->moved)
			return true;
	}
	return false;
}

static void choice_note(struct binary *b, const struct choice *c, const char *why)
{
	findings_add(&b->notes,
		     "which of %zu calls of `%s` in `%s` %s belongs to (the plan means that of line %u): %s",
		     c->n, c->site->callee, c->where->name, c->to->s.name, c->site->line, why);
}

static void choice_judge(struct binary *b, struct choice *c, enum lines_state state, struct findings *list)
{
	int64_t line = own_line(c), planned = c->site->line;
	char text[64];

	c->moved = line - planned;
	snprintf(text, sizeof(text), "it stands at that of line %lld", (long long)line);
	if (is_only(c) || c->n < 2)
		return;
	if (state == LINES_NONE)
		choice_note(b, c, "there is no debug information (-g)");
	else if (state == LINES_PACKED)
		choice_note(b, c, "the debug information is compressed");
	else if (!line || !planned)
		choice_note(b, c, "no line of the debug information tells");
	else if (has_rival(c, line, true))
		choice_note(b, c, "the debug information has several on one line, or without one");
	else if (!c->moved || (moved_together(b, c) && !has_rival(c, planned, false)))
		c->shown = true;
	else if (has_rival(c, planned, false) && !moved_together(b, c))
		findings_add(
			list, "%s in `%s` stands at the call of `%s` in line %lld, not at that of line %lld",
			c->to->s.name, c->where->name, c->site->callee, (long long)line, (long long)planned);
	else
		choice_note(b, c, text);
}

void choice_check(struct binary *b, struct findings *list)
{
	struct line_query **query = NULL;
	enum lines_state state;
	size_t n = 0;

	for (size_t i = 0; i < b->n_choices; i++)
		for (size_t k = 0; k < b->choice[i].n; k++) {
			query = need_more(query, n, sizeof(struct line_query *));
			query[n++] = &b->choice[i].call[k];
		}
	state = lines_find(&b->image, query, n);
	for (size_t i = 0; i < b->n_choices; i++)
		choice_judge(b, &b->choice[i], state, list);
	free(query);
}

const char *choice_text(const struct choice *c, char *text, size_t size)
{
	text[0] = '\0';
	if (c->shown && c->moved)
		snprintf(text, size,
			 "%s is at line %lld of %s, by the debug information (%zu calls of `%s` in `%s`; the "
			 "plan has line %u, and another call of the file moved as far)",
			 c->to->s.name, (long long)own_line(c), last_part(c->site->file), c->n,
			 c->site->callee, c->where->name, c->site->line);
	else if (c->shown)
		snprintf(text, size,
			 "%s is at line %u of %s, by the debug information (%zu calls of `%s` in `%s`)",
			 c->to->s.name, c->site->line, last_part(c->site->file), c->n, c->site->callee,
			 c->where->name);
	return text;
}

void choice_release(struct binary *b)
{
	for (size_t i = 0; i < b->n_choices; i++) {
		free(b->choice[i].call);
		free(b->choice[i].own);
	}
	free(b->choice);
}
