/* SPDX-License-Identifier: MIT */
#include "verify/elf/lines.h"

#include <stdlib.h>
#include <string.h>

#include "verify/elf/cut.h"

#define FORMS_MAX 16 /* columns of a table of files; compilers write three */

enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC = 9 };
enum { END_SEQUENCE = 1, SET_ADDRESS };
enum { CONTENT_PATH = 1, CONTENT_FOLDER };
enum {
	FORM_BLOCK2 = 3,
	FORM_BLOCK4,
	FORM_DATA2,
	FORM_DATA4,
	FORM_DATA8,
	FORM_STRING,
	FORM_BLOCK,
	FORM_BLOCK1
};
enum { FORM_DATA1 = 0x0b, FORM_STRP = 0x0e, FORM_UDATA = 0x0f, FORM_DATA16 = 0x1e, FORM_LINE_STRP = 0x1f };

/* What one program says of a query. */
struct hit {
	bool met, doubtful;
	uint64_t file, line;
};

struct lines {
	const struct image *e;
	struct line_query **query; /* ascending address */
	struct hit *hit;           /* by query */
	size_t n;
};

/* One program, and the row that it has come to. */
struct unit {
	struct lines *all;
	uint64_t begin; /* where the program begins in its section */
	struct cut code, tables;
	const uint8_t *lengths; /* of opcodes, from 1 on */
	unsigned version, wide; /* bytes of an offset */
	uint8_t least, base, range;
	int8_t first;
	uint64_t address, file, line;
	bool open;                           /* there is a row, */
	uint64_t row_at, row_file, row_line; /* which is this one */
};

static const char *text_in(const struct image *e, const char *section, uint64_t at)
{
	size_t i = image_named(e, section), size = 0;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;

	if (!data || at >= size || e->section[i].sh_flags & SHF_COMPRESSED ||
	    !memchr(data + at, 0, size - at))
		return NULL;
	return (const char *)data + at;
}

/* What a column of a table says. */
struct column {
	const char *name; /* NULL: it is no text */
	uint64_t number;
};

/* A value of @form.  False for a form that is not known. */
static bool value(const struct unit *u, struct cut *c, uint64_t form, struct column *v)
{
	*v = (struct column){NULL, 0};
	switch (form) {
	case FORM_STRING:
		v->name = cut_text(c);
		return true;
	case FORM_STRP:
		v->name = text_in(u->all->e, ".debug_str", cut_number(c, u->wide));
		return true;
	case FORM_LINE_STRP:
		v->name = text_in(u->all->e, ".debug_line_str", cut_number(c, u->wide));
		return true;
	case FORM_UDATA:
		v->number = cut_leb(c, false);
		return true;
	case FORM_BLOCK:
		cut_take(c, cut_leb(c, false));
		return true;
	case FORM_BLOCK1:
	case FORM_BLOCK2:
	case FORM_BLOCK4:
		cut_take(c, cut_number(c, form == FORM_BLOCK1 ? 1 : form == FORM_BLOCK2 ? 2 : 4));
		return true;
	case FORM_DATA1:
	case FORM_DATA2:
	case FORM_DATA4:
	case FORM_DATA8:
		v->number = cut_number(c, form == FORM_DATA1   ? 1
					  : form == FORM_DATA2 ? 2
					  : form == FORM_DATA4 ? 4
							       : 8);
		return true;
	case FORM_DATA16:
		cut_take(c, 16);
		return true;
	default:
		return false;
	}
}

/*
 * Row @want of a table of version 5; its name is NULL if there is none.  The cut ends behind the
 * table if it is UINT64_MAX.
 */
static struct column entry(const struct unit *u, struct cut *c, uint64_t want)
{
	uint64_t kind[FORMS_MAX], form[FORMS_MAX], columns = cut_number(c, 1), rows;
	const struct column none = {NULL, 0};

	if (columns > FORMS_MAX) {
		c->bad = true;
		return none;
	}
	for (uint64_t i = 0; i < columns; i++) {
		kind[i] = cut_leb(c, false);
		form[i] = cut_leb(c, false);
	}
	rows = cut_leb(c, false);
	for (uint64_t row = 0; columns && row < rows && !c->bad; row++) {
		struct column found = none, v;

		for (uint64_t i = 0; i < columns; i++) {
			if (!value(u, c, form[i], &v))
				c->bad = true;
			found.name = kind[i] == CONTENT_PATH ? v.name : found.name;
			found.number = kind[i] == CONTENT_FOLDER ? v.number : found.number;
		}
		if (row == want)
			return c->bad ? none : found;
	}
	return none;
}

