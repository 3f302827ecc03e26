/* SPDX-License-Identifier: MIT */
#include "codegen/graft/find.h"

#include <errno.h>
#include <string.h>

#include "codegen/graft/name.h"

/* A site on its way to its call. */
struct hunt {
	const struct plan_site *site;
	struct graft_name function, callee;
	struct graft_file *file;
	size_t body;      /* '{' */
	size_t found;     /* calls of the callee in the body */
	size_t here;      /* of them on the line */
	size_t any;       /* calls of whatever on the line */
	uint32_t column;  /* of the call, 0: not known */
	size_t index;     /* number of the one on the line */
	uint32_t nearest; /* line of one that is not there, 0: none */
	struct scan_call call;
};

static bool is_name(const struct source *s, size_t i, const char *name)
{
	return source_is_word(s, i) && source_is(s, i, name);
}

/* `int f(int);` in a function is no call. */
static bool is_declared(const struct scan *c, const struct scan_call *call)
{
	static const char *const words[] = {"return",    "else",     "do",  "case", "throw",
					    "and",       "or",       "not", "goto", "co_await",
					    "co_return", "co_yield", NULL};

	return call->first && source_is_word(c->s, call->first - 1) &&
	       !source_is_any(c->s, call->first - 1, words);
}

static bool is_wanted(const struct hunt *h, const struct scan_call *call)
{
	const struct source *s = &h->file->src;

	if (!h->callee.indirect)
		return is_name(s, call->name, h->callee.base);
	return !source_is_capitals(h->file->scan.s, call->name);
}

/* On the line, and at the column if that is known: GCC means the name in C, the bracket in C++. */
static bool is_here(const struct hunt *h, size_t i)
{
	const struct source *s = &h->file->src;
	size_t at = s->at[i].at, start = at;

	if (s->at[i].line != h->site->line)
		return false;
	while (start && s->text[start - 1] != '\n')
		start--;
	return !h->column || h->callee.indirect || h->column == at - start + 1;
}

static void graft_find_look_at(struct hunt *h, size_t i)
{
	const struct scan *c = &h->file->scan;
	const struct source *s = &h->file->src;
	struct scan_call call;
	bool on_line;

	if (!scan_opens_call(c, i) || !scan_call(c, i, &call) || is_declared(c, &call))
		return;
	on_line = is_here(h, call.name) || is_here(h, i);
	h->any += on_line;
	if (!is_wanted(h, &call))
		return;
	if (on_line && !h->here++) {
		h->call = call;
		h->index = h->found;
	}
	if (!on_line)
		h->nearest = s->at[call.name].line;
	h->found++;
}

/* Calls in the body @open, but not in functions inside of it. */
static void look_through(struct hunt *h, size_t open)
{
	const struct scan *c = &h->file->scan;
	size_t close = source_match(c->s, open);

	h->body = open;
	h->found = h->here = h->any = 0;
	for (size_t i = open + 1; close != SOURCE_NONE && i < close; i++)
		if (c->body[i] == open)
			graft_find_look_at(h, i);
}

static bool is_body(const struct hunt *h, size_t i)
{
	const struct scan *c = &h->file->scan;
	size_t name;

	if (!source_is(c->s, i, "{") || source_match(c->s, i) == SOURCE_NONE)
		return false;
	if (h->function.lambda)
		return c->kind[i] == SCAN_LAMBDA;
	if (c->kind[i] != SCAN_FUNCTION)
		return false;
	name = scan_function_name(c, i);
	return name != SOURCE_NONE && is_name(c->s, name, h->function.base);
}

static bool pairs(const struct source *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (source_match(s, i) == SOURCE_NONE && (source_is(s, i, "{") || source_is(s, i, "}") ||
							  source_is(s, i, "(") || source_is(s, i, ")")))
			return false;
	return true;
}

static void say_no_body(const struct hunt *h, struct strbuf *why)
{
	strbuf_printf(why, "no function `%s` is found in this file%s", h->function.base,
		      pairs(&h->file->src) ? "" : ", whose brackets do not pair");
}

/* The body of the function that has the line; false with the reason. */
static bool find_body(struct hunt *h, struct strbuf *why)
{
	const struct source *s = &h->file->src;
	size_t n = 0, bodies = 0, open = SOURCE_NONE;

	for (size_t i = 0; i < s->n; i++) {
		if (!is_body(h, i))
			continue;
		bodies++;
		if (s->at[scan_function_first(&h->file->scan, i)].line > h->site->line ||
		    s->at[source_match(s, i)].line < h->site->line)
			continue;
		look_through(h, i);
		/* Of lambdas around the line, that with the call counts. */
		if (h->function.lambda && !h->here)
			continue;
		open = i;
		n++;
	}
	if (n == 1)
		look_through(h, open);
	else if (n > 1)
		strbuf_printf(why, "several functions `%s` stand around this line", h->function.base);
	else if (bodies && !h->function.lambda)
		strbuf_printf(why, "this line is not in `%s`: the source is not the recorded one",
			      h->function.base);
	else
		say_no_body(h, why);
	return n == 1;
}

