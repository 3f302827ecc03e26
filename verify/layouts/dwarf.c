/* SPDX-License-Identifier: MIT */
#include "verify/layouts/dwarf.h"

#include <stdlib.h>
#include <string.h>

#define ABBREVIATIONS_MOST 65536u /* of a unit; compilers write some hundreds */

enum { UNIT_COMPILE = 1, UNIT_TYPE, UNIT_PARTIAL, UNIT_SKELETON, UNIT_SPLIT, UNIT_SPLIT_TYPE };
enum { OP_CONST4U = 0x0c, OP_CONST8U = 0x0e, OP_FORM_TLS_ADDRESS = 0x9b, OP_GNU_PUSH_TLS_ADDRESS = 0xe0 };
enum { OP_ADDR = 0x03, OP_PLUS_UCONST = 0x23, OP_PIECE = 0x93, OP_ADDRX = 0xa1, OP_GNU_ADDR_INDEX = 0xfb };

static const char damaged[] = "its debug information is damaged";
static const char elsewhere[] = "a part of its debug information is in another file";
static const char split[] = "its debug information is in another file (-gsplit-dwarf)";

struct abbreviation {
	uint64_t code;
	uint32_t tag;
	bool has_children;
	struct cut attributes; /* pairs of number and form */
};

/* How a form is stored, and in how many bytes; 0: as a number of variable length. */
enum how {
	FORM_UNKNOWN,
	FORM_ADDRESS,
	FORM_NUMBER,
	FORM_SIGNED,
	FORM_FLAG,  /* there, so true */
	FORM_FIXED, /* the number stands beside the form */
	FORM_SKIP,
	FORM_BLOCK, /* its length in so many bytes */
	FORM_STRING,
	FORM_TEXT, /* a place of .debug_str, */
	FORM_LINE_TEXT,
	FORM_TEXT_INDEX, /* or a number of its table */
	FORM_ADDRESS_INDEX,
	FORM_REFERENCE, /* in the unit, */
	FORM_WHOLE,     /* in .debug_info */
	FORM_SIGNATURE,
	FORM_OFFSET, /* into another section */
	FORM_ELSEWHERE,
	FORM_INDIRECT, /* the form stands in front of the value */
};
static const struct {
	uint8_t how, bytes;
} forms[] = {
	[0x01] = {FORM_ADDRESS, 8},       [0x03] = {FORM_BLOCK, 2},         [0x04] = {FORM_BLOCK, 4},
	[0x05] = {FORM_NUMBER, 2},        [0x06] = {FORM_NUMBER, 4},        [0x07] = {FORM_NUMBER, 8},
	[0x08] = {FORM_STRING, 0},        [0x09] = {FORM_BLOCK, 0},         [0x0a] = {FORM_BLOCK, 1},
	[0x0b] = {FORM_NUMBER, 1},        [0x0c] = {FORM_NUMBER, 1},        [0x0d] = {FORM_SIGNED, 0},
	[0x0e] = {FORM_TEXT, 0},          [0x0f] = {FORM_NUMBER, 0},        [0x10] = {FORM_WHOLE, 0},
	[0x11] = {FORM_REFERENCE, 1},     [0x12] = {FORM_REFERENCE, 2},     [0x13] = {FORM_REFERENCE, 4},
	[0x14] = {FORM_REFERENCE, 8},     [0x15] = {FORM_REFERENCE, 0},     [0x16] = {FORM_INDIRECT, 0},
	[0x17] = {FORM_OFFSET, 0},        [0x18] = {FORM_BLOCK, 0},         [0x19] = {FORM_FLAG, 0},
	[0x1a] = {FORM_TEXT_INDEX, 0},    [0x1b] = {FORM_ADDRESS_INDEX, 0}, [0x1c] = {FORM_ELSEWHERE, 4},
	[0x1d] = {FORM_ELSEWHERE, 0},     [0x1e] = {FORM_SKIP, 16},         [0x1f] = {FORM_LINE_TEXT, 0},
	[0x20] = {FORM_SIGNATURE, 8},     [0x21] = {FORM_FIXED, 0},         [0x22] = {FORM_NUMBER, 0},
	[0x23] = {FORM_NUMBER, 0},        [0x24] = {FORM_ELSEWHERE, 8},     [0x25] = {FORM_TEXT_INDEX, 1},
	[0x26] = {FORM_TEXT_INDEX, 2},    [0x27] = {FORM_TEXT_INDEX, 3},    [0x28] = {FORM_TEXT_INDEX, 4},
	[0x29] = {FORM_ADDRESS_INDEX, 1}, [0x2a] = {FORM_ADDRESS_INDEX, 2}, [0x2b] = {FORM_ADDRESS_INDEX, 3},
	[0x2c] = {FORM_ADDRESS_INDEX, 4},
};