/* Name @want, from 1 on, of the folders of versions 2 to 4, which end with an empty one; 0: none, *c behind all. */
static const char *old_folder(struct cut *c, uint64_t want)
{
	for (uint64_t row = 1; cut_take(c, 1) && c->at[-1]; row++) {
		const char *name;

		c->at--;
		name = cut_text(c);
		if (row == want)
			return name;
	}
	return NULL;
}

/* The same of files. */
static struct column old_entry(struct cut *c, uint64_t want)
{
	old_folder(c, 0);
	for (uint64_t row = 1; !c->bad; row++) {
		struct column found = {cut_text(c), 0};

		if (!found.name || !*found.name)
			break;
		found.number = cut_leb(c, false);
		cut_leb(c, false);
		cut_leb(c, false);
		if (row == want)
			return found;
	}
	return (struct column){NULL, 0};
}

/* File @i, and the number of its folder. */
static struct column file_entry(const struct unit *u, uint64_t i)
{
	struct cut c = u->tables;

	if (u->version < 5)
		return old_entry(&c, i);
	entry(u, &c, UINT64_MAX);
	return entry(u, &c, i);
}

static const char *folder_name(const struct unit *u, uint64_t i)
{
	struct cut c = u->tables;

	if (u->version < 5)
		return i ? old_folder(&c, i) : NULL;
	return entry(u, &c, i).name;
}

/* The last part of the name of file @i. */
static const char *file_name(const struct unit *u, uint64_t i)
{
	const char *name = file_entry(u, i).name;

	return name && strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
}

static void lines_meet(const struct unit *u, struct hit *h)
{
	h->doubtful |= h->met && (h->file != u->row_file || h->line != u->row_line);
	h->met = true;
	h->file = u->row_file;
	h->line = u->row_line;
}

/* The row that is open holds up to @end. */
static void row_ends(const struct unit *u, uint64_t end)
{
	size_t low = 0, high = u->all->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (u->all->query[mid]->address < u->row_at)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < u->all->n && u->all->query[low]->address < end; low++)
		lines_meet(u, &u->all->hit[low]);
}

static void row(struct unit *u)
{
	if (u->open)
		row_ends(u, u->address);
	u->open = true;
	u->row_at = u->address;
	u->row_file = u->file;
	u->row_line = u->line;
}

static void lines_begin(struct unit *u)
{
	u->open = false;
	u->address = 0;
	u->file = u->line = 1;
}

static void extended(struct unit *u)
{
	uint64_t n = cut_leb(&u->code, false);
	const uint8_t *p = cut_take(&u->code, n);
	struct cut c = {p, p + n, false};

	if (!p || !n)
		return;
	switch (cut_number(&c, 1)) {
	case END_SEQUENCE:
		row(u);
		lines_begin(u);
		break;
	case SET_ADDRESS:
		u->address = cut_number(&c, n - 1 == 8 ? 8 : 4);
		break;
	default:
		break;
	}
}

static void standard(struct unit *u, uint8_t opcode)
{
	switch (opcode) {
	case COPY:
		row(u);
		break;
	case ADVANCE_PC:
		u->address += cut_leb(&u->code, false) * u->least;
		break;
	case ADVANCE_LINE:
		u->line += cut_leb(&u->code, true);
		break;
	case SET_FILE:
		u->file = cut_leb(&u->code, false);
		break;
	case CONST_ADD_PC:
		u->address += (uint64_t)((255 - u->base) / u->range) * u->least;
		break;
	case FIXED_ADVANCE_PC:
		u->address += cut_number(&u->code, 2);
		break;
	default:
		for (uint8_t i = 0; i < u->lengths[opcode - 1]; i++)
			cut_leb(&u->code, false);
		break;
	}
}

/* A program has ended: what it says is an answer, unless another one said otherwise. */
static void answer(const struct unit *u)
{
	for (size_t i = 0; i < u->all->n; i++) {
		struct line_query *q = u->all->query[i];
		struct hit *h = &u->all->hit[i];
		const char *file = h->met ? file_name(u, h->file) : NULL;
		uint32_t line = h->line <= UINT32_MAX ? (uint32_t)h->line : 0;

		if (!h->met)
			continue;
		q->doubtful |= h->doubtful ||
			       (q->line && (q->line != line || !file || !q->file || strcmp(q->file, file)));
		q->file = file;
		q->program = u->begin;
		q->line = line;
		*h = (struct hit){0};
	}
}

