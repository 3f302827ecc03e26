/* SPDX-License-Identifier: MIT */
/* Fields: each type that holds one, in each unit, against the plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perseus/sites.h"
#include "verify/layouts/layouts.h"

#define DEPTH   8     /* of structs without a name in one another */
#define MEMBERS 65536 /* of a type that are looked at */

/* Why a type with a field of a planned name is not the one that the plan means, or not as it means it. */
enum unlike {
	OTHER_PLACE,   /* it is declared elsewhere */
	OTHER_NAME,    /* the type has another one */
	OTHER_FIGURES, /* size or place */
};

/* Such a type; what it is can be told when all units are read. */
struct twin {
	enum unlike why;
	size_t layout;
	const struct dwarf_unit *unit;
	const struct dwarf_file *file;
	char *name;
	uint64_t line, members, size, offset;
	bool is_local;
};

struct walk {
	struct layouts *l;
	const struct die *type;
	const char *name;
	enum layouts_scope scope;
	uint64_t members; /* hash of their names and types so far */
	unsigned left;    /* members to look at yet */
};

static bool is_of(const struct vplan_layout *p, const struct die *member, const struct dwarf_file *file)
{
	return dwarf_number(member, AT_LINE) == p->source_line && dwarf_is_file(p->file, file);
}

/* Of C++ there is one type of a name; of C two types are one if they have the same members. */
bool layouts_is_cplusplus(const struct dwarf_unit *u)
{
	static const uint8_t numbers[] = {0x04, 0x19, 0x1a, 0x21, 0x2b, 0x2c};

	return u->language <= 0xff && memchr(numbers, (int)u->language, sizeof(numbers));
}

/* Two files that the plan's path fits: which of them it means nobody can tell. */
static void note_file(struct layouts *l, size_t i, const struct dwarf_file *file)
{
	struct layout_seen *seen = &l->seen[i];
	char text[512];

	if (seen->file && file && !seen->open && !dwarf_same_file(seen->file, file)) {
		seen->open = true;
		findings_add(l->notes, "which file the %s means: %s and %s fit, and both have such a type",
			     layouts_name(&l->plan->layout[i], text, sizeof(text)),
			     seen->file->full ? seen->file->full : seen->file->typed,
			     file->full ? file->full : file->typed);
	}
	seen->file = seen->file ? seen->file : file;
}

static void note_good(struct walk *w, size_t i, const struct die *member)
{
	struct layout_seen *seen = &w->l->seen[i];

	seen->good++;
	note_file(w->l, i, dwarf_file(member));
	seen->in_cplusplus |= layouts_is_cplusplus(member->unit);
}

/* With a layout that changes neither size nor place only the alignment tells. */
static void check_alignment(struct walk *w, size_t i, const struct die *member)
{
	const struct vplan_layout *p = &w->l->plan->layout[i];
	struct layout_seen *seen = &w->l->seen[i];
	char text[512];

	if (p->size != p->size_after || p->offset != p->offset_after) {
		note_good(w, i, member);
	} else if (dwarf_number(member, AT_ALIGNMENT) >= p->align) {
		note_good(w, i, member);
	} else if (dwarf_has(member, AT_ALIGNMENT) || member->unit->version >= 5) {
		seen->bad++;
		findings_add(w->l->list,
			     "%s is not aligned to %u bytes in %s: was it compiled with the plan?",
			     layouts_name(p, text, sizeof(text)), p->align, layouts_unit(member->unit));
	} else {
		seen->open = true;
		findings_add(
			w->l->notes,
			"that %s is aligned to %u bytes in %s: size and place are those without the plan, "
			"too, and its debug information tells no alignment",
			layouts_name(p, text, sizeof(text)), p->align, layouts_unit(member->unit));
	}
}

/* Another instance of a template is aligned like the one that the plan names, and that is all. */
static void check_instance(struct walk *w, size_t i, uint64_t size, uint64_t offset)
{
	const struct vplan_layout *p = &w->l->plan->layout[i];
	char text[512];

	if (offset % p->align == 0 && size % p->align == 0) {
		w->l->seen[i].other++;
		return;
	}
	w->l->seen[i].bad++;
	findings_add(w->l->list, "%s: in %s `%s` has %llu bytes and the field is at %llu, not aligned to %u",
		     layouts_name(p, text, sizeof(text)), layouts_unit(w->type->unit), w->name,
		     (unsigned long long)size, (unsigned long long)offset, p->align);
}

