/* SPDX-License-Identifier: MIT */
/*
 * The parser of .perseus.sites.  A contribution (U to Z) is read twice: first
 * its F and N lines, then those that refer to them by index.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/num.h"
#include "lib/vec.h"
#include "perseus/abi.h"
#include "perseus/sites.h"
#include "record/file/escape.h"
#include "record/file/sites.h"

#define UNKNOWN    "-"
#define TEXT_OF(n) #n
#define DIGITS(n)  TEXT_OF(n)
#define VERSION    DIGITS(PRS_SITES_VERSION)

struct parser {
	const char *name; /* of the table, for messages */
	struct err *err;
	struct VEC(char *) lines;
	size_t line;              /* number of the current line, from 1 */
	struct VEC(char *) field; /* of the current line */
	struct VEC(const char *) files;
	struct VEC(struct run_function) funcs; /* of this contribution, by index */
	struct sites_unit unit;
	struct VEC(struct sites_unit) units;
	struct VEC(struct run_variable) vars;
	struct VEC(struct run_type) types;
	struct VEC(struct run_skipped) skipped;
	struct VEC(struct run_unlinked) unlinked;
	struct VEC(struct run_function) functions;
};

static int bad(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int bad(struct parser *p, const char *fmt, ...)
{
	char what[240];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(p->err, -EINVAL, "%s: site table line %zu: %s", p->name, p->line, what);
}

/* Cut the text into lines.  The linker may pad between contributions with NULs. */
static int cut_lines(struct parser *p, char *text, size_t len)
{
	char *s = text, *end = text + len;

	while (s < end) {
		char *nl = memchr(s, '\n', (size_t)(end - s));

		while (s < end && !*s)
			s++;
		if (s == end)
			break;
		p->line = p->lines.n + 1;
		if (!nl)
			return bad(p, "the table ends in the middle of a line");
		*nl = '\0';
		if (s + strlen(s) != nl)
			return bad(p, "the line holds a NUL byte");
		vec_push(&p->lines, s);
		s = nl + 1;
	}
	return 0;
}

/* Split line @i into fields. */
static void split(struct parser *p, size_t i)
{
	char *s = p->lines.at[i], *tab;

	p->line = i + 1;
	p->field.n = 0;
	do {
		tab = strchr(s, '\t');
		if (tab)
			*tab = '\0';
		vec_push(&p->field, s);
		s = tab + 1;
	} while (tab);
}

/* Lines after the current one: what counts and indices are compared with before anything is allocated. */
static size_t lines_left(const struct parser *p)
{
	return p->lines.n - p->line;
}

static int need_fields(struct parser *p, size_t n)
{
	if (p->field.n < n)
		return bad(p, "a %s line has %zu fields, expected %zu", p->field.at[0], p->field.n, n);
	for (size_t i = 1; i < p->field.n; i++) {
		for (const char *s = p->field.at[i]; *s; s++)
			if (escape_is_control(*s))
				return bad(p, "field %zu holds a control character", i);
		if (escape_undo(p->field.at[i]))
			return bad(p, "field %zu holds a backslash that is not \\xNN", i);
	}
	return 0;
}

static int number(struct parser *p, size_t i, uint64_t max, uint64_t *out)
{
	*out = 0;
	if (!strcmp(p->field.at[i], UNKNOWN) || !num_u64(p->field.at[i], 0, max, out))
		return 0;
	return bad(p, "field %zu is '%.40s', expected a number up to %llu", i, p->field.at[i],
		   (unsigned long long)max);
}

static int number32(struct parser *p, size_t i, uint32_t *out)
{
	uint64_t n;
	int ret = number(p, i, UINT32_MAX, &n);

	*out = (uint32_t)n;
	return ret;
}

/* A file given by its F index; text that is no index stands for itself. */
static int file_at(struct parser *p, size_t i, const char **out)
{
	uint64_t n;

	*out = p->field.at[i];
	if (!strcmp(*out, UNKNOWN) || num_u64(*out, 0, UINT64_MAX, &n))
		return 0;
	if (n >= p->files.n || !p->files.at[n])
		return bad(p, "field %zu names file %s, which no F line has", i, *out);
	*out = p->files.at[n];
	return 0;
}

/* A function given by its N index, or by its assembler name. */
static int function_at(struct parser *p, size_t i, const char **name, const char **pretty)
{
	const char *s = p->field.at[i];
	uint64_t n;

	*name = *pretty = s;
	if (!strcmp(s, UNKNOWN) || num_u64(s, 0, UINT64_MAX, &n))
		return 0;
	if (n >= p->funcs.n || !p->funcs.at[n].name)
		return bad(p, "field %zu names function %s, which no N line has", i, s);
	*name = p->funcs.at[n].name;
	*pretty = p->funcs.at[n].pretty;
	return 0;
}

static int hex_field(struct parser *p, size_t i, int digits, uint64_t *value)
{
	if (!num_hex(p->field.at[i], digits, value))
		return 0;
	return bad(p, "field %zu is '%.40s', expected %d hex digits", i, p->field.at[i], digits);
}

/* Ids of C and M lines: local number, site id, instance; all have the same place. */
static int site_ids(struct parser *p, uint32_t count, uint32_t *local, char *id, char *instance)
{
	uint64_t v;

	if (number32(p, 1, local) || hex_field(p, 2, 16, &v) || hex_field(p, 3, 8, &v))
		return -EINVAL;
	if (*local >= count)
		return bad(p, "slot %u, but the unit has %u", *local, count);
	memcpy(id, p->field.at[2], 17);
	memcpy(instance, p->field.at[3], 9);
	return 0;
}

static int index_field(struct parser *p, size_t known, uint64_t *index)
{
	if (number(p, 1, UINT32_MAX, index))
		return -EINVAL;
	if (*index > known + lines_left(p))
		return bad(p, "index %llu is beyond what the table can hold", (unsigned long long)*index);
	return 0;
}

static int line_F(struct parser *p)
{
	uint64_t i;

	if (need_fields(p, 3) || index_field(p, p->files.n, &i))
		return -EINVAL;
	while (p->files.n <= i)
		vec_push(&p->files, (const char *)NULL);
	p->files.at[i] = p->field.at[2];
	return 0;
}

static int line_N(struct parser *p)
{
	struct run_function *f;
	uint64_t i;

	if (need_fields(p, 6) || index_field(p, p->funcs.n, &i))
		return -EINVAL;
	while (p->funcs.n <= i)
		vec_add(&p->funcs);
	f = &p->funcs.at[i];
	*f = (struct run_function){.name = p->field.at[2], .pretty = p->field.at[3]};
	if (!strcmp(f->pretty, UNKNOWN))
		f->pretty = f->name;
	return file_at(p, 4, &f->file) ? -EINVAL : number32(p, 5, &f->line);
}

/* What tells a call from equal ones; tables of older plugins have it not. */
static int near_at(struct parser *p, struct run_call_site *c)
{
	if (p->field.n < 14 || !strcmp(p->field.at[12], UNKNOWN))
		return 0;
	if (number32(p, 12, &c->equal))
		return -EINVAL;
	c->near = p->field.at[13];
	if (strlen(c->near) != 8 || strspn(c->near, "0123456789abcdef") != 8)
		return bad(p, "field 14 must be 8 hexadecimal digits");
	return 0;
}

static int line_C(struct parser *p)
{
	struct run_call_site c = {.unit = p->unit.source}, *to;
	uint32_t local;

	if (need_fields(p, 12) || site_ids(p, p->unit.n_calls, &local, c.id, c.instance) ||
	    function_at(p, 4, &c.function, &c.pretty) || file_at(p, 6, &c.file) || number32(p, 7, &c.line) ||
	    number32(p, 8, &c.column) || number32(p, 9, &c.ordinal))
		return -EINVAL;
	to = &p->unit.calls[local];
	if (to->unit)
		return bad(p, "call slot %u is described twice", local);
	c.callee = p->field.at[5];
	c.flags = p->field.at[10];
	c.chain = p->field.at[11];
	if (near_at(p, &c))
		return -EINVAL;
	c.alloc_type = to->alloc_type; /* an A line may come first */
	c.alloc_bytes = to->alloc_bytes;
	c.alloc_skip = to->alloc_skip;
	memcpy(c.object, to->object, sizeof(c.object)); /* and so may an O line */
	c.alloc_dims = to->alloc_dims ? to->alloc_dims : "";
	*to = c;
	return 0;
}

bool run_has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);

	for (const char *s = flags; *s; s += strcspn(s, ","), s += *s == ',')
		if (strcspn(s, ",") == len && !memcmp(s, flag, len))
			return true;
	return false;
}

