/* SPDX-License-Identifier: MIT */
/* Fields: each type that holds one, in each unit, against the plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perseus/sites.h"
#include "verify/layouts/layouts.h"

#define DEPTH   8     /* of structs without a name in one another */
#define MEMBERS 65536 /* of a type that are looked at */

/* A type of a planned name with a field of the planned name, that is declared elsewhere. */
struct twin {
	size_t layout;
	const struct dwarf_unit *unit;
	const char *file;
	uint64_t line, members;
};

struct walk {
	struct layouts *l;
	const struct die *type;
	const char *name;
	bool is_local;
	uint64_t members; /* hash of their names so far */
	unsigned left;    /* members to look at yet */
};

static bool is_of(const struct vplan_layout *p, const struct die *member)
{
	const char *file = dwarf_number(member, AT_LINE) == p->source_line ? dwarf_file(member) : NULL;

	return file && !strcmp(file, layouts_file(p->file));
}

/* With a layout that changes neither size nor place only the alignment tells. */
static void check_alignment(struct walk *w, size_t i, const struct die *member)
{
	const struct vplan_layout *p = &w->l->plan->layout[i];
	struct layout_seen *seen = &w->l->seen[i];
	char text[512];

	if (p->size != p->size_after || p->offset != p->offset_after) {
		seen->good++;
	} else if (dwarf_number(member, AT_ALIGNMENT) >= p->align) {
		seen->good++;
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

/* The field that the plan means. */
static void check_figures(struct walk *w, size_t i, const struct die *member, uint64_t offset)
{
	const struct vplan_layout *p = &w->l->plan->layout[i];
	uint64_t size = dwarf_number(w->type, AT_SIZE);
	bool plain = size == p->size && offset == p->offset;
	char text[512];

	if (strchr(p->type, '<') && !layouts_same_name(p->type, w->name, false)) {
		check_instance(w, i, size, offset);
	} else if (size == p->size_after && offset == p->offset_after) {
		check_alignment(w, i, member);
	} else {
		w->l->seen[i].bad++;
		findings_add(w->l->list,
			     "%s: in %s the type has %llu bytes and the field is at %llu, the plan says %llu "
			     "and %llu%s",
			     layouts_name(p, text, sizeof(text)), layouts_unit(w->type->unit),
			     (unsigned long long)size, (unsigned long long)offset,
			     (unsigned long long)p->size_after, (unsigned long long)p->offset_after,
			     plain ? ": it was compiled without the plan" : "");
	}
}

/* A field of the planned name in a type of the planned name, at another place of the sources. */
static void note_twin(struct walk *w, size_t i, const struct die *member)
{
	const struct vplan_layout *p = &w->l->plan->layout[i];
	struct layouts *l = w->l;
	const char *file = dwarf_file(member);
	char text[512];

	if (w->is_local || !layouts_same_name(p->type, w->name, false))
		return;
	if (!file) {
		l->seen[i].open = true;
		findings_add(l->notes,
			     "whether %s is what %s has: its debug information tells no file for it",
			     layouts_name(p, text, sizeof(text)), layouts_unit(member->unit));
		return;
	}
	l->twin = need_more(l->twin, l->n_twins, sizeof(*l->twin));
	l->twin[l->n_twins++] =
		(struct twin){i, member->unit, file, dwarf_number(member, AT_LINE), w->members};
}

static void check_member(struct walk *w, const struct die *member, const char *name, uint64_t offset)
{
	for (size_t i = 0; i < w->l->plan->n_layouts; i++) {
		const struct vplan_layout *p = &w->l->plan->layout[i];
		char text[512];

		if (p->kind != VPLAN_FIELD || strcmp(p->name, name))
			continue;
		if (!is_of(p, member)) {
			note_twin(w, i, member);
		} else if (!layouts_same_name(p->type, w->name, true)) {
			w->l->seen[i].bad++;
			findings_add(w->l->list, "%s: in %s the field there is one of `%s`",
				     layouts_name(p, text, sizeof(text)), layouts_unit(member->unit),
				     w->name);
		} else {
			check_figures(w, i, member, offset);
		}
	}
}

static bool is_record(const struct die *die)
{
	return die->tag == TAG_STRUCTURE || die->tag == TAG_CLASS || die->tag == TAG_UNION;
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
				check_member(w, &d, name, base + offset);
			} else if (depth < DEPTH && dwarf_follow_type(&d, &inner) && is_record(&inner) &&
				   !dwarf_has(&inner, AT_NAME)) {
				visit(w, &inner, base + offset, depth + 1);
			}
		}
		level += d.has_children;
	}
}

void layouts_type(struct layouts *l, const struct die *die, const char *name, bool is_local)
{
	struct walk w = {l, die, name, is_local, PRS_FNV_INIT, MEMBERS};
	size_t before = l->n_twins;
	uint32_t *was = need(l->plan->n_layouts, sizeof(*was));

	for (size_t i = 0; i < l->plan->n_layouts; i++)
		was[i] = l->seen[i].good + l->seen[i].bad;
	visit(&w, die, 0, 0);
	for (size_t i = before; i < l->n_twins; i++)
		l->twin[i].members = w.members;
	for (size_t i = 0; i < l->plan->n_layouts; i++)
		if (l->seen[i].good + l->seen[i].bad > was[i])
			l->seen[i].members = w.members;
	free(was);
}

/* Of C++ there is one type of a name; of C two types are one if they have the same members. */
static bool is_cplusplus(const struct dwarf_unit *u)
{
	static const uint8_t numbers[] = {0x04, 0x19, 0x1a, 0x21, 0x2b, 0x2c};

	return memchr(numbers, (int)(u->language & 0xff), sizeof(numbers)) && u->language <= 0xff;
}

void layouts_twins(struct layouts *l)
{
	for (size_t i = 0; i < l->n_twins; i++) {
		const struct twin *t = &l->twin[i];
		const struct vplan_layout *p = &l->plan->layout[t->layout];
		struct layout_seen *seen = &l->seen[t->layout];
		bool same_file = !strcmp(t->file, layouts_file(p->file));
		char text[512];

		if (!same_file && !is_cplusplus(t->unit) && t->members != seen->members)
			continue;
		seen->bad++;
		findings_add(l->list,
			     "%s: %s has a second definition of the type, with the field in line %llu of %s, "
			     "which the plan does not align",
			     layouts_name(p, text, sizeof(text)), layouts_unit(t->unit),
			     (unsigned long long)t->line, t->file);
	}
}
