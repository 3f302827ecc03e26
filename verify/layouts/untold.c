/* SPDX-License-Identifier: MIT */
/* Units of which the debug information does not tell how their types lie: nothing is said of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/elf/lines.h"
#include "verify/layouts/layouts.h"
#include "verify/start/startup.h"

#define SHOWN 3 /* names in a line */

void layouts_add_name(struct layouts_names *x, const char *name)
{
	if (x->n++ < SHOWN)
		x->length += (size_t)snprintf(x->text + x->length, sizeof(x->text) - x->length, "%s%.100s",
					      x->n > 1 ? ", " : "", name);
}

void layouts_say_untold(struct layouts *l, const struct layouts_names *x, const char *why)
{
	if (x->n > SHOWN)
		findings_add(l->notes, "the plan's layouts in %s and %zu more: %s", x->text, x->n - SHOWN,
			     why);
	else if (x->n)
		findings_add(l->notes, "the plan's layouts in %s: %s", x->text, why);
}

#define PLAN " -fplugin-arg-perseus-plan="
#define HASH " -fplugin-arg-perseus-plan-hash="

enum given { GIVEN_THIS, GIVEN_OTHER, GIVEN_SOME, GIVEN_NONE };

/*
 * Which plan was the unit given?  With another, or none, it may use a planned type and tell nothing of
 * it: its size alone leaves no trace; clang does not tell what is only reached by an extern variable or
 * a pointer; and GCC can be asked for declarations alone.  By the path alone nobody knows: the plan may
 * have been written anew behind the unit.  What codegen makes uses no types of the program.
 */
static enum given plan_given(const struct layouts *l, const struct dwarf_unit *u)
{
	const char *hash = u->producer ? strstr(u->producer, HASH) : NULL;

	if (!strncmp(layouts_last(layouts_unit(u)), "perseus_", 8))
		return GIVEN_THIS;
	if (!u->producer || !strstr(u->producer, PLAN))
		return GIVEN_NONE;
	if (!hash)
		return GIVEN_SOME;
	hash += strlen(HASH);
	if (strncmp(hash, l->plan->sha256, 64) || (hash[64] && hash[64] != ' ') || strstr(hash, HASH))
		return GIVEN_OTHER;
	return GIVEN_THIS;
}

/* Was the unit compiled so that it would tell types if it used any?  The producer has the words of the command. */
static bool tells_types(const struct dwarf_unit *u)
{
	bool full = false;

	for (const char *s = u->producer; s && (s = strstr(s, " -g")); s += 3) {
		const char *level = s + 3 + 3 * !strncmp(s + 3, "gdb", 3);

		full |= !*level || strchr(" 23", *level) || !strncmp(level, "dwarf-", 6);
		if (*level == '0' || *level == '1')
			return false;
	}
	return full;
}

/* True if there are units that cannot be read. */
static bool name_units(struct layouts *l, const bool *types)
{
	struct layouts_names doubted = {.n = 0}, poor = {.n = 0}, given[GIVEN_NONE + 1] = {{.n = 0}};
	static const char *const reason[] = {
		[GIVEN_OTHER] = "it was compiled with another plan, and need not tell which types it uses",
		[GIVEN_SOME] = "it was compiled with a plan whose hash it does not tell (perseus flags "
			       "--plan gives it), which may be another one",
		[GIVEN_NONE] = "it was compiled without a plan, and need not tell which types it uses",
	};
	const char *why = NULL;

	for (size_t i = 0; i < l->dwarf->n; i++) {
		const struct dwarf_unit *u = &l->dwarf->unit[i];

		if (u->doubt) {
			why = why ? why : u->doubt;
			layouts_add_name(&doubted, layouts_unit(u));
		} else if (!u->type && !types[i] && !layouts_is_linked(u) && !tells_types(u)) {
			layouts_add_name(&poor, layouts_unit(u));
		} else if (!u->type && !layouts_is_linked(u)) {
			layouts_add_name(&given[plan_given(l, u)], layouts_unit(u));
		}
	}
	if (why)
		layouts_say_untold(l, &doubted, why);
	layouts_say_untold(l, &poor, "the debug information has no types there (assembler, -g1)");
	for (int i = GIVEN_OTHER; i <= GIVEN_NONE; i++)
		layouts_say_untold(l, &given[i], reason[i]);
	return why != NULL;
}

bool layouts_is_librarys(const struct layouts *l, uint64_t address)
{
	for (size_t i = 0; i < l->n_library; i++)
		if (l->library[i] == address)
			return true;
	return false;
}

