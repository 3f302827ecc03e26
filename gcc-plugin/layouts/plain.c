/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a type would be without the plan's layouts: the compiler lays a type out once,
 * with them.  The rules of the processor's ABI are applied again here: first as the
 * type is, which must give what the compiler has, then with the alignments of the source.
 *
 *   struct pair { long left, right; };    right aligned to 64     plain
 *       left   0                              0                       0
 *       right  8                              64                      8
 *       size   16                             128                     16
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/layouts/layouts.h"

#define DEPTH 16

/* Bits; of a type, or so far. */
struct room {
	unsigned HOST_WIDE_INT size, align;
};

struct walk {
	bool plain; /* else as it is */
	tree want;  /* a field, or NULL_TREE */
	unsigned HOST_WIDE_INT at;
	int depth;
};

static bool room_of_record(struct walk *w, tree type, struct room *out);

static unsigned HOST_WIDE_INT up(unsigned HOST_WIDE_INT n, unsigned HOST_WIDE_INT align)
{
	return (n + align - 1) / align * align;
}

static tree element_of(tree type)
{
	while (TREE_CODE(type) == ARRAY_TYPE)
		type = TREE_TYPE(type);
	return type;
}

/* Does the plan change @type, by a field of its own or by what is in it? */
static bool is_changed(tree type, int depth)
{
	unsigned bits;

	type = element_of(type);
	if (!RECORD_OR_UNION_TYPE_P(type) || depth > DEPTH)
		return false;
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
		if (TREE_CODE(f) == FIELD_DECL &&
		    (layouts_raised(f, &bits) || is_changed(TREE_TYPE(f), depth + 1)))
			return true;
	return false;
}

/* Size and alignment of a field that is no bit-field. */
static bool room_of_field(struct walk *w, tree f, struct room *out)
{
	tree type = TREE_TYPE(f), element = element_of(type);
	unsigned bits;

	if (!DECL_SIZE(f) || !tree_fits_uhwi_p(DECL_SIZE(f)))
		return false;
	out->size = tree_to_uhwi(DECL_SIZE(f));
	out->align = DECL_ALIGN(f);
	if (!w->plain)
		return true;
	if (is_changed(type, 0)) {
		unsigned HOST_WIDE_INT now = tree_to_uhwi(TYPE_SIZE(element)), n = out->size / now;

		/* Of a base class only a part may be laid out. */
		if (DECL_ARTIFICIAL(f) || n * now != out->size || !room_of_record(w, element, out))
			return false;
		out->size *= n;
	}
	if (layouts_raised(f, &bits)) {
		if (!is_changed(type, 0))
			out->align = TYPE_ALIGN(type);
		out->align = MAX(out->align, bits);
	}
	return out->align > 0;
}

/* A bit-field does not lie across two of its type; the processor's ABI. */
static bool room_of_bits(tree f, struct room *r, unsigned HOST_WIDE_INT *at)
{
	tree type = DECL_BIT_FIELD_TYPE(f);
	unsigned HOST_WIDE_INT width, unit;

	if (!DECL_SIZE(f) || !tree_fits_uhwi_p(DECL_SIZE(f)) || !tree_fits_uhwi_p(TYPE_SIZE(type)))
		return false;
	width = tree_to_uhwi(DECL_SIZE(f));
	unit = tree_to_uhwi(TYPE_SIZE(type));
	if (!width || width > unit || DECL_PACKED(f))
		return false;
	if (*at / unit != (*at + width - 1) / unit)
		*at = up(*at, TYPE_ALIGN(type));
	if (DECL_NAME(f))
		r->align = MAX(r->align, TYPE_ALIGN(type));
	return true;
}

/* What the source asks of the type as a whole. */
static unsigned HOST_WIDE_INT asked_of_type(tree type)
{
	unsigned HOST_WIDE_INT bits = BITS_PER_UNIT;

	for (tree a = lookup_attribute("aligned", TYPE_ATTRIBUTES(type)); a;
	     a = lookup_attribute("aligned", TREE_CHAIN(a))) {
		tree n = TREE_VALUE(a) ? TREE_VALUE(TREE_VALUE(a)) : NULL_TREE;

		if (n && tree_fits_uhwi_p(n))
			bits = MAX(bits, tree_to_uhwi(n) * BITS_PER_UNIT);
		else
			bits = MAX(bits, (unsigned HOST_WIDE_INT)BIGGEST_ALIGNMENT);
	}
	return bits;
}

static bool plain_place(struct walk *w, tree f, struct room *r)
{
	unsigned HOST_WIDE_INT at = r->size;
	struct room own;

	/* A base class without members lies where the next member may lie, too. */
	if (DECL_ARTIFICIAL(f) && is_empty_type(TREE_TYPE(f)))
		return true;
	if (DECL_BIT_FIELD_TYPE(f)) {
		if (!room_of_bits(f, r, &at))
			return false;
		own.size = tree_to_uhwi(DECL_SIZE(f));
	} else {
		if (!room_of_field(w, f, &own))
			return false;
		at = up(at, own.align);
		r->align = MAX(r->align, own.align);
	}
	if (!w->plain && (TREE_CODE(bit_position(f)) != INTEGER_CST || tree_to_uhwi(bit_position(f)) != at))
		return false;
	if (f == w->want)
		w->at = at;
	r->size = at + own.size;
	return true;
}

static bool room_of_record(struct walk *w, tree type, struct room *out)
{
	struct room r = {0, asked_of_type(type)};
	unsigned HOST_WIDE_INT most = 0;
	bool good = TYPE_SIZE(type) && tree_fits_uhwi_p(TYPE_SIZE(type)) && !TYPE_PACKED(type) &&
		    w->depth++ < DEPTH;

	for (tree f = TYPE_FIELDS(type); good && f; f = DECL_CHAIN(f)) {
		if (TREE_CODE(f) != FIELD_DECL)
			continue;
		if (TREE_CODE(type) != RECORD_TYPE)
			r.size = 0;
		good = plain_place(w, f, &r);
		most = MAX(most, r.size);
	}
	w->depth--;
	out->size = up(most, r.align);
	out->align = r.align;
	return good;
}

/* Both ways; false if the rules do not give what the compiler has. */
static bool plain_room(tree type, struct walk *plain, struct room *then)
{
	struct walk as_is = {false, plain->want, 0, 0};
	struct room now;

	return room_of_record(&as_is, type, &now) && now.size == tree_to_uhwi(TYPE_SIZE(type)) &&
	       now.align == TYPE_ALIGN(type) && room_of_record(plain, type, then);
}

bool layouts_plain(tree type, tree field, unsigned long *size, unsigned long *offset)
{
	struct walk plain = {true, field, 0, 0};
	struct room then;

	if (!plain_room(type, &plain, &then))
		return false;
	*size = then.size / BITS_PER_UNIT;
	*offset = plain.at / BITS_PER_UNIT;
	return true;
}

unsigned layouts_plain_align(tree type)
{
	struct walk plain = {true, NULL_TREE, 0, 0};
	struct room then;

	type = TYPE_MAIN_VARIANT(element_of(type));
	return RECORD_OR_UNION_TYPE_P(type) && plain_room(type, &plain, &then) ? then.align : BITS_PER_UNIT;
}
