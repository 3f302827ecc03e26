/* SPDX-License-Identifier: MIT */
#include "codegen/graft/edit.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/graft/lines.h"
#include "codegen/graft/place.h"
#include "codegen/graft/type.h"
#include "lib/mem.h"

/* Changes of one job; all of them are made, or none. */
struct work {
	const struct graft_job *job;
	struct graft_file *f;
	struct place p;
	struct edits edits;
	bool lines; /* the statement has its lines for itself: what is added gets lines, too */
	bool brace; /* braces go around it */
	struct strbuf indent;
	const char *eol;
	bool clash;
};

static void edit_put(struct work *w, size_t at, size_t drop, const char *text)
{
	/* The same change twice would be made once. */
	for (size_t i = 0; i < w->edits.n; i++)
		w->clash |= w->edits.at[i].at == at && w->edits.at[i].drop == drop &&
			    !strcmp(w->edits.at[i].add, text);
	w->clash |= edits_add(&w->edits, at, drop, text, NULL) != 0;
}

static void put_buffer(struct work *w, size_t at, size_t drop, struct strbuf *text)
{
	edit_put(w, at, drop, text->s ? text->s : "");
	strbuf_release(text);
}

/* "a(); b();" as lines, or in one line with a blank behind each, or in front of each. */
static void calls(const struct work *w, struct strbuf *out, const char (*names)[48], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (w->lines)
			strbuf_printf(out, "%s%s();%s", w->indent.s, names[i], w->eol);
		else
			strbuf_printf(out, "%s(); ", names[i]);
}

/* The line of what heads the statement without braces: there the closing brace goes. */
static void control_indent(const struct work *w, struct strbuf *out)
{
	const struct source *s = &w->f->src;
	size_t i = w->p.control, m = source_match(s, i);

	lines_indent(s, m != SOURCE_NONE && m ? m - 1 : i, out);
}

/* What stands before the statement, with the brace that opens in front of it if it needs one. */
static void open_side(struct work *w, struct strbuf *first)
{
	const struct source *s = &w->f->src;
	struct strbuf sb = STRBUF_INIT;

	if (w->brace && w->lines)
		edit_put(w, lines_after(s, w->p.control), 0, " {");
	strbuf_printf(&sb, "%s%s", w->brace && !w->lines ? "{ " : "", first->s ? first->s : "");
	strbuf_release(first);
	if (sb.len)
		edit_put(w, w->lines ? lines_start(s, w->p.first) : s->at[w->p.first].at, 0, sb.s);
	strbuf_release(&sb);
}

/*
 * Behind the statement.  What ends there too, and was changed before, is around it: its text comes
 * behind this one.
 */
static void put_inside(struct work *w, size_t at, size_t drop, struct strbuf *text)
{
	for (size_t i = 0; i < w->edits.n; i++) {
		struct edit *x = &w->edits.at[i];

		if (x->at != at)
			continue;
		strbuf_puts(text, x->add);
		free(x->add);
		x->add = strbuf_detach(text);
		x->drop = x->drop > drop ? x->drop : drop;
		return;
	}
	put_buffer(w, at, drop, text);
}

/* What stands behind the statement, with the brace that closes. */
static void close_side(struct work *w, struct strbuf *then)
{
	const struct source *s = &w->f->src;
	size_t last = w->p.last, at = lines_after(s, last);
	bool own_line = lines_last(s, last) && (w->lines || s->at[last].line != s->at[w->p.first].line);
	struct strbuf sb = STRBUF_INIT;

	if (w->brace && w->lines)
		control_indent(w, then);
	if (w->brace)
		strbuf_printf(then, "}%s", w->lines ? w->eol : " ");
	if (!then->len)
		return;
	if (!w->lines)
		then->s[--then->len] = '\0';
	if (own_line) {
		strbuf_printf(&sb, "%s%s%s", w->lines ? "" : w->indent.s, then->s, w->lines ? "" : w->eol);
		put_inside(w, lines_behind(s, last), 0, &sb);
	} else if (w->lines) {
		/* Something else follows in that line. */
		strbuf_printf(&sb, "%s%s%s", w->eol, then->s, w->indent.s);
		put_inside(w, at, strspn(s->text + at, " \t"), &sb);
	} else {
		strbuf_printf(&sb, " %s", then->s);
		put_inside(w, at, 0, &sb);
	}
	strbuf_release(then);
}