static bool names_are_fit(struct hunt *h, struct strbuf *why)
{
	const char *bad = h->function.why ? h->function.why
			  : h->callee.why ? h->callee.why
			  : h->function.instance
				  ? "the plan means one instance of a template, a graft acts in all"
			  : h->function.special && !h->function.lambda
				  ? "its function is a constructor, a destructor or an operator"
			  : h->callee.special || h->callee.lambda
				  ? "a constructor, a destructor, an operator or a lambda is called"
				  : NULL;

	if (bad)
		strbuf_puts(why, bad);
	return !bad;
}

/* Under conditions of the preprocessor the text has calls that the program has not. */
static bool is_conditional(const struct hunt *h)
{
	size_t close = source_match(&h->file->src, h->body);

	for (size_t i = h->body; i < close; i++)
		if (h->file->src.at[i].kind == TOKEN_DIRECTIVE)
			return true;
	return false;
}

/* One call on the line, and the one that the id says. */
static bool call_is_sure(struct hunt *h, uint32_t ordinal, struct strbuf *why)
{
	const char *bad = scan_distrust(&h->file->scan, h->body);

	if (!h->here) {
		strbuf_printf(why,
			      "no call of `%s` stands on this line: it comes from a macro, or the source is "
			      "not the recorded one",
			      h->callee.base);
		if (h->nearest)
			strbuf_printf(why, " (there is one on line %u)", h->nearest);
	} else if (h->here > 1 || (h->callee.indirect && h->any > 1)) {
		strbuf_printf(why, "%zu such calls stand on this line, --program tells which is meant",
			      h->callee.indirect ? h->any : h->here);
		if (ordinal != GRAFT_ORDINAL_NONE)
			strbuf_printf(why, "; the plan means number %u of `%s` in the function", ordinal + 1,
				      h->callee.base);
	} else if (bad) {
		strbuf_printf(why, "the function is not understood: %s", bad);
	} else if (h->callee.indirect) {
		return true;
	} else if (ordinal == GRAFT_ORDINAL_NONE && h->found > 1) {
		strbuf_puts(why, "the id of the site does not belong to these names, and the function has "
				 "several such calls");
	} else if (ordinal != GRAFT_ORDINAL_NONE && ordinal != h->index &&
		   !(h->column && is_conditional(h))) {
		strbuf_printf(why,
			      "the plan means call number %u of `%s` in the function, on this line stands "
			      "number %zu: "
			      "macros hide calls, or the source is not the recorded one",
			      ordinal + 1, h->callee.base, h->index + 1);
	} else {
		return true;
	}
	return false;
}

/* A static function of a header exists once per unit, and the plan means one of them. */
static bool unit_is_alone(struct graft_tree *t, const struct hunt *h, bool local, struct strbuf *why)
{
	const char *ignored;
	struct graft_file *unit = graft_tree_find(t, h->site->unit, &ignored);
	size_t n;

	if (!local || unit == h->file)
		return true;
	n = graft_tree_units(t, h->file);
	if (n == 1)
		return true;
	if (n)
		strbuf_printf(why,
			      "it is a static function of a file that %zu units include, and the plan means "
			      "the one in ",
			      n);
	else
		strbuf_puts(why, "it is a static function of a file that an unknown number of units include, "
				 "and the plan means the one in ");
	strbuf_puts(why, h->site->unit);
	return false;
}

static bool is_static(const struct hunt *h)
{
	for (size_t i = scan_function_first(&h->file->scan, h->body); i < h->body; i++)
		if (source_is(&h->file->src, i, "static"))
			return true;
	return false;
}

struct graft_file *graft_find(struct graft_tree *t, const struct sites *sites, const struct plan_site *site,
			      struct scan_call *call, struct strbuf *why)
{
	struct hunt h = {.site = site};
	const char *reason = NULL;
	uint32_t ordinal;
	bool local, good;