bool run_site_is_frame(const struct run_call_site *site)
{
	return run_has_flag(site->flags, PRS_CF_FRAME);
}

static int access_kind(struct parser *p, size_t i, uint32_t *kind)
{
	const char *s = p->field.at[i];
	size_t at = *s && !s[1] ? strcspn(PRS_KIND_LETTERS, s) : PRS_KIND_N;

	if (at == PRS_KIND_N)
		return bad(p, "field %zu is '%.40s', expected L, S, R or A", i, s);
	*kind = (uint32_t)at;
	return 0;
}

/* The decimal number at *@s up to a character of @ends, behind which *@s then stands. */
static bool round_number(const char **s, const char *ends, uint32_t *out)
{
	char digits[11];
	size_t n = strspn(*s, "0123456789");
	uint64_t value;

	if (!n || n >= sizeof(digits) || !strchr(ends, (*s)[n]))
		return false;
	memcpy(digits, *s, n);
	digits[n] = 0;
	if (num_u64(digits, 0, UINT32_MAX, &value))
		return false;
	*out = (uint32_t)value;
	*s += n;
	*s += **s != 0;
	return true;
}

/* "LEAST-MOST/N" or "LEAST-MOST+/N". */
static int read_round(struct parser *p, const char *field, struct run_mem_site *m)
{
	const char *s = field;

	if (!strcmp(field, UNKNOWN))
		return 0;
	if (!round_number(&s, "-", &m->round_least) || !round_number(&s, "+/", &m->round_most))
		return bad(p, "a round is '%.40s', expected LEAST-MOST/N", field);
	m->round_open = s[-1] == '+';
	if (m->round_open && *s++ != '/')
		return bad(p, "a round is '%.40s', expected LEAST-MOST+/N", field);
	if (*s == 0 || strspn(s, "0123456789") != strlen(s) || !round_number(&s, "", &m->round_accesses) ||
	    m->round_least > m->round_most)
		return bad(p, "a round is '%.40s', expected LEAST-MOST/N with a number N", field);
	return 0;
}

