/* SPDX-License-Identifier: MIT */
#include "analyzer/guard/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/sharing/remedy-layout.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"

static const char magic[] = "perseus-guard 1\n";

/* ---- reading and writing ---- */

/* Does the line @s of @n bytes begin with @word and a blank? */
static bool line_begins(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	return n > len && !strncmp(s, word, len) && s[len] == ' ';
}

static size_t fields(const char *s, size_t n)
{
	size_t count = 1;

	for (size_t i = 0; i < n; i++)
		count += s[i] == ' ';
	return count;
}

static bool is_head(const char *s, size_t n)
{
	size_t count = fields(s, n);

	return ((line_begins(s, n, "members") || line_begins(s, n, "elements")) && count == 4) ||
	       (line_begins(s, n, "variables") && count == 3) || (line_begins(s, n, "array") && count == 5);
}

static void guard_push(struct guard *g, char *head, char *body)
{
	vec_push(&g->at, ((struct guard_record){head, body}));
}

/* The last finding's record, below which its uses stand; NULL: there is none. */
static struct guard_record *last_finding(struct guard *g)
{
	for (size_t i = g->at.n; i > 0; i--)
		if (is_head(g->at.at[i - 1].head, strlen(g->at.at[i - 1].head)))
			return &g->at.at[i - 1];
	return NULL;
}

/* A line that no finding has: it stays where it is. */
static bool stands_alone(const char *s, size_t n)
{
	return !n || *s == '#' || (line_begins(s, n, "ignore") && fields(s, n) == 2);
}

/* The line @s of @n bytes, without its newline; false: no line of a guard file. */
static bool guard_read_line(struct guard *g, const char *s, size_t n)
{
	struct guard_record *last = last_finding(g);
	struct strbuf body = STRBUF_INIT;

	if (is_head(s, n) || stands_alone(s, n)) {
		g->n += is_head(s, n);
		guard_push(g, mem_strndup(s, n), mem_strdup(""));
		return true;
	}
	if (!last || line_begins(last->head, strlen(last->head), "array") || fields(s, n) < 3 ||
	    (!line_begins(s, n, "writes") && !line_begins(s, n, "reads")))
		return false;
	strbuf_printf(&body, "%s%.*s\n", last->body, (int)n, s);
	free(last->body);
	last->body = strbuf_detach(&body);
	return true;
}

int guard_read(struct guard *g, const char *text, struct err *err)
{
	unsigned line = 2;

	if (strncmp(text, magic, strlen(magic))) {
		err_set(err, -EINVAL, "it is no guard file, which begins with `perseus-guard 1'");
		return err_advise(err, "name another file, or one that is not there yet");
	}
	for (text += strlen(magic); *text; line++) {
		size_t n = strcspn(text, "\n");

		if (!text[n] || !guard_read_line(g, text, n)) {
			err_set(err, -EINVAL, "line %u: expected %s", line,
				text[n] ? "`members', `elements', `variables', `array', `ignore', `writes' "
					  "or "
					  "`reads' with their fields, as perseus-guard(5) says"
					: "a newline at the end: the file was cut");
			return err_advise(err, "mend the line, or name another file");
		}
		text += n + 1;
	}
	return 0;
}

void guard_text(const struct guard *g, struct strbuf *out)
{
	strbuf_puts(out, magic);
	if (g->added == g->at.n) /* a new file */
		strbuf_puts(out, "# False sharing that was found; see perseus-guard(5).  A build with\n"
				 "# perseus flags --guard=THIS warns where it is there again.\n");
	for (size_t i = 0; i < g->at.n; i++)
		strbuf_printf(out, "%s\n%s", g->at.at[i].head, g->at.at[i].body);
}

void guard_release(struct guard *g)
{
	for (size_t i = 0; i < g->at.n; i++) {
		free(g->at.at[i].head);
		free(g->at.at[i].body);
	}
	vec_release(&g->at);
}

/* ---- findings ---- */

/* In the place of a record with the same head, or behind all; takes both. */
static void guard_put(struct guard *g, struct strbuf *head, struct strbuf *body)
{
	struct guard_record new = {strbuf_detach(head), body->len ? strbuf_detach(body) : mem_strdup("")};

	for (size_t i = 0; i < g->at.n; i++) {
		struct guard_record *r = &g->at.at[i];

		if (strcmp(r->head, new.head))
			continue;
		g->renewed += strcmp(r->body, new.body) != 0;
		free(r->head);
		free(r->body);
		*r = new;
		return;
	}
	g->added++;
	g->n++;
	guard_push(g, new.head, new.body);
}

/* Who uses @use, as one field. */
static void add_threads(struct strbuf *body, const struct sharing_use *use)
{
	struct strbuf who = STRBUF_INIT;

	for (size_t i = 0; use->names && use->names[i]; i++)
		strbuf_printf(&who, "%s%s", i ? ", " : "", use->names[i]);
	strbuf_percent(body, who.s);
	strbuf_release(&who);
}

