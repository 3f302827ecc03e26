/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/den-site.h"
#include "perseus/sites.h"

#define MARK "perseus denormal\n"

/* A function of which a loop counts in registers. */
struct looping {
	const char *name; /* in the assembler's text */
	bool several;     /* other units may have a copy of it */
};

static hash_map<int_hash<uint64_t, 0, 1>, den_site *> *known;
static vec<den_site *> used; /* those that have counters */
static unsigned n_slots;
static vec<struct looping> loops;
static vec<unsigned> groups; /* numbers of all, one behind the other */

tree den_site_text(const struct den_site *s)
{
	struct text out = {NULL, 0, 0};
	tree literal;

	text_add(&out, MARK "%016llx %016llx %u %u %u %u %u %u %u %d", (unsigned long long)s->id,
		 (unsigned long long)s->scope, s->kind, s->type, s->line, s->column, s->flags, s->operands,
		 s->slots, s->number);
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		text_add(&out, " %d", s->link[i]);
	text_add(&out, "\n%s\n%s\n%s", s->file, s->function, s->name);
	literal = build_string_literal((int)strlen(out.s) + 1, out.s);
	text_release(&out);
	return literal;
}

static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (end)
		*end = 0;
	*at = end ? end + 1 : line + strlen(line);
	return line;
}

static struct den_site *parse(const char *text)
{
	struct den_site *s = XCNEW(struct den_site);
	char *at = xstrdup(text + strlen(MARK)), *line = next_line(&at);
	unsigned long long id, scope;

	if (sscanf(line, "%llx %llx %u %u %u %u %u %u %u %d %d %d %d", &id, &scope, &s->kind, &s->type,
		   &s->line, &s->column, &s->flags, &s->operands, &s->slots, &s->number, &s->link[0],
		   &s->link[1], &s->link[2]) != 10 + DEN_OPERANDS)
		return NULL;
	s->id = id;
	s->scope = scope;
	s->file = next_line(&at);
	s->function = next_line(&at);
	s->name = next_line(&at);
	return s;
}

struct den_site *den_site_of(tree literal)
{
	tree string = TREE_CODE(literal) == ADDR_EXPR ? TREE_OPERAND(literal, 0) : literal;
	const char *text;
	uint64_t key;
	bool existed;

	if (TREE_CODE(string) == ARRAY_REF)
		string = TREE_OPERAND(string, 0);
	if (TREE_CODE(string) != STRING_CST)
		return NULL;
	text = TREE_STRING_POINTER(string);
	if (strncmp(text, MARK, strlen(MARK)))
		return NULL;
	if (!known)
		known = new hash_map<int_hash<uint64_t, 0, 1>, den_site *>;
	key = prs_fnv64_text(PRS_FNV_INIT, text) | 2;
	den_site *&s = known->get_or_insert(key, &existed);
	if (!existed) {
		s = parse(text);
		if (s)
			s->first = ~0u;
	}
	return s;
}

bool den_has(const struct den_site *site, unsigned role, unsigned operand)
{
	return site->slots & DEN_SLOT(role, operand);
}

static void give_counters(struct den_site *site)
{
	site->index = used.length();
	site->first = n_slots;
	n_slots += (unsigned)popcount_hwi(site->slots);
	used.safe_push(site);
}

unsigned den_slot(struct den_site *site, unsigned role, unsigned operand)
{
	unsigned below = site->slots & (DEN_SLOT(role, operand) - 1);

	if (site->first == ~0u)
		give_counters(site);
	return site->first + (unsigned)popcount_hwi(below);
}

tree den_site_address(struct den_site *site)
{
	if (site->first == ~0u)
		give_counters(site);
	return asm_den_site(site->index);
}

static void write_site(const struct den_site *s)
{
	struct prs_den_site raw;

	memset(&raw, 0, sizeof(raw));
	raw.id = s->id;
	raw.kind = s->kind;
	raw.type = s->type;
	raw.line = s->line;
	raw.column = s->column;
	raw.flags = s->flags;
	raw.operands = s->operands;
	raw.file = s->file;
	raw.function = s->function;
	raw.name = s->name;
	asm_den_write_site(&raw);
}

tree den_site_group(const vec<unsigned> *numbers)
{
	unsigned at = groups.length();

	groups.safe_splice(*numbers);
	return asm_den_group(at);
}

void den_site_loops(tree decl)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
	struct looping l = {xstrdup(*name == '*' ? name + 1 : name), DECL_ONE_ONLY(decl) || DECL_WEAK(decl)};

	loops.safe_push(l);
}

void den_sites_finish(void)
{
	asm_den_extras();
	if (!used.length())
		return;
	asm_den_begin();
	for (unsigned i = 0; i < used.length(); i++)
		write_site(used[i]);
	asm_den_slots();
	for (unsigned i = 0; i < used.length(); i++)
		for (unsigned bit = 0; bit < 32; bit++)
			if (used[i]->slots >> bit & 1)
				asm_den_write_slot(i, bit % 8, bit / 8);
	asm_den_loops();
	for (unsigned i = 0; i < loops.length(); i++)
		asm_den_write_loops(loops[i].name, loops[i].several, i);
	asm_den_end(prs_opt.den_mode, n_slots, name_of_unit());
	if (groups.length())
		asm_den_write_groups(groups.address(), groups.length());
}