	h.file = graft_tree_find(t, site->file ? site->file : site->unit, &reason);
	if (!h.file) {
		strbuf_puts(why, reason);
		return NULL;
	}
	h.column = graft_sites_column(sites, site);
	graft_name_read(&h.function, site->function);
	graft_name_read(&h.callee, site->callee);
	ordinal = graft_ordinal(site, &local);
	good = names_are_fit(&h, why) && find_body(&h, why) && call_is_sure(&h, ordinal, why);
	if (good && ordinal == GRAFT_ORDINAL_NONE)
		local = is_static(&h);
	good = good && unit_is_alone(t, &h, local, why);
	*call = h.call;
	graft_name_release(&h.function);
	graft_name_release(&h.callee);
	return good ? h.file : NULL;
}

static bool has_body(const struct hunt *h)
{
	for (size_t i = 0; i < h->file->src.n; i++)
		if (is_body(h, i))
			return true;
	return false;
}

bool graft_has_function(struct graft_tree *t, const struct plan_site *site, struct strbuf *why)
{
	struct hunt h = {.site = site};
	const char *reason = NULL;
	bool there = true;

	h.file = graft_tree_find(t, site->file ? site->file : site->unit, &reason);
	if (!h.file) {
		strbuf_puts(why, reason);
		return false;
	}
	graft_name_read(&h.function, site->function);
	if (!h.function.why && !h.function.special && pairs(&h.file->src) && !has_body(&h)) {
		say_no_body(&h, why);
		there = false;
	}
	graft_name_release(&h.function);
	return there;
}

bool graft_in_library(struct graft_tree *t, const struct plan_site *site)
{
	struct hunt h = {.site = site};
	const char *ignored;
	bool in;

	graft_name_read(&h.function, site->function);
	h.file = graft_tree_find(t, site->file ? site->file : site->unit, &ignored);
	/* A template of the library for a lambda of the program is the library's. */
	h.function.lambda = false;
	in = h.function.library && !(h.file && has_body(&h));
	graft_name_release(&h.function);
	return in;
}

/* The bodies of main() in @f: how many, and the last. */
static size_t mains(const struct graft_file *f, size_t *open)
{
	size_t n = 0;

	for (size_t i = 0; i < f->src.n; i++) {
		size_t name;

		if (!source_is(&f->src, i, "{") || f->scan.kind[i] != SCAN_FUNCTION)
			continue;
		name = scan_function_name(&f->scan, i);
		if (name == SOURCE_NONE || !is_name(&f->src, name, "main"))
			continue;
		/* A member, or a function of a namespace, is another one. */
		if (name && (source_is(&f->src, name - 1, "::") || scan_parent(&f->scan, i) != SOURCE_NONE))
			continue;
		n++;
		*open = i;
	}
	return n;
}

struct search {
	struct graft_file *found;
	size_t n, open;
	struct strbuf names;
};

static void search_in(struct search *q, struct graft_file *f)
{
	size_t open = 0, n = f && f != q->found ? mains(f, &open) : 0;

	if (!n)
		return;
	q->n += n;
	q->found = f;
	q->open = open;
	if (q->names.len < 400)
		strbuf_printf(&q->names, "%s%s", q->names.len ? ", " : "", f->name);
}

static void search_units(struct search *q, struct graft_tree *t, const struct sites *sites,
			 const struct plan *plan)
{
	const char *ignored;

	for (size_t i = 0; i < plan->n_sites && q->n < 2; i++)
		search_in(q, graft_tree_find(t, plan->sites[i].unit, &ignored));
	for (size_t i = 0; i < sites->n_units && !q->n; i++)
		search_in(q, graft_tree_find(t, sites->units[i].source, &ignored));
}

/* What main() there is, in units that nobody names. */
static void say_others(struct graft_tree *t, const struct sites *sites, struct strbuf *why)
{
	struct search q = {.names = STRBUF_INIT};

	for (size_t i = 0; i < t->tree.n && q.n < 8; i++)
		search_in(&q, graft_tree_file(t, t->tree.names[i]));
	if (!q.n)
		strbuf_puts(why, "no main() is found below the directory of the sources");
	else if (sites->text)
		strbuf_printf(why, "neither the plan nor the recorded program names the file of a main(): %s",
			      q.names.s);
	else
		strbuf_printf(why,
			      "the plan does not name the file of a main(): %s; name the recorded program "
			      "with --program",
			      q.names.s);
	strbuf_release(&q.names);
}

struct graft_file *graft_find_main(struct graft_tree *t, const struct sites *sites, const struct plan *plan,
				   size_t *open, struct strbuf *why)
{
	struct search q = {.names = STRBUF_INIT};

	/* A unit that the program is known to consist of has no other program's main(). */
	search_units(&q, t, sites, plan);
	if (!q.n)
		say_others(t, sites, why);
	else if (q.n > 1)
		strbuf_printf(why, "main() is defined several times: %s", q.names.s);
	strbuf_release(&q.names);
	*open = q.open;
	return q.n == 1 ? q.found : NULL;
}