static int line_M(struct parser *p)
{
	struct run_mem_site m = {.unit = p->unit.source};
	uint32_t local;

	if (need_fields(p, 15) || site_ids(p, p->unit.n_mems, &local, m.id, m.instance) ||
	    function_at(p, 4, &m.function, &m.pretty) || access_kind(p, 5, &m.kind) ||
	    number32(p, 6, &m.bytes) || file_at(p, 7, &m.file) || number32(p, 8, &m.line) ||
	    number32(p, 9, &m.column) || number(p, 13, UINT64_MAX, &m.offset))
		return -EINVAL;
	if (p->unit.mems[local].unit)
		return bad(p, "memory site %u is described twice", local);
	m.base = p->field.at[10];
	m.type = p->field.at[11];
	m.field = p->field.at[12];
	m.near = run_has_flag(p->field.at[14], "near");
	m.chain = p->field.n > 15 ? p->field.at[15] : UNKNOWN; /* not in every table */
	if (p->field.n > 16 && read_round(p, p->field.at[16], &m))
		return -EINVAL;
	p->unit.mems[local] = m;
	return 0;
}

static int line_A(struct parser *p)
{
	uint32_t local;

	if (need_fields(p, 4) || number32(p, 1, &local))
		return -EINVAL;
	if (local >= p->unit.n_calls)
		return bad(p, "slot %u, but the unit has %u", local, p->unit.n_calls);
	if (strcmp(p->field.at[2], UNKNOWN))
		p->unit.calls[local].alloc_type = p->field.at[2];
	p->unit.calls[local].alloc_dims = p->field.n > 4 && p->field.at[4][0] == '[' ? p->field.at[4] : "";
	/* "+8": of new[], which keeps the number of elements in front of them. */
	if (p->field.n > 4 && p->field.at[4][0] == '+')
		p->unit.calls[local].alloc_skip = strtoul(p->field.at[4] + 1, NULL, 10) & 0xff;
	return number(p, 3, UINT64_MAX, &p->unit.calls[local].alloc_bytes);
}

static int line_O(struct parser *p)
{
	struct run_object o, *to;
	uint32_t local, arg;

	if (need_fields(p, 7) || number32(p, 1, &local) || number32(p, 2, &arg) ||
	    number(p, 5, UINT64_MAX, &o.offset))
		return -EINVAL;
	if (local >= p->unit.n_calls || arg >= RUN_OBJECTS)
		return bad(p, "slot %u, argument %u, but the unit has %u", local, arg, p->unit.n_calls);
	if (!strcmp(p->field.at[5], UNKNOWN))
		o.offset = UINT64_MAX;
	to = &p->unit.calls[local].object[arg];
	o.type = p->field.at[3];
	o.field = p->field.at[4];
	o.member = p->field.at[6];
	o.arg = arg;
	*to = o;
	return 0;
}