/* Code that belongs to no unit of the program's sources. */
static bool is_known(const struct layouts *l, const struct image_symbol *f)
{
	return symbols_inside(f) || startup_has(f->name) || startup_size(l->e, l->symbols, f) ||
	       layouts_is_librarys(l, f->address);
}

/* Is @part "f.cold", the rare part of @f that the compiler has moved away?  All of it may lack lines. */
static bool is_cold_part(const struct image_symbol *part, const struct image_symbol *f)
{
	size_t n = strlen(f->name);

	return part->bind == STB_LOCAL && !strncmp(part->name, f->name, n) &&
	       !strcmp(part->name + n, ".cold") &&
	       (f->bind != STB_LOCAL || (part->file && f->file && !strcmp(part->file, f->file)));
}

/* Does it come from a line of a unit?  Lines alone tell no types. */
static bool has_unit(const struct layouts *l, const struct line_query *q)
{
	for (size_t i = 0; q->file && i < l->dwarf->n; i++)
		if (!l->dwarf->unit[i].type && l->dwarf->unit[i].lines == q->program)
			return true;
	return false;
}

/* Is function @i the rare part of one that comes from a line? */
static bool is_part_of_known(const struct layouts *l, const struct line_query *query, size_t i)
{
	const struct symbols *s = l->symbols;

	for (size_t k = 0; strstr(s->function[i].name, ".cold") && k < s->n_functions; k++)
		if (has_unit(l, &query[k]) && is_cold_part(&s->function[i], &s->function[k]))
			return true;
	return false;
}

/* Functions whose instructions come from no line of a unit: theirs were compiled without -g. */
static void name_functions(struct layouts *l)
{
	const struct symbols *s = l->symbols;
	struct line_query *query = need(s->n_functions + 1, sizeof(*query));
	struct line_query **list = need(s->n_functions + 1, sizeof(*list));
	struct layouts_names x = {.n = 0};

	for (size_t i = 0; i < s->n_functions; i++) {
		query[i].address = s->function[i].address;
		list[i] = &query[i];
	}
	lines_find(l->e, list, s->n_functions);
	for (size_t i = 0; i < s->n_functions; i++)
		if (!has_unit(l, &query[i]) && !is_known(l, &s->function[i]) &&
		    !is_part_of_known(l, query, i))
			layouts_add_name(&x, s->function[i].name);
	layouts_say_untold(l, &x, "there is no debug information of this code (-g)");
	free(list);
	free(query);
}

/* Is @name a source of C or C++ of which the program should have a unit? */
static bool is_source(const char *name)
{
	static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".i", ".ii"};
	const char *dot = strrchr(name, '.');

	if (!dot || !strncmp(name, "perseus_", 8) || !strcmp(name, "crtstuff.c"))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return false;
}

static size_t units_named(const struct layouts *l, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < l->dwarf->n; i++)
		n += l->dwarf->unit[i].name && !l->dwarf->unit[i].type &&
		     !strcmp(layouts_last(l->dwarf->unit[i].name), name);
	return n;
}

/* Sources that the symbol table names, and no unit: what holds data alone has no code to be missed. */
static void name_files(struct layouts *l)
{
	size_t table = image_find(l->e, SHT_SYMTAB, 0);
	struct layouts_names x = {.n = 0};
	struct image_symbol s;

	for (size_t i = 1; table < l->e->n_sections && image_symbol(l->e, table, i, &s); i++)
		if (s.type == STT_FILE && is_source(s.name) && !units_named(l, layouts_last(s.name)))
			layouts_add_name(&x, s.name);
	layouts_say_untold(l, &x, "there is no debug information of this source (-g)");
}

/* What a link with -flto took in may be inlined and leave nothing; only the plugin lists it. */
static void name_link(struct layouts *l)
{
	bool linked = false;

	for (size_t i = 0; i < l->dwarf->n; i++)
		linked |= layouts_is_linked(&l->dwarf->unit[i]);
	if (linked && !l->link_told)
		findings_add(l->notes,
			     "the plan's layouts in what the link with -flto took in: it was linked without "
			     "the plugin and the plan, which list what was compiled without them");
}

void layouts_untold(struct layouts *l, const bool *types)
{
	bool doubt = name_units(l, types);

	name_link(l);
	name_functions(l);
	if (!doubt) {
		name_files(l);
		layouts_data(l);
	}
}