/* Forms of GNU: numbers of tables of a split unit, and what dwz has put into another file. */
static enum how how_stored(const struct dwarf_unit *u, uint64_t form, unsigned *bytes)
{
	enum how how = FORM_UNKNOWN;

	*bytes = 0;
	if (form < sizeof(forms) / sizeof(*forms)) {
		how = (enum how)forms[form].how;
		*bytes = forms[form].bytes;
	} else if (form == 0x1f01) {
		how = FORM_ADDRESS_INDEX;
	} else if (form == 0x1f02) {
		how = FORM_TEXT_INDEX;
	} else if (form == 0x1f20 || form == 0x1f21) {
		how = FORM_ELSEWHERE;
	}
	if (how == FORM_OFFSET || how == FORM_TEXT || how == FORM_LINE_TEXT || how == FORM_WHOLE ||
	    (how == FORM_ELSEWHERE && !*bytes))
		*bytes = how == FORM_WHOLE && u->version == 2 ? 8 : u->wide;
	return how;
}

static const char *text_of(const struct dwarf_bytes *b, uint64_t at)
{
	return at < b->size && memchr(b->data + at, 0, b->size - at) ? (const char *)b->data + at : NULL;
}

/* Entry @i of @bytes bytes of a table, of which the unit's part begins at @base. */
static bool entry_of(const struct dwarf_bytes *b, uint64_t base, uint64_t i, unsigned bytes, uint64_t *out)
{
	struct cut c = {b->data, b->data + b->size, false};

	if (base > b->size || i >= (b->size - base) / bytes)
		return false;
	cut_take(&c, base + i * bytes);
	*out = cut_number(&c, bytes);
	return true;
}

static void take_text(struct dwarf_value *v, const char *text)
{
	v->kind = IS_TEXT;
	v->text = text;
}

/* What is stored at one remove: @n is a place or a number of a table. */
static void look_up(struct dwarf_unit *u, enum how how, uint64_t n, struct dwarf_value *v)
{
	const struct dwarf *d = u->all;
	uint64_t at;

	switch (how) {
	case FORM_TEXT:
		take_text(v, text_of(&d->texts, n));
		break;
	case FORM_LINE_TEXT:
		take_text(v, text_of(&d->line_texts, n));
		break;
	case FORM_TEXT_INDEX:
		take_text(v, entry_of(&d->text_offsets, u->texts, n, u->wide, &at) ? text_of(&d->texts, at)
										   : NULL);
		break;
	case FORM_ADDRESS_INDEX:
		v->kind = entry_of(&d->addresses, u->addresses, n, 8, &v->number) ? IS_NUMBER : IS_OTHER;
		break;
	case FORM_REFERENCE:
		v->kind = IS_REFERENCE;
		v->number = u->at + n;
		break;
	case FORM_WHOLE:
		v->kind = IS_REFERENCE;
		v->whole = true;
		break;
	case FORM_SIGNATURE:
		v->kind = IS_SIGNATURE;
		break;
	case FORM_ELSEWHERE:
		v->kind = IS_OTHER;
		u->doubt = elsewhere;
		break;
	default:
		v->kind = IS_NUMBER;
		break;
	}
}

/* The value of @form at @c; @fixed is where one stands that the form itself has. */
static void read_value(struct dwarf_unit *u, struct cut *c, uint64_t form, struct cut *fixed,
		       struct dwarf_value *v)
{
	unsigned bytes;
	enum how how = how_stored(u, form, &bytes);