static int line_G(struct parser *p)
{
	struct run_variable v = {0};

	if (need_fields(p, 6) || number(p, 3, UINT64_MAX, &v.bytes) || file_at(p, 4, &v.file) ||
	    number32(p, 5, &v.line))
		return -EINVAL;
	v.name = p->field.at[1];
	v.type = p->field.at[2];
	/* Not in every table. */
	v.dims = p->field.n > 6 && p->field.at[6][0] == '[' ? p->field.at[6] : "";
	v.function = p->field.n > 7 ? p->field.at[7] : NULL;
	if (v.function && !strcmp(v.function, "-"))
		v.function = "";
	vec_push(&p->vars, v);
	return 0;
}

/* `name:offset:bytes`; the name itself may hold colons. */
static int type_field(struct parser *p, char *text, struct run_field *f)
{
	char *bytes = strrchr(text, ':'), *offset = NULL;

	if (bytes) {
		*bytes++ = '\0';
		offset = strrchr(text, ':');
	}
	if (!offset)
		return bad(p, "'%.60s' is not field:offset:bytes", text);
	*offset++ = '\0';
	f->name = text;
	if (num_u64(offset, 0, UINT64_MAX, &f->offset) || num_u64(bytes, 0, UINT64_MAX, &f->bytes))
		return bad(p, "field '%.60s' has an offset or size that is no number", text);
	return 0;
}

/* Fields called by a keyword are none: they go behind the others. */
static void part_unnamed(struct run_type *t)
{
	struct run_field *all = mem_new(t->n_fields + 1, sizeof(*all));
	size_t n = 0;

	for (int unnamed = 0; unnamed < 2; unnamed++)
		for (size_t i = 0; i < t->n_fields; i++) {
			const char *name = t->fields[i].name;

			if ((!strcmp(name, "union") || !strcmp(name, "struct")) != unnamed)
				continue;
			all[n++] = t->fields[i];
			t->n_unnamed += (size_t)unnamed;
		}
	free(t->fields);
	t->fields = all;
	t->n_fields -= t->n_unnamed;
	t->unnamed = all + t->n_fields;
}

static int line_T(struct parser *p)
{
	struct run_type t = {0};
	int ret;

	if (need_fields(p, 3) || number(p, 2, UINT64_MAX, &t.bytes))
		return -EINVAL;
	t.name = p->field.at[1];
	t.n_fields = p->field.n - 3;
	t.fields = mem_new(t.n_fields + 1, sizeof(*t.fields));
	for (size_t i = 0; i < t.n_fields; i++) {
		ret = type_field(p, p->field.at[3 + i], &t.fields[i]);
		if (ret) {
			free(t.fields);
			return ret;
		}
		if (*t.fields[i].name || i + 1 != t.n_fields)
			continue;
		t.fixed = t.fields[i].bytes;
		t.n_fields--;
	}
	part_unnamed(&t);
	vec_push(&p->types, t);
	return 0;
}

/* `field:offset:bytes:align:type`; the type itself may hold colons. */
static int type_part(struct parser *p, char *text, struct run_part *part)
{
	char *at[5] = {text};
	uint64_t align;

	for (int i = 1; i < 5; i++) {
		at[i] = strchr(at[i - 1], ':');
		if (!at[i])
			return bad(p, "'%.60s' is not field:offset:bytes:align:type", text);
		*at[i]++ = '\0';
	}
	part->name = strcmp(at[0], "-") ? at[0] : "";
	part->type = at[4];
	if (num_u64(at[1], 0, UINT64_MAX, &part->offset) || num_u64(at[2], 0, UINT64_MAX, &part->bytes) ||
	    num_u64(at[3], 0, 1u << 28, &align) || (align & (align - 1)))
		return bad(p, "member '%.60s' has a place, size or alignment that is none", text);
	part->align = (uint32_t)align;
	return 0;
}

