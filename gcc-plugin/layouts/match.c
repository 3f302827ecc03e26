/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which line of a plan a declaration is: by name and place, and later by its type. */
#include <stdarg.h>
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/layouts/layouts.h"

/* Behind the last "../", and "./" in front: what other folders see, too. */
static const char *from_common_folder(const char *path)
{
	const char *at = path;

	for (const char *s = path; *s; s++)
		if ((s == path || s[-1] == '/') && !strncmp(s, "../", 3))
			at = s + 3;
	while (!strncmp(at, "./", 2))
		at += 2;
	return at;
}

static bool same_file(const char *a, const char *b)
{
	size_t n, m;

	a = from_common_folder(a);
	b = from_common_folder(b);
	n = strlen(a);
	m = strlen(b);
	if (n > m)
		return same_file(b, a);
	return n && !strcmp(a, b + m - n) && (n == m || *a == '/' || b[m - n - 1] == '/');
}

/* @path from the root, without "." and ".."; valid until the next call. */
static const char *from_root(const char *path)
{
	static char out[4096];
	const char *folder = *path == '/' ? "" : get_src_pwd();
	char whole[sizeof(out)], *to = out;
	size_t n;

	if (snprintf(whole, sizeof(whole), "%s/%s", folder, path) >= (int)sizeof(whole))
		return path;
	for (const char *s = whole; *s; s += n) {
		s += strspn(s, "/");
		n = strcspn(s, "/");
		if (n == 2 && !strncmp(s, "..", 2)) {
			while (to > out && *--to != '/')
				;
		} else if (n && !(n == 1 && *s == '.')) {
			*to++ = '/';
			memcpy(to, s, n);
			to += n;
		}
	}
	*to = '\0';
	return out;
}

/* Does @path end with the names of @part? */
static bool ends_with(const char *path, const char *part)
{
	size_t n = strlen(path), m = strlen(part);

	return m && n > m && !strcmp(path + n - m, part) && path[n - m - 1] == '/';
}

/*
 * Is @file, as the compiler was told, the one that the plan calls @planned?  "t.h" of a unit that is
 * compiled in b/ is b/t.h, and not a/t.h.  What -ffile-prefix-map makes of a path may be all that is alike,
 * and a path from the root is another one when the tree has moved.
 */
bool layouts_is_file(const char *planned, const char *file)
{
	const char *told = text_path(file);

	if (*planned != '/')
		return ends_with(from_root(file), from_common_folder(planned)) ||
		       (strcmp(told, file) && same_file(planned, told));
	return !strcmp(planned, from_root(file)) || (access(planned, F_OK) && same_file(planned, told));
}

bool layouts_is_unit(const char *planned)
{
	return main_input_filename && layouts_is_file(planned, main_input_filename);
}

static const char *path_of(tree decl)
{
	return expand_location(DECL_SOURCE_LOCATION(decl)).file;
}

bool layouts_last_part(const char *written, const char *name)
{
	const char *at = written;
	int depth = 0;

	for (const char *s = written; *s; s++) {
		depth += (*s == '<') - (*s == '>');
		if (!depth && s[0] == ':' && s[1] == ':')
			at = s + 2;
	}
	return !strncmp(at, name, strlen(name)) && (!at[strlen(name)] || at[strlen(name)] == '<');
}

/* Is this the unit that @l is planned for?  It may be compiled from another folder than when it was recorded. */
static bool is_unit_of(const struct plan_layout *l)
{
	return !l->unit || layouts_is_unit(l->unit);
}

struct plan_layout *layouts_line(tree decl)
{
	bool variable = VAR_P(decl);
	expanded_location at;

	if (!DECL_NAME(decl))
		return NULL;
	at = expand_location(DECL_SOURCE_LOCATION(decl));
	if (!at.file)
		return NULL;
	for (unsigned i = 0; i < prs_plan.layouts.length(); i++) {
		struct plan_layout *l = &prs_plan.layouts[i];

		if (l->variable == variable && l->line == (unsigned)at.line &&
		    layouts_last_part(l->name, IDENTIFIER_POINTER(DECL_NAME(decl))) &&
		    layouts_is_file(l->file, at.file) && is_unit_of(l))
			return l;
	}
	return NULL;
}

bool layouts_in_file(tree decl, bool fields)
{
	const char *path = path_of(decl);

	for (unsigned i = 0; path && i < prs_plan.layouts.length(); i++)
		if (prs_plan.layouts[i].variable != fields && layouts_is_file(prs_plan.layouts[i].file, path))
			return true;
	return false;
}

static const char *behind_word(const char *type)
{
	static const char *const words[] = {"struct ", "class ", "union "};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(type, words[i], strlen(words[i])))
			return type + strlen(words[i]);
	return type;
}

/* The next character that counts of a type's name; 0 at its end. */
static char type_step(const char **s, bool bare)
{
	int depth = 0;

	for (; **s; ++*s) {
		if (**s == ' ')
			continue;
		if (bare && (**s == '<' || **s == '>')) {
			depth += **s == '<' ? 1 : -1;
			continue;
		}
		if (!depth)
			return *(*s)++;
	}
	return 0;
}

bool layouts_same_type(const char *written, const char *name, bool bare)
{
	char c;

	written = behind_word(written);
	name = behind_word(name);
	do {
		c = type_step(&written, bare);
		if (c != type_step(&name, bare))
			return false;
	} while (c);
	return true;
}

static void say_refused(const struct plan_layout *l, location_t at, const char *why)
{
	if (l->variable)
		error_at(at, "perseus: layout of variable %qs (%s:%u)%s%s: %s", l->name, l->file, l->line,
			 l->evidence ? ", " : "", l->evidence ? l->evidence : "", why);
	else
		error_at(at, "perseus: layout of field %qs of %qs (%s:%u)%s%s: %s", l->name, l->type, l->file,
			 l->line, l->evidence ? ", " : "", l->evidence ? l->evidence : "", why);
}

void layouts_refuse(struct plan_layout *l, location_t at, const char *fmt, ...)
{
	char why[512];
	va_list args;

	if (l->told)
		return;
	l->told = true;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	say_refused(l, at, why);
	inform(at, "the plan cannot be followed here: plan again from a record of this source and these "
		   "flags, or take the layout out of it");
	if (l->evidence)
		inform(at,
		       "the item of its %<layouts:%> with %<evidence: %s%> is the one to take out; "
		       "%<perseus conflicts --patch %s%> changes the source in its place",
		       l->evidence, l->evidence);
}

void layouts_refuse_bytes(struct plan_layout *l, location_t at, const char *fmt, ...)
{
	char why[512];
	va_list args;

	if (l->told)
		return;
	l->told = true;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	say_refused(l, at, why);
	inform(at, "the plan cannot be followed here: take the layout out of it, or say in its item why no "
		   "one has the old bytes (%<accept: WHY%>)");
	if (l->evidence)
		inform(at,
		       "the item of its %<layouts:%> with %<evidence: %s%> is the one to take out; "
		       "a change of the declaration (%<perseus conflicts --patch%>) moves the same bytes",
		       l->evidence);
}