	*v = (struct dwarf_value){.kind = IS_NUMBER};
	switch (how) {
	case FORM_UNKNOWN:
		c->bad = true;
		break;
	case FORM_INDIRECT:
		form = cut_leb(c, false);
		if (form == 0x16 || form == 0x21)
			c->bad = true;
		else
			read_value(u, c, form, fixed, v);
		break;
	case FORM_FLAG:
		v->number = 1;
		break;
	case FORM_FIXED:
		v->number = cut_leb(fixed, true);
		break;
	case FORM_SIGNED:
		v->number = cut_leb(c, true);
		break;
	case FORM_SKIP:
		v->kind = IS_OTHER;
		cut_take(c, bytes);
		break;
	case FORM_STRING:
		take_text(v, cut_text(c));
		break;
	case FORM_BLOCK:
		v->kind = IS_BLOCK;
		v->number = bytes ? cut_number(c, bytes) : cut_leb(c, false);
		v->block = cut_take(c, v->number);
		break;
	default:
		v->number = bytes ? cut_number(c, bytes) : cut_leb(c, false);
		look_up(u, how, v->number, v);
		break;
	}
}

static enum dwarf_attribute dwarf_known(uint64_t number)
{
	static const struct {
		uint16_t number;
		uint16_t attribute;
	} list[] = {
		{0x02, AT_LOCATION},       {0x03, AT_NAME},
		{0x0b, AT_SIZE},           {0x0d, AT_BITS},
		{0x10, AT_LINES},          {0x13, AT_LANGUAGE},
		{0x1b, AT_FOLDER},         {0x1c, AT_VALUE},
		{0x3e, AT_ENCODING},       {0x3f, AT_EXTERNAL},
		{0x25, AT_PRODUCER},       {0x31, AT_ORIGIN},
		{0x38, AT_PLACE},          {0x34, AT_ARTIFICIAL},
		{0x3a, AT_FILE},           {0x3b, AT_LINE},
		{0x3c, AT_DECLARATION},    {0x47, AT_SPECIFICATION},
		{0x49, AT_TYPE},           {0x69, AT_SIGNATURE},
		{0x6e, AT_LINKAGE_NAME},   {0x72, AT_TEXTS_BASE},
		{0x73, AT_ADDRESSES_BASE}, {0x76, AT_DWO_NAME},
		{0x88, AT_ALIGNMENT},      {0x2007, AT_LINKAGE_NAME},
		{0x2130, AT_DWO_NAME},     {0x2133, AT_ADDRESSES_BASE},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (list[i].number == number)
			return (enum dwarf_attribute)list[i].attribute;
	return AT_KINDS;
}

static const struct abbreviation *find_abbreviation(const struct dwarf_unit *u, uint64_t code)
{
	/* They are numbered from 1 on; nobody has to. */
	if (code <= u->n_abbreviations && u->abbreviation[code - 1].code == code)
		return &u->abbreviation[code - 1];
	for (size_t i = 0; i < u->n_abbreviations; i++)
		if (u->abbreviation[i].code == code)
			return &u->abbreviation[i];
	return NULL;
}

static bool give_up(struct dwarf_unit *u)
{
	u->doubt = damaged;
	return false;
}

/* The entry at @at of the unit. */
static bool read_die(struct dwarf_unit *u, uint64_t at, struct die *die)
{
	struct cut c = {u->data, u->data + u->end, false}, list;
	const struct abbreviation *a;
	uint64_t code;

	if (!u->all->left || at < u->first || at >= u->end)
		return give_up(u);
	cut_take(&c, at);
	u->all->left--;
	*die = (struct die){.unit = u, .at = at};
	code = cut_leb(&c, false);
	a = code ? find_abbreviation(u, code) : NULL;
	if (c.bad || (code && !a))
		return give_up(u);
	if (a) {
		die->tag = a->tag;
		die->has_children = a->has_children;
		list = a->attributes;
		while (list.at < list.end && !c.bad) {
			enum dwarf_attribute attribute = dwarf_known(cut_leb(&list, false));
			uint64_t form = cut_leb(&list, false);
			struct dwarf_value v;

			read_value(u, &c, form, &list, &v);
			if (attribute < AT_KINDS)
				die->value[attribute] = v;
		}
	}
	if (c.bad || (dwarf_has(die, AT_NAME) && !dwarf_text(die, AT_NAME) && !u->doubt))
		return give_up(u);
	die->next = (uint64_t)(c.at - u->data);
	return true;
}

bool dwarf_first(struct dwarf_unit *u, struct die *die)
{
	return !u->doubt && read_die(u, u->first, die);
}

bool dwarf_next(struct die *die)
{
	return die->next < die->unit->end && read_die(die->unit, die->next, die);
}

static struct dwarf_unit *unit_at(const struct dwarf *d, const uint8_t *data, uint64_t at)
{
	size_t low = 0, high = d->n;