/* It belongs to the T line in front of it. */
static int line_P(struct parser *p)
{
	struct run_type *t = p->types.n ? &p->types.at[p->types.n - 1] : NULL;
	uint64_t align;

	if (need_fields(p, 3) || number(p, 2, 1u << 28, &align))
		return -EINVAL;
	if (!t || strcmp(t->name, p->field.at[1]) || t->parts)
		return bad(p, "members of '%.60s' without a T line in front", p->field.at[1]);
	t->align = (uint32_t)align;
	t->parts = mem_new(p->field.n - 2, sizeof(*t->parts));
	for (size_t i = 3; i < p->field.n; i++)
		if (type_part(p, p->field.at[i], &t->parts[t->n_parts++]))
			return -EINVAL;
	return 0;
}

static int line_S(struct parser *p)
{
	struct run_skipped s = {.unit = p->unit.source, .site = UNKNOWN};
	const char *asm_name;
	uint64_t id;

	if (need_fields(p, 7) || function_at(p, 3, &asm_name, &s.function) || file_at(p, 5, &s.file) ||
	    number32(p, 6, &s.line))
		return -EINVAL;
	s.kind = p->field.at[1];
	s.reason = p->field.at[2];
	s.callee = p->field.at[4];
	if (p->field.n > 7 && strcmp(p->field.at[7], UNKNOWN)) {
		if (hex_field(p, 7, 16, &id))
			return -EINVAL;
		s.site = p->field.at[7];
	}
	vec_push(&p->skipped, s);
	return 0;
}

static int line_L(struct parser *p)
{
	struct run_unlinked u = {0};

	if (need_fields(p, 3) || number(p, 1, UINT32_MAX, &u.calls))
		return -EINVAL;
	u.source = p->field.at[2];
	vec_push(&p->unlinked, u);
	return 0;
}

/* A count of the U line: no more than there can be lines for. */
static int unit_count(struct parser *p, size_t i, uint32_t *out)
{
	if (number32(p, i, out))
		return -EINVAL;
	if (*out > lines_left(p))
		return bad(p, "%u sites are announced, but the table ends too early for that", *out);
	return 0;
}

static int line_U(struct parser *p)
{
	struct sites_unit *u = &p->unit;

	if (need_fields(p, 8))
		return -EINVAL;
	if (strcmp(p->field.at[1], VERSION))
		return bad(p, "the table is of version %.20s, this reader knows %s", p->field.at[1], VERSION);
	if (hex_field(p, 2, 16, &u->unit_id) || unit_count(p, 3, &u->n_calls) || unit_count(p, 4, &u->n_mems))
		return -EINVAL;
	u->producer = p->field.at[5];
	u->source = p->field.at[6];
	u->flags = p->field.at[7];
	u->language = p->field.n > 8 ? p->field.at[8] : "-";
	u->calls = mem_new((size_t)u->n_calls + 1, sizeof(*u->calls));
	u->mems = mem_new((size_t)u->n_mems + 1, sizeof(*u->mems));
	p->files.n = p->funcs.n = 0;
	return 0;
}

static int line_Z(struct parser *p)
{
	uint64_t id;

	if (need_fields(p, 2) || hex_field(p, 1, 16, &id))
		return -EINVAL;
	if (id != p->unit.unit_id)
		return bad(p, "unit %s is closed, but %016llx is open", p->field.at[1],
			   (unsigned long long)p->unit.unit_id);
	for (uint32_t i = 0; i < p->unit.n_calls; i++)
		if (!p->unit.calls[i].unit)
			return bad(p, "call slot %u of '%s' has no C line", i, p->unit.source);
	for (uint32_t i = 0; i < p->unit.n_mems; i++)
		if (!p->unit.mems[i].unit)
			return bad(p, "memory site %u of '%s' has no M line", i, p->unit.source);
	return 0;
}

static int reads_facts(struct parser *p)
{
	switch (p->field.at[0][0]) {
	case 'C':
		return line_C(p);
	case 'M':
		return line_M(p);
	case 'A':
		return line_A(p);
	case 'O':
		return line_O(p);
	case 'G':
		return line_G(p);
	case 'T':
		return line_T(p);
	case 'P':
		return line_P(p);
	case 'S':
		return line_S(p);
	default:
		return 0;
	}
}

/* Handle the lines [from, to) whose one-letter kind is in @kinds. */
static int pass(struct parser *p, size_t from, size_t to, const char *kinds, int (*handle)(struct parser *))
{
	for (size_t i = from; i < to; i++) {
		const char *s = p->lines.at[i];

		if (!strchr(kinds, s[0]) || (s[1] != '\t' && s[1]))
			continue;
		split(p, i);
		if (handle(p))
			return -EINVAL;
	}
	return 0;
}