/* A line for what @use is, called @name. */
static void add_use(struct strbuf *body, const struct sharing_use *use, const char *name)
{
	strbuf_puts(body, use->written ? "writes " : "reads ");
	add_threads(body, use);
	strbuf_puts(body, " ");
	strbuf_percent(body, name);
	strbuf_puts(body, "\n");
}

static bool meets(const struct sharing_use *use)
{
	return !use->beside && *use->field;
}

/* Members that different threads use, of which one at least writes. */
static bool has_groups(const struct sharing_object *o)
{
	for (size_t i = 0; i < o->n_uses; i++)
		for (size_t k = i + 1; k < o->n_uses; k++)
			if (meets(&o->uses[i]) && meets(&o->uses[k]) &&
			    (o->uses[i].written || o->uses[k].written) &&
			    !sharing_use_alike(&o->uses[i], &o->uses[k]))
				return true;
	return false;
}

static size_t take_type(struct guard *g, const struct sharing_finding *f, const struct sharing_object *o,
			const char *kind)
{
	struct strbuf head = STRBUF_INIT, body = STRBUF_INIT;
	char *plain = demangle_type(o->layout->name);

	strbuf_printf(&head, "%s ", kind);
	strbuf_percent(&head, plain ? plain : o->layout->name);
	strbuf_printf(&head, " %u %s", REMEDY_LINE, f->evidence);
	for (size_t i = 0; i < o->n_uses; i++)
		if (meets(&o->uses[i]))
			add_use(&body, &o->uses[i], o->uses[i].field);
	free(plain);
	if (!body.len) {
		strbuf_release(&head);
		return 0;
	}
	guard_put(g, &head, &body);
	return 1;
}

/* The struct of @o: its members, and those of one element and the next. */
static size_t take_struct(struct guard *g, const struct sharing_finding *f, const struct sharing_object *o)
{
	bool between = remedy_between_elements(f, o);
	size_t n = 0;

	if (layout_nameless(o->layout->name) || layout_of_library(o->layout->name))
		return 0;
	if ((o->inside || !between) && has_groups(o))
		n += take_type(g, f, o, "members");
	if (between)
		n += take_type(g, f, o, "elements");
	return n;
}

/* An array of numbers whose elements are different threads'. */
static size_t take_array(struct guard *g, const struct sharing_finding *f, const struct sharing_object *o)
{
	struct strbuf head = STRBUF_INIT, body = STRBUF_INIT;

	strbuf_puts(&head, "array ");
	strbuf_percent(&head, o->name);
	strbuf_puts(&head, " ");
	strbuf_percent(&head, o->file);
	strbuf_printf(&head, " %u %s", REMEDY_LINE, f->evidence);
	guard_put(g, &head, &body);
	return 1;
}

static bool is_variable(const struct sharing_object *o)
{
	return o->kind == OBJECT_GLOBAL && o->file && *o->file && o->name && *o->name;
}

/* Variables that lie beside each other; what is used of them, of which one at least is written. */
static size_t take_variables(struct guard *g, const struct sharing_finding *f)
{
	struct strbuf head = STRBUF_INIT, body = STRBUF_INIT;
	size_t n = 0;
	bool written = false;

	for (size_t i = 0; i < f->n_objects; i++) {
		const struct sharing_object *o = &f->objects[i];

		for (size_t k = 0; is_variable(o) && k < o->n_uses; k++) {
			struct strbuf name = STRBUF_INIT;

			if (o->uses[k].beside)
				continue;
			strbuf_printf(&name, "%s@%s", o->name, o->file);
			add_use(&body, &o->uses[k], name.s);
			strbuf_release(&name);
			written |= o->uses[k].written;
		}
		n += is_variable(o);
	}
	if (n < 2 || !written) {
		strbuf_release(&body);
		return 0;
	}
	strbuf_printf(&head, "variables %u %s", REMEDY_LINE, f->evidence);
	guard_put(g, &head, &body);
	return 1;
}

/* Does the guard say that nobody wants to be warned of @f? */
static bool is_ignored(const struct guard *g, const struct sharing_finding *f)
{
	for (size_t i = 0; i < g->at.n; i++)
		if (!strncmp(g->at.at[i].head, "ignore ", 7) && !strcmp(g->at.at[i].head + 7, f->evidence))
			return true;
	return false;
}

size_t guard_take(struct guard *g, const struct sharing_finding *f, bool *ignored)
{
	size_t n;

	*ignored = is_ignored(g, f);
	if (*ignored)
		return 0;
	n = take_variables(g, f);

	for (size_t i = 0; i < f->n_objects; i++) {
		const struct sharing_object *o = &f->objects[i];

		if (o->layout)
			n += take_struct(g, f, o);
		else if (is_variable(o) && o->array && !o->row_bytes && remedy_between_elements(f, o))
			n += take_array(g, f, o);
	}
	return n;
}