	/* Those of .debug_info stand in front. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct dwarf_unit *u = &d->unit[mid];
		bool before = u->data == data ? u->end <= at : data != d->info.data;

		if (before)
			low = mid + 1;
		else
			high = mid;
	}
	return low < d->n && d->unit[low].data == data && d->unit[low].at <= at ? &d->unit[low] : NULL;
}

static struct dwarf_unit *unit_of(const struct dwarf *d, uint64_t signature)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->unit[i].type && d->unit[i].signature == signature)
			return &d->unit[i];
	return NULL;
}

bool dwarf_follow(const struct die *die, enum dwarf_attribute a, struct die *to)
{
	const struct dwarf_value v = die->value[a];
	struct dwarf *d = die->unit->all;
	struct dwarf_unit *u = NULL;
	uint64_t at = v.number;

	if (v.kind == IS_SIGNATURE) {
		u = d->left > d->n ? unit_of(d, v.number) : NULL;
		d->left -= u ? d->n : 0;
		at = u ? u->at + u->type : 0;
	} else if (v.kind == IS_REFERENCE) {
		u = unit_at(d, v.whole ? d->info.data : die->unit->data, at);
	}
	return u && !u->doubt && read_die(u, at, to);
}

bool dwarf_follow_type(const struct die *die, struct die *to)
{
	struct die stub;

	if (!dwarf_follow(die, AT_TYPE, to))
		return false;
	stub = *to;
	return !dwarf_has(&stub, AT_SIGNATURE) || dwarf_follow(&stub, AT_SIGNATURE, to);
}

bool dwarf_place(const struct die *die, uint64_t *offset)
{
	const struct dwarf_value *v = &die->value[AT_PLACE];
	struct cut c = {v->block, v->block + v->number, false};

	*offset = v->kind == IS_NUMBER ? v->number : 0;
	if (v->kind != IS_BLOCK)
		return v->kind == IS_NUMBER || v->kind == IS_ABSENT;
	if (cut_number(&c, 1) != OP_PLUS_UCONST)
		return false;
	*offset = cut_leb(&c, false);
	return !c.bad && c.at == c.end;
}

/* An operation that gives an address; false for another one. */
static bool take_address(const struct dwarf_unit *u, struct cut *c, uint64_t *address)
{
	uint64_t op = cut_number(c, 1);

	if (op == OP_ADDR) {
		*address = cut_number(c, 8);
		return !c->bad;
	}
	if (op != OP_ADDRX && op != OP_GNU_ADDR_INDEX)
		return false;
	return entry_of(&u->all->addresses, u->addresses, cut_leb(c, false), 8, address) && !c->bad;
}

bool dwarf_address(const struct die *die, uint64_t *address)
{
	const struct dwarf_value *v = &die->value[AT_LOCATION];
	struct cut c = {v->block, v->block + v->number, false};

	return v->kind == IS_BLOCK && take_address(die->unit, &c, address) && c.at == c.end;
}

bool dwarf_thread_place(const struct die *die, uint64_t *place)
{
	const struct dwarf_value *v = &die->value[AT_LOCATION];
	struct cut c = {v->block, v->block + v->number, false};
	uint64_t op;

	if (v->kind != IS_BLOCK)
		return false;
	op = cut_number(&c, 1);
	if (op != OP_CONST4U && op != OP_CONST8U)
		return false;
	*place = cut_number(&c, op == OP_CONST4U ? 4 : 8);
	op = cut_number(&c, 1);
	return (op == OP_FORM_TLS_ADDRESS || op == OP_GNU_PUSH_TLS_ADDRESS) && !c.bad && c.at == c.end;
}

size_t dwarf_addresses(const struct die *die, uint64_t *out, size_t most)
{
	const struct dwarf_value *v = &die->value[AT_LOCATION];
	struct cut c = {v->block, v->block + v->number, false};
	size_t n = 0;

	while (v->kind == IS_BLOCK && n < most && take_address(die->unit, &c, &out[n])) {
		if (c.at < c.end && *c.at == OP_PLUS_UCONST) {
			cut_number(&c, 1);
			out[n] += cut_leb(&c, false);
		}
		/* Anything else computes with the address: nothing need lie there. */
		if (cut_number(&c, 1) != OP_PIECE)
			break;
		cut_leb(&c, false);
		n++;
	}
	return n;
}

/* ---- the units -------------------------------------------------------------------------- */

/* The abbreviations at @at; false if there are none that can be read. */
static bool read_abbreviations(struct dwarf_unit *u, uint64_t at)
{
	const struct dwarf_bytes *b = &u->all->abbreviations;
	struct cut c = {b->data, b->data + b->size, false};
	struct abbreviation a;

	if (at >= b->size)
		return false;
	cut_take(&c, at);
	while ((a.code = cut_leb(&c, false)) != 0) {
		uint64_t number, form;

		a.tag = (uint32_t)cut_leb(&c, false);
		a.has_children = cut_number(&c, 1);
		a.attributes = c;
		do {
			a.attributes.end = c.at;
			number = cut_leb(&c, false);
			form = cut_leb(&c, false);
			if (form == 0x21)
				cut_leb(&c, true);
		} while ((number || form) && !c.bad);
		if (c.bad || u->n_abbreviations == ABBREVIATIONS_MOST || !u->all->left)
			return false;
		u->all->left--;
		u->abbreviation = need_more(u->abbreviation, u->n_abbreviations, sizeof(a));
		u->abbreviation[u->n_abbreviations++] = a;
	}
	return !c.bad;
}

/* The same; types of an object have those of the unit before them. */
static bool take_abbreviations(struct dwarf_unit *u, uint64_t at)
{
	const struct dwarf_unit *before = u->all->n ? &u->all->unit[u->all->n - 1] : NULL;

	u->abbreviations = at;
	if (!before || before->abbreviations != at || !before->abbreviation)
		return read_abbreviations(u, at);
	u->abbreviation = before->abbreviation;
	u->n_abbreviations = before->n_abbreviations;
	u->shares = true;
	return !before->doubt;
}

/* What the unit says of itself; a second time for texts that need what stands behind them. */
static void read_root(struct dwarf_unit *u)
{
	struct die root;

	for (int i = 0; i < 2; i++) {
		if (!read_die(u, u->first, &root)) {
			/* Its name may be one of a table that the unit says later where it is. */
			if (i || u->doubt != damaged || !dwarf_has(&root, AT_TEXTS_BASE))
				return;
			u->doubt = NULL;
		}
		if (dwarf_has(&root, AT_TEXTS_BASE))
			u->texts = dwarf_number(&root, AT_TEXTS_BASE);
		if (dwarf_has(&root, AT_ADDRESSES_BASE))
			u->addresses = dwarf_number(&root, AT_ADDRESSES_BASE);
	}
	u->name = dwarf_text(&root, dwarf_has(&root, AT_NAME) ? AT_NAME : AT_DWO_NAME);
	u->producer = dwarf_text(&root, AT_PRODUCER);
	u->language = dwarf_number(&root, AT_LANGUAGE);
	u->folder = dwarf_text(&root, AT_FOLDER);
	u->lines = dwarf_has(&root, AT_LINES) ? dwarf_number(&root, AT_LINES) : UINT64_MAX;
	if (dwarf_has(&root, AT_DWO_NAME))
		u->doubt = split;
}

/* The head behind the length of a unit; false if it is none that is known. */
static bool read_unit_head(struct dwarf_unit *u, struct cut c, bool is_types)
{
	unsigned kind = is_types ? UNIT_TYPE : UNIT_COMPILE, address;
	uint64_t at;

	u->lines = UINT64_MAX;
	u->version = (unsigned)cut_number(&c, 2);
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version == 5) {
		kind = (unsigned)cut_number(&c, 1);
		address = (unsigned)cut_number(&c, 1);
		at = cut_number(&c, u->wide);
	} else {
		at = cut_number(&c, u->wide);
		address = (unsigned)cut_number(&c, 1);
	}
	if (kind == UNIT_TYPE || kind == UNIT_SPLIT_TYPE) {
		u->signature = cut_number(&c, 8);
		u->type = cut_number(&c, u->wide);
	} else if (kind == UNIT_SKELETON || kind == UNIT_SPLIT) {
		cut_take(&c, 8);
	}
	u->first = (uint64_t)(c.at - u->data);
	u->texts = u->wide == 8 ? 16 : 8;
	u->addresses = 8;
	if (c.bad || address != 8 || kind < UNIT_COMPILE || kind > UNIT_SPLIT_TYPE || u->first >= u->end)
		return false;
	return take_abbreviations(u, at);
}

/* All units of a section; false if where one begins cannot be told. */
static bool read_units(struct dwarf *d, const struct dwarf_bytes *b, bool is_types)
{
	struct cut c = {b->data, b->data + b->size, false};

	while (c.at < c.end) {
		struct dwarf_unit u = {.all = d, .data = b->data, .at = (uint64_t)(c.at - b->data)};
		uint64_t size = cut_number(&c, 4);
		struct cut head;

		u.wide = size == 0xffffffff ? 8 : 4;
		if (u.wide == 8)
			size = cut_number(&c, 8);
		head = c;
		if (!cut_take(&c, size))
			return false;
		head.end = c.at;
		u.end = (uint64_t)(c.at - b->data);
		if (!read_unit_head(&u, head, is_types))
			u.doubt = damaged;
		d->unit = need_more(d->unit, d->n, sizeof(u));
		d->unit[d->n++] = u;
	}
	return true;
}

static struct dwarf_bytes bytes_in(const struct image *e, const char *name)
{
	struct dwarf_bytes b = {NULL, 0};
	size_t i = image_named(e, name);