static void around(struct work *w, struct strbuf *first, struct strbuf *then)
{
	open_side(w, first);
	close_side(w, then);
}

static void edit_statement(struct work *w)
{
	struct strbuf first = STRBUF_INIT, then = STRBUF_INIT;

	calls(w, &first, w->job->before, w->job->n_before);
	calls(w, &then, w->job->after, w->job->n_after);
	around(w, &first, &then);
}

/* (before(), call) where an expression must stay one. */
static void edit_comma(struct work *w)
{
	const struct source *s = &w->f->src;
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "(");
	for (unsigned i = 0; i < w->job->n_before; i++)
		strbuf_printf(&sb, "%s(), ", w->job->before[i]);
	put_buffer(w, s->at[w->p.call.first].at, 0, &sb);
	edit_put(w, lines_after(s, w->p.call.close), 0, ")");
}

/* "T x = E;" or, in C++ where a jump must not cross it, "T x; x = E;": @value of @len bytes. */
static void declare(const struct work *w, struct strbuf *out, const char *type, const char *value, size_t len)
{
	const char *name = w->job->result, *indent = w->lines ? w->indent.s : "";
	const char *blank = type[strlen(type) - 1] == '*' ? "" : " ";

	strbuf_printf(out, "%s%s%s%s", indent, type, blank, name);
	if (w->f->src.cxx)
		strbuf_printf(out, ";%s%s%s", w->lines ? w->eol : " ", indent, name);
	strbuf_puts(out, " = ");
	strbuf_add(out, value, len);
	strbuf_printf(out, ";%s", w->lines ? w->eol : " ");
}

static const char *edit_return(struct work *w)
{
	const struct source *s = &w->f->src;
	struct strbuf first = STRBUF_INIT, then = STRBUF_INIT;
	size_t from = s->at[w->p.from].at;
	char *type = graft_return_type(&w->f->scan, w->f->scan.body[w->p.first]);

	if (!type)
		return "it stands in a return, and the type of the function is not certain";
	w->brace |= w->p.where != PLACE_IN_BLOCK;
	calls(w, &first, w->job->before, w->job->n_before);
	declare(w, &first, type, s->text + from, lines_after(s, w->p.to) - from);
	calls(w, &first, w->job->after, w->job->n_after);
	edit_put(w, from, lines_after(s, w->p.to) - from, w->job->result);
	around(w, &first, &then);
	free(type);
	return NULL;
}

/* The value of E as something that can be kept: its type, and text; NULL: not certain. */
static const char *condition_type(const struct work *w, struct strbuf *value)
{
	const struct source *s = &w->f->src;
	size_t from = s->at[w->p.from].at, len = lines_after(s, w->p.to) - from;
	bool whole = source_is(s, w->p.from, "(") && source_match(s, w->p.from) == w->p.to;

	if (w->p.alone && w->job->known_int) {
		strbuf_add(value, s->text + from, len);
		return "int";
	}
	if (s->cxx) {
		if (!w->job->known_int || !graft_is_number(&w->f->scan, w->p.from, w->p.to, &w->p.call))
			return NULL;
		strbuf_puts(value, "static_cast<bool>(");
		strbuf_add(value, s->text + from, len);
		strbuf_puts(value, ")");
		return "bool";
	}
	if (w->p.alone || whole || graft_is_truth(&w->f->scan, w->p.from, w->p.to))
		strbuf_add(value, s->text + from, len);
	else {
		strbuf_puts(value, "(");
		strbuf_add(value, s->text + from, len);
		strbuf_puts(value, ")");
	}
	if (!graft_is_truth(&w->f->scan, w->p.from, w->p.to))
		strbuf_puts(value, " != 0");
	return "int";
}

