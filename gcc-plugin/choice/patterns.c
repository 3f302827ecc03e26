/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/choice/patterns.h"

struct pattern {
	enum pattern_subject of;
	const char *glob;
};

static vec<pattern> lists[2]; /* by enum pattern_list */

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

bool patterns_match(enum pattern_list which, enum pattern_subject of, const char *s)
{
	const vec<pattern> &list = lists[which];

	for (unsigned i = 0; s && i < list.length(); i++)
		if (list[i].of == of && matches(list[i].glob, s))
			return true;
	return false;
}

bool patterns_match_path(enum pattern_list which, const char *path)
{
	return path &&
	       (patterns_match(which, OF_FILE, path) || patterns_match(which, OF_FILE, lbasename(path)));
}

bool patterns_given(enum pattern_list which)
{
	return lists[which].length();
}

bool patterns_about_callees(enum pattern_list which)
{
	for (unsigned i = 0; i < lists[which].length(); i++)
		if (lists[which][i].of == OF_CALLEE)
			return true;
	return false;
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
static const char *take_prefix(const char *s, enum pattern_subject *of, const char **why)
{
	static const char *const words[] = {"function:", "file:", "callee:"};
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz-_");

	*of = OF_FUNCTION;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strncmp(s, words[i], strlen(words[i])) || s[strlen(words[i])] == ':')
			continue;
		*of = (enum pattern_subject)i;
		return s + strlen(words[i]);
	}
	if (n && s[n] == ':' && s[n + 1] != ':')
		*why = "its prefix is none of `function:', `file:', `callee:'";
	return s;
}

static bool add_one(char *text, const char *list, enum pattern_list which)
{
	struct pattern p;
	const char *why = NULL;

	p.glob = take_prefix(text, &p.of, &why);
	if (!why)
		why = fault(p.glob);
	if (why) {
		error("perseus: argument %<%s=%s%>: pattern %qs: %s",
		      which == PATTERNS_SKIP ? "skip" : "select", list, text, why);
		return false;
	}
	lists[which].safe_push(p);
	return true;
}

bool patterns_add(const char *list, enum pattern_list which)
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
		good &= add_one(start, list, which);
		start = at + 1;
		if (!end)
			return good;
	}
}