static void lines_run(struct unit *u)
{
	lines_begin(u);
	while (u->code.at < u->code.end && !u->code.bad) {
		uint8_t opcode = *u->code.at++;

		if (opcode >= u->base) {
			unsigned k = (unsigned)opcode - u->base;

			u->address += (uint64_t)(k / u->range) * u->least;
			u->line += (uint64_t)(int64_t)(u->first + (int)(k % u->range));
			row(u);
		} else if (opcode) {
			standard(u, opcode);
		} else {
			extended(u);
		}
	}
	answer(u);
}

/* The head of a program, whose bytes are @c from behind its length on; false if it cannot be run. */
static bool read_head(struct unit *u, struct cut c)
{
	uint64_t size;
	unsigned most = 1;

	u->version = (unsigned)cut_number(&c, 2);
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version >= 5)
		cut_take(&c, 2); /* sizes of addresses and of segments */
	size = cut_number(&c, u->wide);
	u->code = c;
	if (!cut_take(&u->code, size))
		return false;
	c.end = u->code.at;
	u->least = (uint8_t)cut_number(&c, 1);
	if (u->version >= 4)
		most = (unsigned)cut_number(&c, 1);
	cut_take(&c, 1); /* what is a statement */
	u->first = (int8_t)cut_number(&c, 1);
	u->range = (uint8_t)cut_number(&c, 1);
	u->base = (uint8_t)cut_number(&c, 1);
	u->lengths = u->base ? cut_take(&c, (uint64_t)u->base - 1) : NULL;
	u->tables = c;
	return !c.bad && u->lengths && u->range && most == 1;
}

/* The bytes of the next program, behind its length. */
static struct cut next_program(struct cut *c, unsigned *wide)
{
	uint64_t size = cut_number(c, 4);
	const uint8_t *p;

	*wide = size == 0xffffffff ? 8 : 4;
	if (*wide == 8)
		size = cut_number(c, 8);
	p = cut_take(c, size);
	return p ? (struct cut){p, p + size, false} : (struct cut){NULL, NULL, true};
}

static int lines_by_address(const void *a, const void *b)
{
	const struct line_query *x = *(struct line_query *const *)a, *y = *(struct line_query *const *)b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void read_units(struct lines *all, struct cut c)
{
	const uint8_t *first = c.at;

	while (c.at < c.end && !c.bad) {
		struct unit u = {.all = all, .begin = (uint64_t)(c.at - first)};
		struct cut program = next_program(&c, &u.wide);

		if (!program.bad && read_head(&u, program))
			lines_run(&u);
	}
}

bool lines_file(const struct image *e, uint64_t at, uint64_t i, struct line_file *f)
{
	size_t section = image_named(e, ".debug_line"), size = 0;
	const uint8_t *data = section < e->n_sections ? image_bytes(e, section, &size) : NULL;
	struct lines all = {.e = e};
	struct unit u = {.all = &all};
	struct cut c = {data, data + size, false}, program;
	struct column file;

	if (!data || at >= size)
		return false;
	c.at += at;
	program = next_program(&c, &u.wide);
	if (program.bad || !read_head(&u, program))
		return false;
	file = file_entry(&u, i);
	*f = (struct line_file){.name = file.name,
				.folder = file.number ? folder_name(&u, file.number) : NULL,
				.root = u.version >= 5 ? folder_name(&u, 0) : NULL};
	return file.name && (!file.number || f->folder);
}

enum lines_state lines_find(const struct image *e, struct line_query *const *query, size_t n)
{
	struct lines all = {.e = e,
			    .query = need(n + 1, sizeof(*all.query)),
			    .hit = need(n + 1, sizeof(*all.hit)),
			    .n = n};
	size_t i = image_named(e, ".debug_line"), size = 0;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	enum lines_state state = LINES_NONE;

	for (size_t k = 0; k < n; k++)
		all.query[k] = query[k];
	if (n)
		qsort(all.query, n, sizeof(*all.query), lines_by_address);
	if (image_named(e, ".zdebug_line") < e->n_sections ||
	    (data && e->section[i].sh_flags & SHF_COMPRESSED)) {
		state = LINES_PACKED;
	} else if (data && n) {
		state = LINES_READ;
		read_units(&all, (struct cut){data, data + size, false});
	}
	free(all.query);
	free(all.hit);
	return state;
}
