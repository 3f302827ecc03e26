/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/sites.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/choice/rules-file.h"
#include "gcc-plugin/choice/select.h"
#include "gcc-plugin/sites/sites.h"
#include "gcc-plugin/base/text.h"

enum subject { OF_FUNCTION, OF_FILE, OF_CALLEE };

struct pattern {
	enum subject of;
	const char *glob;
};

/* What is known of a function as a whole; fn_facts.choice. */
enum choice {
	CHOICE_UNKNOWN,
	CHOICE_NEVER,  /* attribute perseus_no_probe */
	CHOICE_ALWAYS, /* attribute perseus_probe */
	CHOICE_SKIP,   /* a pattern of skip= */
	CHOICE_SELECT, /* a pattern of select= */
	CHOICE_OPEN,   /* none of these */
};

static vec<pattern> selected, skipped;

/* An attribute was seen here: else, without arguments, there is nothing to ask. */
static bool attributes_seen;

/* ---- patterns ---- */

/* End of the set that starts behind '[', that is its ']'; NULL if it is not closed. */
static const char *set_end(const char *p)
{
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p && *p != ']')
		p++;
	return *p ? p : NULL;
}

static bool in_set(const char *p, const char *end, unsigned char c)
{
	bool negated = *p == '!' || *p == '^', found = false;

	for (p += negated; p < end; p++) {
		unsigned char low = (unsigned char)*p, high = low;

		if (p[1] == '-' && p + 2 < end) {
			high = (unsigned char)p[2];
			p += 2;
		}
		found |= low <= c && c <= high;
	}
	return found != negated;
}

/* What follows the one element at @p if it stands for @c, else NULL. */
static const char *one(const char *p, char c)
{
	const char *end;

	switch (*p) {
	case 0:
		return NULL;
	case '?':
		return p + 1;
	case '[':
		end = set_end(p + 1);
		return in_set(p + 1, end, (unsigned char)c) ? end + 1 : NULL;
	case '\\':
		return p[1] == c ? p + 2 : NULL;
	default:
		return *p == c ? p + 1 : NULL;
	}
}

/* Own code: fnmatch() depends on the locale, and output must not. */
static bool matches(const char *p, const char *s)
{
	const char *star = NULL, *back = NULL, *next;

	while (*s) {
		if (*p == '*') {
			star = ++p;
			back = s;
		} else if ((next = one(p, *s))) {
			p = next;
			s++;
		} else if (star) {
			p = star;
			s = ++back;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

static bool any(const vec<pattern> &list, enum subject of, const char *s)
{
	for (unsigned i = 0; s && i < list.length(); i++)
		if (list[i].of == of && matches(list[i].glob, s))
			return true;
	return false;
}

static bool any_path(const vec<pattern> &list, const char *path)
{
	return path && (any(list, OF_FILE, path) || any(list, OF_FILE, lbasename(path)));
}

/* What is wrong with a pattern, or NULL. */
static const char *fault(const char *glob)
{
	if (!*glob)
		return "it is empty";
	for (; *glob; glob++) {
		if (*glob == '\\') {
			if (!*++glob)
				return "it ends in a backslash";
		} else if (*glob == '[') {
			glob = set_end(glob + 1);
			if (!glob)
				return "a `[' is not closed; `\\[' stands for the character";
		}
	}
	return NULL;
}

/* Cut `function:', `file:' or `callee:' off; another word with one colon is a slip of the pen. */
static const char *take_prefix(const char *s, enum subject *of, const char **why)
{
	static const char *const words[] = {"function:", "file:", "callee:"};
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz-_");

	*of = OF_FUNCTION;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strncmp(s, words[i], strlen(words[i])) || s[strlen(words[i])] == ':')
			continue;
		*of = (enum subject)i;
		return s + strlen(words[i]);
	}
	if (n && s[n] == ':' && s[n + 1] != ':')
		*why = "its prefix is none of `function:', `file:', `callee:'";
	return s;
}

static bool add_one(char *text, const char *list, bool skip)
{
	struct pattern p;
	const char *why = NULL;

	p.glob = take_prefix(text, &p.of, &why);
	if (!why)
		why = fault(p.glob);
	if (why) {
		error("perseus: argument %<%s=%s%>: pattern %qs: %s", skip ? "skip" : "select", list, text,
		      why);
		return false;
	}
	(skip ? skipped : selected).safe_push(p);
	return true;
}

bool select_add(const char *list, bool skip)
{
	char *text = xstrdup(list), *start = text; /* the patterns live in it */
	bool good = true;

	for (char *at = text;; at++) {
		char end = *at;

		if (end == '\\' && at[1]) {
			at++;
			continue;
		}
		if (end && end != ',')
			continue;
		*at = 0;
		good &= add_one(start, list, skip);
		start = at + 1;
		if (!end)
			return good;
	}
}

/* ---- attributes ---- */

static tree note_attribute(tree *node, tree name, tree, int, bool *no_add)
{
	if (TREE_CODE(*node) == FUNCTION_DECL) {
		attributes_seen = true;
		return NULL_TREE;
	}
	warning(OPT_Wattributes, "%qE attribute applies to functions only; ignored", name);
	*no_add = true;
	return NULL_TREE;
}

static const struct attribute_spec::exclusions not_probe[] = {{"perseus_probe", true, true, true},
							      {NULL, false, false, false}};
static const struct attribute_spec::exclusions not_no_probe[] = {{"perseus_no_probe", true, true, true},
								 {NULL, false, false, false}};
static struct attribute_spec attributes[] = {
	{"perseus_no_probe", 0, 0, true, false, false, false, note_attribute, not_probe},
	{"perseus_probe", 0, 0, true, false, false, false, note_attribute, not_no_probe},
};

void select_register_attributes(void *, void *)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		register_attribute(&attributes[i]);
}