static const char *edit_if(struct work *w)
{
	const struct source *s = &w->f->src;
	struct strbuf value = STRBUF_INIT, first = STRBUF_INIT, then = STRBUF_INIT;
	const char *type = condition_type(w, &value);
	size_t from = s->at[w->p.from].at;

	if (!type) {
		strbuf_release(&value);
		return "it stands in a condition, and the type of that is not certain";
	}
	calls(w, &first, w->job->before, w->job->n_before);
	declare(w, &first, type, value.s, value.len);
	calls(w, &first, w->job->after, w->job->n_after);
	edit_put(w, from, lines_after(s, w->p.to) - from, w->job->result);
	strbuf_release(&value);
	w->brace = w->p.where != PLACE_IN_BLOCK;
	w->p.last = w->brace ? place_statement_end(&w->f->scan, w->p.first) : w->p.last;
	if (w->p.last == SOURCE_NONE) {
		strbuf_release(&first);
		return "it stands in a condition, and the end of that statement is not understood";
	}
	around(w, &first, &then);
	return NULL;
}

/* In C++, initialising and assigning may call functions. */
static bool keeps_value(const struct work *w)
{
	const struct source *s = &w->f->src;

	if (!s->cxx || w->p.form != PLACE_STATEMENT)
		return true;
	for (size_t i = w->p.from; i < w->p.call.first; i++)
		if (source_is(s, i, "="))
			return graft_is_plain_type(&w->f->scan, w->p.from, i - 1);
	return true;
}

static const char *edit_both(struct work *w)
{
	if (w->p.form == PLACE_OTHER)
		return "a trigger behind it has no place in this kind of statement";
	if (w->p.shared)
		return w->p.shared;
	if (w->f->src.cxx && w->p.arguments)
		return "its arguments may be objects that end behind it";
	if (!keeps_value(w))
		return "what takes its result may be a function";
	if (w->p.form == PLACE_RETURN)
		return edit_return(w);
	if (w->p.form == PLACE_IF)
		return edit_if(w);
	edit_statement(w);
	return NULL;
}

static const char *edit(struct work *w)
{
	if (w->job->n_before && w->p.arguments)
		return "its arguments need calls themselves, which would come behind the trigger";
	if (w->job->n_after)
		return edit_both(w);
	if (w->p.form != PLACE_OTHER && !w->p.shared &&
	    !(w->p.form == PLACE_IF && w->p.where == PLACE_BODY)) {
		edit_statement(w);
		return NULL;
	}
	if (w->p.mixed)
		return "another call of its expression may come between";
	edit_comma(w);
	return NULL;
}

const char *graft_edit_call(const struct graft_job *job)
{
	struct work w = {.job = job, .f = job->file, .indent = STRBUF_INIT};
	const char *why = place_find(&w.f->scan, &job->call, &w.p);

	if (why)
		return why;
	edits_copy(&w.edits, &w.f->edits);
	w.lines = lines_first(&w.f->src, w.p.first);
	w.brace = w.p.where == PLACE_BODY && w.p.form != PLACE_IF;
	w.eol = lines_end(&w.f->src, w.f->src.at[w.p.first].at);
	strbuf_puts(&w.indent, "");
	lines_indent(&w.f->src, w.p.first, &w.indent);
	why = edit(&w);
	if (!why && w.clash)
		why = "another change meets it in the same statement";
	strbuf_release(&w.indent);
	if (why) {
		edits_release(&w.edits);
		return why;
	}
	edits_release(&w.f->edits);
	w.f->edits = w.edits;
	return NULL;
}