static void note_twin(struct walk *w, size_t i, const struct die *member, enum unlike why, uint64_t offset)
{
	struct layouts *l = w->l;
	struct twin *t;

	l->twin = need_more(l->twin, l->n_twins, sizeof(*l->twin));
	t = &l->twin[l->n_twins++];
	*t = (struct twin){.why = why,
			   .layout = i,
			   .unit = member->unit,
			   .file = dwarf_file(member),
			   .name = need(strlen(w->name) + 1, 1),
			   .line = dwarf_number(member, AT_LINE),
			   .size = dwarf_number(w->type, AT_SIZE),
			   .offset = offset,
			   .is_local = w->scope != LAYOUTS_NAMED};
	strcpy(t->name, w->name);
}

/* The field that the plan means. */
static void check_figures(struct walk *w, size_t i, const struct die *member, uint64_t offset)
{
	const struct vplan_layout *p = &w->l->plan->layout[i];
	uint64_t size = dwarf_number(w->type, AT_SIZE);

	if (strchr(p->type, '<') && !layouts_is_type(p->type, w->name, w->scope, false))
		check_instance(w, i, size, offset);
	else if (size == p->size_after && offset == p->offset_after)
		check_alignment(w, i, member);
	else
		note_twin(w, i, member, OTHER_FIGURES, offset);
}

/* What cannot be told of the field: a note, if the type may be the planned one. */
static void note_open(struct walk *w, size_t i, const struct die *member, const char *what)
{
	char text[512];

	w->l->seen[i].open = true;
	findings_add(w->l->notes, "whether %s is what %s has: its debug information tells no %s for it",
		     layouts_name(&w->l->plan->layout[i], text, sizeof(text)), layouts_unit(member->unit),
		     what);
}

static void check_member(struct walk *w, const struct die *member, const char *name, uint64_t offset)
{
	const struct dwarf_file *file = NULL;

	for (size_t i = 0; i < w->l->plan->n_layouts; i++) {
		const struct vplan_layout *p = &w->l->plan->layout[i];
		bool same;

		if (p->kind != VPLAN_FIELD || strcmp(p->name, name))
			continue;
		file = file ? file : dwarf_file(member);
		same = layouts_is_type(p->type, w->name, w->scope, true);
		if (!file && same)
			note_open(w, i, member, "file");
		else if (file && is_of(p, member, file) && same)
			check_figures(w, i, member, offset);
		else if (file && is_of(p, member, file))
			note_twin(w, i, member, OTHER_NAME, offset);
		else if (file && same && w->scope == LAYOUTS_UNKNOWN)
			note_open(w, i, member, "scope");
		else if (file && w->scope == LAYOUTS_NAMED &&
			 layouts_is_type(p->type, w->name, w->scope, false))
			note_twin(w, i, member, OTHER_PLACE, offset);
	}
}

static bool is_record(const struct die *die)
{
	return die->tag == TAG_STRUCTURE || die->tag == TAG_CLASS || die->tag == TAG_UNION;
}

/* Hash of what type a member is of, by the same word in C and C++ and of all compilers. */
static uint64_t hash_type(uint64_t hash, const struct die *member)
{
	struct die d = *member, to;

	for (int i = 0; i < DEPTH && dwarf_follow_type(&d, &to); i++) {
		uint64_t said[] = {to.tag == TAG_CLASS ? TAG_STRUCTURE : to.tag, 0, 0};

		if (to.tag == TAG_BASE_TYPE) {
			said[1] = dwarf_number(&to, AT_SIZE);
			said[2] = dwarf_number(&to, AT_ENCODING);
		}
		if (to.tag != TAG_TYPEDEF)
			hash = prs_fnv64(hash, (const char *)said, sizeof(said));
		d = to;
	}
	return hash;
}

/* The members of @type, which lies at @base of the type that has a name. */
static void visit(struct walk *w, const struct die *type, uint64_t base, int depth)
{
	struct die d = *type, inner;
	int level = 1;

	while (type->has_children && level && w->left && dwarf_next(&d)) {
		const char *name = dwarf_text(&d, AT_NAME);
		uint64_t offset;

		level -= d.tag == TAG_END;
		if (level == 1 && d.tag == TAG_MEMBER && !dwarf_has(&d, AT_DECLARATION) &&
		    !dwarf_has(&d, AT_BITS) && dwarf_place(&d, &offset)) {
			w->left--;
			if (name) {
				w->members = prs_fnv64_text(prs_fnv64(w->members, "\n", 1), name);
				w->members = hash_type(w->members, &d);
				check_member(w, &d, name, base + offset);
			} else if (depth < DEPTH && dwarf_follow_type(&d, &inner) && is_record(&inner) &&
				   !dwarf_has(&inner, AT_NAME)) {
				visit(w, &inner, base + offset, depth + 1);
			}
		}
		level += d.has_children;
	}
}