/* Constructors are inlined under their abstract form, which shares the attributes. */
static bool has(tree decl, const char *name)
{
	return lookup_attribute(name, DECL_ATTRIBUTES(decl)) ||
	       lookup_attribute(name, DECL_ATTRIBUTES(DECL_ORIGIN(decl)));
}

bool select_never(tree decl)
{
	bool never = has(decl, "perseus_no_probe") || has(decl, "no_instrument_function");

	attributes_seen |= never;
	return never;
}

/* ---- decisions ---- */

/* Can there be an answer other than yes?  In lto1 attributes come from the stream. */
static bool must_ask(void)
{
	return attributes_seen || in_lto_p || selected.length() || skipped.length() || rules_given();
}

static bool in_list(const vec<pattern> &list, const struct fn_facts *f, tree decl)
{
	return any(list, OF_FUNCTION, f->name) || any(list, OF_FUNCTION, f->pretty) ||
	       any_path(list, f->files[(unsigned)f->file]) ||
	       any_path(list, in_lto_p ? NULL : DECL_SOURCE_FILE(decl));
}

void select_learn(struct fn_facts *f, tree decl)
{
	if (select_never(decl))
		f->choice = CHOICE_NEVER;
	else if (has(decl, "perseus_probe"))
		f->choice = CHOICE_ALWAYS;
	else if (in_list(skipped, f, decl))
		f->choice = CHOICE_SKIP;
	else
		f->choice = in_list(selected, f, decl) ? CHOICE_SELECT : CHOICE_OPEN;
}

/* @in: does select= or skip= name the callee, by any of the names it has. */
static bool callee_in(const vec<pattern> &list, gcall *call, const struct call_fact *fact)
{
	tree decl = gimple_call_fndecl(call);

	if (any(list, OF_CALLEE, callee_name(call)) || (fact && any(list, OF_CALLEE, fact->callee)))
		return true;
	return decl && (any(list, OF_CALLEE, facts_of(decl)->pretty));
}

static bool about_callees(const vec<pattern> &list)
{
	for (unsigned i = 0; i < list.length(); i++)
		if (list[i].of == OF_CALLEE)
			return true;
	return false;
}

static const char *of_function(const struct fn_facts *f)
{
	switch (f->choice) {
	case CHOICE_NEVER:
		return PRS_SR_ATTRIBUTE;
	case CHOICE_SKIP:
		return PRS_SR_SKIP;
	case CHOICE_OPEN:
		return selected.length() ? PRS_SR_SELECT : NULL;
	default:
		return NULL;
	}
}

static const char *ruled_out(gcall *call, const struct where *w, const struct call_fact *fact)
{
	const char *site;

	if (!rules_given())
		return NULL;
	site = fact ? fact->site : sites_late_id(w, callee_name(call));
	if (!rules_leave_out(site))
		return NULL;
	rules_saw(site); /* the early pass has not met those that came into being late */
	return PRS_SR_RULES;
}

const char *select_call(gcall *call, const struct where *w, const struct call_fact *fact)
{
	const char *reason;

	if (!must_ask())
		return NULL;
	reason = of_function(w->fn);
	if (w->fn->choice == CHOICE_NEVER || w->fn->choice == CHOICE_ALWAYS || w->fn->choice == CHOICE_SKIP)
		return reason;
	if (about_callees(skipped) && callee_in(skipped, call, fact))
		return PRS_SR_SKIP;
	if (reason && !(about_callees(selected) && callee_in(selected, call, fact)))
		return reason;
	return ruled_out(call, w, fact);
}

const char *select_function(function *fun)
{
	return must_ask() ? of_function(facts_of(fun->decl)) : NULL;
}

const char *select_function_reason(function *fun)
{
	return select_never(fun->decl) ? PRS_SR_ATTRIBUTE : NULL;
}

const char *select_access(gimple *stmt, function *fun)
{
	if (!must_ask())
		return NULL;
	return of_function(facts_of(where_writer(stmt, fun)));
}

const char *select_mem_site(const struct mem_fact *fact, const struct where *w)
{
	if (!fact || w->fn->choice == CHOICE_ALWAYS)
		return NULL;
	return rules_leave_out(fact->site) ? PRS_SR_RULES : NULL;
}