	if (i < e->n_sections)
		b.data = image_bytes(e, i, &b.size);
	return b;
}

/* Compressed as ELF has it, or as GNU had it. */
static bool is_packed(const struct image *e)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const char *name = image_section_name(e, i);

		if (!strncmp(name, ".zdebug_", 8) ||
		    (!strncmp(name, ".debug_", 7) && e->section[i].sh_flags & SHF_COMPRESSED))
			return true;
	}
	return false;
}

enum dwarf_state dwarf_open(struct dwarf *d, const struct image *e)
{
	*d = (struct dwarf){.e = e,
			    .info = bytes_in(e, ".debug_info"),
			    .types = bytes_in(e, ".debug_types"),
			    .abbreviations = bytes_in(e, ".debug_abbrev"),
			    .texts = bytes_in(e, ".debug_str"),
			    .line_texts = bytes_in(e, ".debug_line_str"),
			    .text_offsets = bytes_in(e, ".debug_str_offsets"),
			    .addresses = bytes_in(e, ".debug_addr")};
	if (is_packed(e))
		return DWARF_PACKED;
	if (!d->info.size)
		return DWARF_NONE;
	d->left = 1000000 + 16 * ((uint64_t)d->info.size + d->types.size) + d->abbreviations.size;
	if (!read_units(d, &d->info, false) || !read_units(d, &d->types, true))
		return DWARF_DAMAGED;
	for (size_t i = 0; i < d->n; i++)
		if (!d->unit[i].doubt)
			read_root(&d->unit[i]);
	return DWARF_READ;
}

void dwarf_release(struct dwarf *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (!d->unit[i].shares)
			free(d->unit[i].abbreviation);
	dwarf_release_files(d);
	free(d->unit);
	*d = (struct dwarf){0};
}