void layouts_type(struct layouts *l, const struct die *die, const char *name, enum layouts_scope scope)
{
	struct walk w = {l, die, name, scope, PRS_FNV_INIT, MEMBERS};
	size_t before = l->n_twins;
	uint32_t *was = need(l->plan->n_layouts, sizeof(*was));

	for (size_t i = 0; i < l->plan->n_layouts; i++)
		was[i] = l->seen[i].good;
	visit(&w, die, 0, 0);
	for (size_t i = before; i < l->n_twins; i++)
		l->twin[i].members = w.members;
	for (size_t i = 0; i < l->plan->n_layouts; i++)
		if (l->seen[i].good > was[i])
			l->seen[i].members = w.members;
	free(was);
}

/* ---- behind all units ---------------------------------------------------------------------- */

static void say_figures(struct layouts *l, const struct twin *t, const char *layout)
{
	const struct vplan_layout *p = &l->plan->layout[t->layout];
	bool plain = t->size == p->size && t->offset == p->offset;

	findings_add(l->list,
		     "%s: in %s the type has %llu bytes and the field is at %llu, the plan says %llu and "
		     "%llu%s",
		     layout, layouts_unit(t->unit), (unsigned long long)t->size,
		     (unsigned long long)t->offset, (unsigned long long)p->size_after,
		     (unsigned long long)p->offset_after, plain ? ": it was compiled without the plan" : "");
}

static void say_twin(struct layouts *l, const struct twin *t)
{
	char text[512];
	const char *layout = layouts_name(&l->plan->layout[t->layout], text, sizeof(text));

	l->seen[t->layout].bad++;
	if (t->why == OTHER_FIGURES)
		say_figures(l, t, layout);
	else if (t->why == OTHER_NAME)
		findings_add(l->list, "%s: in %s the field there is one of `%s`", layout,
			     layouts_unit(t->unit), t->name);
	else
		findings_add(l->list,
			     "%s: %s has a second definition of the type, with the field in line %llu of %s, "
			     "which the plan does not align",
			     layout, layouts_unit(t->unit), (unsigned long long)t->line, t->file->last);
}

/* A type of the planned name in another file of that name, with other members: older, or of something else? */
static void say_doubt(struct layouts *l, const struct twin *t)
{
	struct layout_seen *seen = &l->seen[t->layout];
	char text[512];

	seen->open = true;
	findings_add(
		l->notes, "whether `%s` in %s is the type of the %s: it is declared in %s, line %llu, %s",
		t->name, layouts_unit(t->unit), layouts_name(&l->plan->layout[t->layout], text, sizeof(text)),
		t->file->full ? t->file->full : t->file->typed, (unsigned long long)t->line,
		t->is_local ? "inside of a function or a namespace without a name" : "and has other members");
}

/*
 * In the file that the planned type is in there is no other type of its name.  Elsewhere it is the same one if a
 * name means one type there, or if it has the same members.  The plan may have too little of the file's path.
 */
static void judge_twin(struct layouts *l, const struct twin *t)
{
	const struct vplan_layout *p = &l->plan->layout[t->layout];
	const struct layout_seen *seen = &l->seen[t->layout];
	bool in_file = seen->file ? dwarf_same_file(seen->file, t->file) : dwarf_is_file(p->file, t->file);
	bool is_one = !t->is_local && ((seen->in_cplusplus && layouts_is_cplusplus(t->unit)) ||
				       (seen->good && t->members == seen->members));

	if (in_file || (is_one && t->why != OTHER_NAME))
		say_twin(l, t);
	else if (t->why != OTHER_NAME && dwarf_is_file(p->file, t->file))
		say_doubt(l, t);
}

void layouts_twins(struct layouts *l)
{
	for (size_t i = 0; i < l->n_twins; i++)
		judge_twin(l, &l->twin[i]);
}

void layouts_forget_twins(struct layouts *l)
{
	for (size_t i = 0; i < l->n_twins; i++)
		free(l->twin[i].name);
	free(l->twin);
}