static void close_unit(struct parser *p)
{
	for (size_t i = 0; i < p->funcs.n; i++)
		if (p->funcs.at[i].name)
			vec_push(&p->functions, p->funcs.at[i]);
	vec_push(&p->units, p->unit);
	p->unit = (struct sites_unit){0};
}

/* The line that starts with @kind at or after @from; the number of lines if none. */
static size_t find_line(const struct parser *p, size_t from, char kind)
{
	while (from < p->lines.n && (p->lines.at[from][0] != kind || p->lines.at[from][1] != '\t'))
		from++;
	return from;
}

/* One contribution: its U line is line @from; @next is the line after Z. */
static int contribution(struct parser *p, size_t from, size_t *next)
{
	size_t z = find_line(p, from + 1, 'Z');

	*next = z + 1;
	split(p, from);
	if (line_U(p))
		return -EINVAL;
	if (z == p->lines.n || find_line(p, from + 1, 'U') < z)
		return bad(p, "unit %016llx is not closed by a Z line", (unsigned long long)p->unit.unit_id);
	if (pass(p, from, z, "F", line_F) || pass(p, from, z, "N", line_N) ||
	    pass(p, from, z, "CMAOGTPS", reads_facts))
		return -EINVAL;
	split(p, z);
	if (line_Z(p))
		return -EINVAL;
	close_unit(p);
	return 0;
}

static int by_function(const void *a, const void *b)
{
	const struct run_function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->line == 0) - (y->line == 0);
}

static int by_type(const void *a, const void *b)
{
	const struct run_type *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	/* Of two layouts under one name the one that says more comes first. */
	return order ? order : (x->n_fields < y->n_fields) - (x->n_fields > y->n_fields);
}

static void free_type(struct run_type *t)
{
	free(t->fields);
	free(t->parts);
}

/* Sort by name; keep the first of each name. */
static void unique_names(struct parser *p)
{
	size_t n = 0;

	if (p->functions.n)
		qsort(p->functions.at, p->functions.n, sizeof(*p->functions.at), by_function);
	for (size_t i = 0; i < p->functions.n; i++)
		if (!n || strcmp(p->functions.at[n - 1].name, p->functions.at[i].name))
			p->functions.at[n++] = p->functions.at[i];
	p->functions.n = n;
	if (p->types.n)
		qsort(p->types.at, p->types.n, sizeof(*p->types.at), by_type);
	n = 0;
	for (size_t i = 0; i < p->types.n; i++)
		if (!n || strcmp(p->types.at[n - 1].name, p->types.at[i].name))
			p->types.at[n++] = p->types.at[i];
		else
			free_type(&p->types.at[i]);
	p->types.n = n;
}

static void hand_over(struct parser *p, struct sites *s)
{
	unique_names(p);
	s->units = p->units.at;
	s->n_units = p->units.n;
	s->vars = p->vars.at;
	s->n_vars = p->vars.n;
	s->types = p->types.at;
	s->n_types = p->types.n;
	s->skipped = p->skipped.at;
	s->n_skipped = p->skipped.n;
	s->unlinked = p->unlinked.at;
	s->n_unlinked = p->unlinked.n;
	s->functions = p->functions.at;
	s->n_functions = p->functions.n;
}

int sites_parse(struct sites *s, const char *text, size_t len, const char *name, struct err *err)
{
	struct parser p = {.name = name, .err = err};
	int ret;

	*s = (struct sites){.text = mem_strndup(text, len), .text_len = len};
	ret = cut_lines(&p, s->text, len);
	for (size_t i = 0; !ret && i < p.lines.n;) {
		size_t u = find_line(&p, i, 'U');

		ret = pass(&p, i, u, "L", line_L);
		i = u;
		if (!ret && i < p.lines.n)
			ret = contribution(&p, i, &i);
	}
	hand_over(&p, s);
	free(p.unit.calls);
	free(p.unit.mems);
	vec_release(&p.lines);
	vec_release(&p.field);
	vec_release(&p.files);
	vec_release(&p.funcs);
	if (ret)
		sites_release(s);
	return ret;
}

void sites_release(struct sites *s)
{
	for (size_t i = 0; i < s->n_units; i++) {
		free(s->units[i].calls);
		free(s->units[i].mems);
	}
	for (size_t i = 0; i < s->n_types; i++)
		free_type(&s->types[i]);
	free(s->units);
	free(s->vars);
	free(s->types);
	free(s->skipped);
	free(s->unlinked);
	free(s->functions);
	free(s->text);
	*s = (struct sites){0};
}
