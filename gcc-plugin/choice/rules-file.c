/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "perseus/rules.h"
extern "C" {
#include "lib/hash.h"
}
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/base/warn.h"
#include "gcc-plugin/choice/rules-file.h"

#define FIELDS    12
#define NAMED_MAX 3 /* stale rules that a warning names */

struct rule {
	uint64_t site;
	const char *unit, *function, *callee;
	bool seen;
};

struct reader {
	const char *path;
	char *at; /* the rest of the file */
	unsigned line;
	char *field[FIELDS];
	unsigned n;
};

typedef hash_map<int_hash<uint64_t, 0, 1>, unsigned> rule_map;

static vec<rule> rules;
static rule_map *by_site; /* index + 1 of the first rule of a site */

static bool rules_file_bad(const struct reader *r, const char *what)
{
	error("perseus: %qs line %u: %s; %<perseus sites --suggest%> writes it", r->path, r->line, what);
	return false;
}

/* Cut the next line that is not a comment; false at the end or after error(). */
static bool rules_file_next_line(struct reader *r, char **line)
{
	char *end;

	do {
		r->line++;
		if (!*r->at)
			return rules_file_bad(r, "the file ends before its `end' line");
		end = strchr(r->at, '\n');
		if (!end)
			return rules_file_bad(r, "line without newline");
		*end = 0;
		*line = r->at;
		r->at = end + 1;
	} while (!**line || **line == '#');
	return true;
}

static bool next(struct reader *r)
{
	char *at;

	if (!rules_file_next_line(r, &at))
		return false;
	for (r->n = 0; at; r->n++) {
		if (r->n == FIELDS)
			return rules_file_bad(r, "too many fields");
		r->field[r->n] = at;
		at = strchr(at, ' ');
		if (at)
			*at++ = 0;
		if (!*r->field[r->n])
			return rules_file_bad(r, "empty field: fields are separated by one blank");
	}
	return true;
}

/* A call or mem line whose names start at field @unit. */
static bool read_rule(struct reader *r, unsigned unit)
{
	struct rule rule;
	bool existed;

	if (strlen(r->field[1]) != 16 || strspn(r->field[1], "0123456789abcdef") != 16)
		return rules_file_bad(r, "SITE must be 16 lower case hex digits");
	for (unsigned i = unit; i < r->n; i++)
		if (!text_undo_percent(r->field[i]))
			return rules_file_bad(r, "% must be followed by two hex digits");
	rule.site = strtoull(r->field[1], NULL, 16);
	rule.unit = r->field[unit];
	rule.function = r->field[unit + 2];
	rule.callee = r->field[unit + 3];
	rule.seen = false;
	rules.safe_push(rule);
	/* 0 and 1 are the map's own; such an id comes along once in 2^63. */
	unsigned &at = by_site->get_or_insert(rule.site | 2, &existed);
	if (existed)
		return rules_file_bad(r, "SITE has a rule already");
	at = rules.length();
	return true;
}

static bool read_end(struct reader *r)
{
	if (r->n != 2 || strspn(r->field[1], "0123456789") != strlen(r->field[1]))
		return rules_file_bad(r, "expected `end N'");
	if (strtoul(r->field[1], NULL, 10) != rules.length())
		return rules_file_bad(
			r, "N differs from the number of call and mem lines: the file was cut or changed");
	if (*r->at)
		return rules_file_bad(r, "text after the `end' line");
	return true;
}

static bool read_rules(struct reader *r)
{
	for (;;) {
		bool good;

		if (!next(r))
			return false;
		if (!strcmp(r->field[0], "end"))
			return read_end(r);
		if (!strcmp(r->field[0], "call") && r->n == PRS_RULES_FIELDS_CALL)
			good = read_rule(r, PRS_RULES_SITE_UNIT_CALL);
		else if (!strcmp(r->field[0], "mem") && r->n == PRS_RULES_FIELDS_MEM)
			good = read_rule(r, PRS_RULES_SITE_UNIT_MEM);
		else
			good = rules_file_bad(r, "expected `call' with 10 fields, `mem' with 7 or `end'");
		if (!good)
			return false;
	}
}

static bool rules_file_read_head(struct reader *r)
{
	static const char *const words[] = {"run", "budget", "cost", "before", "after", "kept"};

	if (!next(r))
		return false;
	if (r->n != 2 || strcmp(r->field[0], PRS_RULES_MAGIC) || strcmp(r->field[1], "1"))
		return rules_file_bad(r, "expected `perseus-rules 1'");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!next(r))
			return false;
		if (strcmp(r->field[0], words[i]) || r->n != (i == 2 ? 3 : 2))
			return rules_file_bad(r, "expected the lines run, budget, cost, before, after, kept");
	}
	return true;
}

static bool check_hash(const char *path, const char *text, size_t size, const char *hash)
{
	char is[SHA256_HEX];

	sha256_of(text, size, is);
	if (!hash || !strcmp(hash, is))
		return true;
	error("perseus: %qs has the SHA-256 %s, %<rules-hash%> asks for %s; it was changed after the flags "
	      "were "
	      "made: review it and pass its own hash",
	      path, is, hash);
	return false;
}

bool rules_read(const char *path, const char *hash)
{
	struct reader r;
	const char *why;
	size_t size;

	memset(&r, 0, sizeof(r));
	r.path = path;
	r.at = text_read(path, &size, &why); /* kept: the rules point into it */
	if (!r.at) {
		error("perseus: cannot read rules %qs: %s; %<perseus sites --suggest%> writes them", path,
		      why);
		return false;
	}
	if (!check_hash(path, r.at, size, hash))
		return false;
	if (strlen(r.at) != size) {
		for (const char *at = r.at; at; at = strchr(at + 1, '\n'))
			r.line++;
		return rules_file_bad(&r, "the file holds a NUL byte");
	}
	by_site = new rule_map;
	return rules_file_read_head(&r) && read_rules(&r);
}

bool rules_given(void)
{
	return rules.length() != 0;
}

static struct rule *rules_file_find(const char *site)
{
	unsigned *at = rules.length() ? by_site->get(strtoull(site, NULL, 16) | 2) : NULL;

	return at ? &rules[*at - 1] : NULL;
}

bool rules_leave_out(const char *site)
{
	return rules_file_find(site) != NULL;
}

void rules_saw(const char *site)
{
	struct rule *r = rules_file_find(site);

	if (r)
		r->seen = true;
}

void rules_check_unit(void)
{
	struct text names = {NULL, 0, 0};
	unsigned stale = 0;

	if (in_lto_p)
		return;
	for (unsigned i = 0; i < rules.length(); i++) {
		struct rule *r = &rules[i];

		if (r->seen || strcmp(r->unit, name_of_unit()))
			continue;
		if (stale++ < NAMED_MAX) {
			text_str(&names, names.n ? ", " : "");
			text_field(&names, r->function);
			text_str(&names, " -> ");
			text_field(&names, r->callee);
		}
	}
	if (stale)
		warn_at(WARN_RULES, UNKNOWN_LOCATION,
			"%u rule%s for sites that %s no longer has (%s%s): make the rules anew with `perseus "
			"sites --suggest'",
			stale, stale == 1 ? "" : "s", name_of_unit(), text_get(&names),
			stale > NAMED_MAX ? ", ..." : "");
	text_release(&names);
}
