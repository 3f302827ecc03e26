/* SPDX-License-Identifier: MIT */
/* Members that lie on each other: those of a union without a name, bit-fields of one word.  They move as one. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/sharing/remedy-layout.h"
#include "lib/strbuf.h"

static bool overlap(const struct remedy_member *x, const struct remedy_member *y)
{
	return x->now < y->now + y->bytes && y->now < x->now + x->bytes;
}

/* Members @from to @to, side by side in the declaration, move as one with those that they moved with before. */
static void join(struct remedy_layout *l, size_t from, size_t to)
{
	size_t unit = l->members[from].unit;

	for (size_t i = unit; i <= to; i++)
		l->members[i].unit = unit;
}

/* A table of an older build does not say where unions lie: members of theirs lie on others. */
static void join_overlapping(struct remedy_layout *l)
{
	for (size_t i = 1; i < l->n_members; i++)
		for (size_t k = 0; k < i; k++)
			if (overlap(&l->members[i], &l->members[k])) {
				join(l, k, i);
				break;
			}
}

static bool is_union(const struct run_field *u)
{
	return !strcmp(u->name, "union");
}

static bool lies_in(const struct remedy_member *m, const struct run_field *u)
{
	return m->now >= u->offset && m->now + m->bytes <= u->offset + u->bytes;
}

static void join_union(struct remedy_layout *l, const struct run_field *u)
{
	size_t first = l->n_members;

	for (size_t i = 0; i < l->n_members; i++) {
		if (!lies_in(&l->members[i], u))
			continue;
		first = i < first ? i : first;
		join(l, first, i);
	}
}

/* The outermost comes last. */
static void note_struct(struct remedy_layout *l, const struct run_field *u)
{
	for (size_t i = 0; i < l->n_members; i++)
		if (lies_in(&l->members[i], u)) {
			l->members[i].in_now = u->offset;
			l->members[i].in_bytes = u->bytes;
		}
}

/* Each base class with virtual functions has such a pointer, and a virtual one is listed with each that has it. */
static bool stands_twice(const struct remedy_member *m, const struct run_type *type)
{
	const struct run_field *seen = NULL;

	for (size_t i = 0; *m->name && i < type->n_fields; i++) {
		const struct run_field *field = &type->fields[i];

		if (!layout_holds(m, field->name))
			continue;
		if (seen && seen->offset != field->offset &&
		    (!strcmp(m->name, "_vptr") || !strcmp(seen->name, field->name)))
			return true;
		seen = seen ? seen : field;
	}
	return false;
}

bool layout_by_bases(const struct remedy_layout *l, size_t x, size_t y, const struct run_type *type)
{
	const struct remedy_member *a = &l->members[x], *b = &l->members[y];
	bool twice = stands_twice(a, type) || stands_twice(b, type);

	for (size_t i = 0; i < type->n_unnamed; i++)
		if (is_union(&type->unnamed[i]) && lies_in(a, &type->unnamed[i]) &&
		    lies_in(b, &type->unnamed[i]))
			return false;
	if (!twice && overlap(a, b))
		return false;
	for (size_t i = 0; i < l->n_members && !twice; i++)
		twice = l->members[i].unit == a->unit && stands_twice(&l->members[i], type);
	return twice;
}

/* The bytes of the unit that begins with member @first, and what it has to be aligned to. */
static void measure(struct remedy_layout *l, size_t first, const struct run_type *type)
{
	uint64_t from = UINT64_MAX, to = 0;
	uint32_t align = 1;
	size_t end = first;

	for (; end < l->n_members && l->members[end].unit == first; end++) {
		const struct remedy_member *m = &l->members[end];

		from = m->now < from ? m->now : from;
		to = m->now + m->bytes > to ? m->now + m->bytes : to;
		align = m->align > align ? m->align : align;
	}
	for (size_t i = 0; i < type->n_unnamed; i++) {
		const struct run_field *u = &type->unnamed[i];

		if (!is_union(u) || end == first + 1 || u->offset > from || u->offset + u->bytes < to)
			continue;
		to = u->offset + u->bytes;
		from = u->offset;
	}
	for (size_t i = first; i < end; i++) {
		l->members[i].unit_now = from;
		l->members[i].unit_bytes = to - from;
		l->members[i].align = align;
	}
}

void layout_find_units(struct remedy_layout *l, const struct run_type *type)
{
	for (size_t i = 0; i < l->n_members; i++)
		l->members[i].unit = i;
	for (size_t i = 0; i < type->n_unnamed; i++)
		if (is_union(&type->unnamed[i]))
			join_union(l, &type->unnamed[i]);
		else
			note_struct(l, &type->unnamed[i]);
	join_overlapping(l);
	for (size_t i = 0; i < l->n_members; i++)
		if (l->members[i].unit == i)
			measure(l, i, type);
}

/* The group of the unit that begins with member @first; *@one: of no other, too. */
static int32_t group_of_unit(const struct remedy_layout *l, size_t first, bool *one)
{
	int32_t group = -1;

	for (size_t i = first; i < l->n_members && l->members[i].unit == first; i++) {
		if (l->members[i].group < 0)
			continue;
		*one &= group < 0 || group == l->members[i].group;
		group = group < 0 ? l->members[i].group : group;
	}
	return group;
}

bool layout_join_units(struct remedy_layout *l)
{
	bool one = true;

	for (size_t i = 0; i < l->n_members; i++)
		l->members[i].group = l->members[i].unit == i ? group_of_unit(l, i, &one)
							      : l->members[l->members[i].unit].group;
	return one;
}
