/* SPDX-License-Identifier: MIT */
#include "verify/layouts/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perseus/triggers.h"

#define DEPTH 64 /* scopes in one another whose names are kept */

/* The way through the entries of a unit. */
struct path {
	struct layouts *l;
	struct die scope[DEPTH]; /* those that hold the current one */
	size_t depth;
	bool types;                /* a type was met */
	struct declared *declared; /* types that were declared so far and are in a scope */
	size_t n_declared;
};

/* A type whose definition stands elsewhere, and says that it is that of @at. */
struct declared {
	uint64_t at;
	char *name;
	enum layouts_scope scope;
};

const char *layouts_last(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

const char *layouts_unit(const struct dwarf_unit *u)
{
	return u->name ? u->name : u->type ? "a unit for one type" : "a unit without a name";
}

const char *layouts_name(const struct vplan_layout *p, char *text, size_t size)
{
	snprintf(text, size, "layout of %s%s%s (%s:%u)", p->type ? p->type : "", p->type ? "." : "", p->name,
		 p->file, p->source_line);
	return text;
}

bool layouts_is_linked(const struct dwarf_unit *u)
{
	return u->producer && !strncmp(u->producer, "GNU GIMPLE", 10);
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *behind_word(const char *s)
{
	static const char *const words[] = {"struct ", "class ", "union "};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return s + strlen(words[i]);
	return s;
}

/* Without blanks and what is in round brackets; if @bare, without arguments of templates. */
static char *plain_name(const char *s, bool bare)
{
	char *out = need(strlen(s) + 1, 1), *to = out;
	int depth = 0, angle = 0;

	for (s = behind_word(s); *s; s++) {
		depth += *s == '(';
		angle += *s == '<';
		if (!depth && !(bare && angle) && *s != ' ')
			*to++ = *s;
		depth -= *s == ')' && depth;
		angle -= *s == '>' && angle;
	}
	return out;
}

/* Behind the last scope, whose name may have arguments. */
static const char *last_part(const char *name)
{
	const char *at = name;
	int angle = 0;

	for (const char *s = name; *s; s++) {
		angle += *s == '<';
		angle -= *s == '>' && angle;
		if (!angle && s[0] == ':' && s[1] == ':')
			at = s + 2;
	}
	return at;
}

bool layouts_is_type(const char *written, const char *name, enum layouts_scope scope, bool bare)
{
	char *a = plain_name(written, bare), *b = plain_name(name, bare);
	bool all = scope == LAYOUTS_NAMED || scope == LAYOUTS_UNNAMED;
	bool same = all ? !strcmp(a + strspn(a, ":"), b) : !strcmp(last_part(a), last_part(b));

	free(a);
	free(b);
	return same;
}

bool layouts_is_variable(const char *written, const char *name)
{
	char *a = plain_name(last_part(written), true), *b = plain_name(last_part(name), true);
	bool same = *a && !strcmp(a, b);

	free(a);
	free(b);
	return same;
}

/* What stands for the name of a scope, as GCC prints it; NULL: nothing. */
static const char *scope_name(const struct die *scope)
{
	if (dwarf_text(scope, AT_NAME))
		return dwarf_text(scope, AT_NAME);
	return scope->tag == TAG_NAMESPACE   ? "{anonymous}"
	       : scope->tag == TAG_STRUCTURE ? "<unnamed struct>"
	       : scope->tag == TAG_CLASS     ? "<unnamed class>"
	       : scope->tag == TAG_UNION     ? "<unnamed union>"
					     : NULL;
}

/* "app::outer::inner" of an entry called @own in the scopes of @p; to be freed. */
static char *full_name(const struct path *p, const char *own)
{
	size_t size = strlen(own) + 1, n = 0;
	char *out;

	/* The first one is the unit itself. */
	for (size_t i = 1; i < p->depth; i++)
		size += scope_name(&p->scope[i]) ? strlen(scope_name(&p->scope[i])) + 2 : 0;
	out = need(size, 1);
	for (size_t i = 1; i < p->depth; i++)
		if (scope_name(&p->scope[i]))
			n += (size_t)snprintf(out + n, size - n, "%s::", scope_name(&p->scope[i]));
	snprintf(out + n, size - n, "%s", own);
	return out;
}

static enum layouts_scope scope_of(const struct path *p)
{
	const struct dwarf_unit *u = p->depth ? p->scope[0].unit : NULL;
	/* DWARF 2 has no namespaces; without -gstrict-dwarf GCC writes them all the same. */
	enum layouts_scope scope =
		u && u->version == 2 && layouts_is_cplusplus(u) ? LAYOUTS_UNKNOWN : LAYOUTS_NAMED;

	for (size_t i = 1; i < p->depth; i++) {
		if (p->scope[i].tag == TAG_SUBPROGRAM || p->scope[i].tag == TAG_LEXICAL_BLOCK)
			return LAYOUTS_FUNCTION;
		if (p->scope[i].tag == TAG_NAMESPACE && scope != LAYOUTS_UNNAMED)
			scope = dwarf_has(&p->scope[i], AT_NAME) ? LAYOUTS_NAMED : LAYOUTS_UNNAMED;
	}
	return p->depth == DEPTH ? LAYOUTS_UNKNOWN : scope;
}

/* ---- the walk ----------------------------------------------------------------------------- */

static void note_declared(struct path *p, const struct die *die, char *name)
{
	p->declared = need_more(p->declared, p->n_declared, sizeof(*p->declared));
	p->declared[p->n_declared++] = (struct declared){die->at, name, scope_of(p)};
}

/* The type that was declared with the entry at @at, or NULL. */
static const struct declared *find_declared(const struct path *p, uint64_t at)
{
	size_t low = 0, high = p->n_declared;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->declared[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->n_declared && p->declared[low].at == at ? &p->declared[low] : NULL;
}

/* What is defined outside of the scope that declares it has its name there. */
static void meet_outside(struct path *p, const struct die *die, const struct die *before)
{
	const struct declared *d = before->unit == die->unit ? find_declared(p, before->at) : NULL;

	if (d)
		layouts_type(p->l, die, d->name, d->scope);
	else if (dwarf_text(before, AT_NAME))
		layouts_type(p->l, die, dwarf_text(before, AT_NAME), LAYOUTS_UNKNOWN);
}

static void meet_type(struct path *p, const struct die *die)
{
	struct die type = *die, before;
	const char *own = dwarf_text(die, AT_NAME);
	char *name;

	p->types = true;
	if (dwarf_follow(die, AT_SPECIFICATION, &before) && !dwarf_has(die, AT_DECLARATION))
		meet_outside(p, die, &before);
	if (!own || dwarf_has(die, AT_SPECIFICATION))
		return;
	/* `typedef struct { .. } name;` */
	if (die->tag == TAG_TYPEDEF && (!dwarf_follow_type(die, &type) || dwarf_has(&type, AT_NAME) ||
					(type.tag != TAG_STRUCTURE && type.tag != TAG_CLASS)))
		return;
	name = full_name(p, own);
	if (dwarf_has(&type, AT_DECLARATION)) {
		note_declared(p, die, name);
		return;
	}
	layouts_type(p->l, &type, name, scope_of(p));
	free(name);
}

/* Of a link with -flto: a function of which no unit has told at its compilation. */
static bool is_rootless(const struct die *die)
{
	return die->tag == TAG_SUBPROGRAM && layouts_is_linked(die->unit) && !dwarf_has(die, AT_ORIGIN) &&
	       !dwarf_has(die, AT_SPECIFICATION) && !dwarf_has(die, AT_DECLARATION) &&
	       !dwarf_has(die, AT_ARTIFICIAL);
}

static void meet(struct path *p, const struct die *die)
{
	switch (die->tag) {
	case TAG_STRUCTURE:
	case TAG_CLASS:
	case TAG_TYPEDEF:
		meet_type(p, die);
		break;
	case TAG_UNION:
	case TAG_BASE_TYPE:
		p->types = true;
		break;
	case TAG_VARIABLE:
		layouts_variable(p->l, die);
		break;
	default:
		if (is_rootless(die))
			p->l->rootless = die->unit;
		break;
	}
}

/* True if the unit has told of a type. */
static bool walk(struct layouts *l, struct dwarf_unit *u)
{
	struct path *p = need(1, sizeof(*p));
	struct die die;
	size_t deep = 0; /* scopes whose names are not kept */
	bool types;

	p->l = l;
	for (bool more = dwarf_first(u, &die); more; more = dwarf_next(&die)) {
		if (die.tag == TAG_END && deep)
			deep--;
		else if (die.tag == TAG_END)
			p->depth -= p->depth > 0;
		else
			meet(p, &die);
		if (die.has_children && p->depth < DEPTH && !deep)
			p->scope[p->depth++] = die;
		else if (die.has_children)
			deep++;
	}
	types = p->types;
	for (size_t i = 0; i < p->n_declared; i++)
		free(p->declared[i].name);
	free(p->declared);
	free(p);
	return types;
}

static void read_all(struct layouts *l)
{
	bool *types = need(l->dwarf->n + 1, sizeof(*types));

	for (size_t i = 0; i < l->dwarf->n; i++) {
		types[i] = walk(l, &l->dwarf->unit[i]);
		l->units += !l->dwarf->unit[i].doubt;
	}
	layouts_places(l);
	layouts_untold(l, types);
	free(types);
}

void layouts_begin(struct layouts *l)
{
	l->seen = need(l->plan->n_layouts + 1, sizeof(*l->seen));
}

void layouts_read(struct layouts *l, const struct image *e, const struct symbols *s)
{
	static const char *const why[] = {
		[DWARF_NONE] = "there is no debug information (-g)",
		[DWARF_PACKED] = "the debug information is compressed (objcopy --decompress-debug-sections)",
		[DWARF_DAMAGED] = "the debug information is damaged"};
	size_t n = l->plan->n_layouts;
	enum dwarf_state state;

	l->e = e;
	l->symbols = s;
	layouts_listed(l);
	if (!n)
		return;
	l->dwarf = need(1, sizeof(*l->dwarf));
	l->read = need_more(l->read, l->n_read, sizeof(*l->read));
	l->read[l->n_read++] = l->dwarf;
	state = dwarf_open(l->dwarf, e);
	if (state == DWARF_READ)
		read_all(l);
	else
		findings_add(l->notes,
			     "that every unit of '%s' was compiled with the plan's %zu layout%s: %s", e->path,
			     n, n == 1 ? "" : "s", why[state]);
	layouts_copied(l);
	layouts_operators(l);
	free(l->variable);
	free(l->planned);
	l->variable = NULL;
	l->planned = NULL;
	l->n_variables = l->n_planned = 0;
}

/* What all units together say of a layout. */
static void layouts_conclude_one(struct layouts *l, size_t i)
{
	const struct layout_seen *s = &l->seen[i];
	char text[512];

	layouts_name(&l->plan->layout[i], text, sizeof(text));
	l->shown += s->good && !s->bad && !s->open && s->listed;
	if (!s->listed)
		findings_add(l->notes, "%s: no object lists it as applied (" PRS_LAYOUTS_SECTION ")", text);
	if (s->good || s->bad || s->open)
		return;
	findings_add(l->notes, "%s: %s", text,
		     s->other ? "the debug information has other instances of the template only"
			      : "no debug information has it");
}

void layouts_conclude(struct layouts *l)
{
	layouts_twins(l);
	for (size_t i = 0; i < l->plan->n_layouts; i++)
		layouts_conclude_one(l, i);
	if (l->rootless)
		findings_add(l->notes,
			     "the plan's layouts in code that was compiled with -flto and without -g");
}

void layouts_release(struct layouts *l)
{
	for (size_t i = 0; i < l->n_read; i++) {
		dwarf_release(l->read[i]);
		free(l->read[i]);
	}
	free(l->read);
	layouts_forget_twins(l);
	free(l->seen);
	*l = (struct layouts){0};
}
