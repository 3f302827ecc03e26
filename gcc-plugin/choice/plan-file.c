/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "perseus/sites.h"
#include "perseus/triggers.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/choice/plan-file.h"
#include "gcc-plugin/base/text.h"

#define LINE_BYTES 8192
#define FIELDS     13

struct plan prs_plan;

struct reader {
	const char *path;
	FILE *file;
	unsigned line;
	unsigned items; /* lines between the header and `end` */
	char text[LINE_BYTES];
	char *field[FIELDS];
	unsigned n;
	uint64_t hash, before; /* of all lines read, and of those before the last one */
};

static bool plan_file_bad(const struct reader *r, const char *what)
{
	error("perseus: %qs line %u: %s; run %<perseus codegen%> again, the file is "
	      "not made to be edited",
	      r->path, r->line, what);
	return false;
}

/* Read a line and cut it at single blanks; false at the end or after error(). */
static bool next(struct reader *r)
{
	char *at = r->text;
	size_t n;

	r->line++;
	if (!fgets(r->text, sizeof(r->text), r->file))
		return plan_file_bad(r, "the file ends before its `end' line");
	n = strlen(r->text);
	r->before = r->hash;
	r->hash = prs_fnv64(r->hash, r->text, n);
	if (!n || r->text[n - 1] != '\n')
		return plan_file_bad(r, "line without newline, or longer than 8191 bytes");
	r->text[n - 1] = 0;
	for (r->n = 0; at; r->n++) {
		if (r->n == FIELDS)
			return plan_file_bad(r, "too many fields");
		r->field[r->n] = at;
		at = strchr(at, ' ');
		if (at)
			*at++ = 0;
		if (!*r->field[r->n])
			return plan_file_bad(r, "empty field: fields are separated by one blank");
	}
	return true;
}

static bool is_hex(const char *s, size_t digits)
{
	return strlen(s) == digits && strspn(s, "0123456789abcdef") == digits;
}

/* Decimal number of at least @digits digits, at most @max. */
static bool read_number(const char *s, size_t digits, unsigned max, unsigned *out)
{
	size_t n = strlen(s);

	if (n < digits || n > 7 || strspn(s, "0123456789") != n)
		return false;
	*out = (unsigned)strtoul(s, NULL, 10);
	return *out <= max;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

/* Undo %XX; NULL if a sign of percent stands alone. */
static char *undo_escapes(const char *s)
{
	char *out = xstrdup(s), *to = out;

	for (; *s; s++) {
		if (*s != '%') {
			*to++ = *s;
			continue;
		}
		if (hex_digit(s[1]) < 0 || hex_digit(s[2]) < 0)
			return NULL;
		*to++ = (char)(hex_digit(s[1]) << 4 | hex_digit(s[2]));
		s += 2;
	}
	*to = 0;
	return out;
}

/* SITE INSTANCE at field @i, UNIT FUNCTION CALLEE at field @names. */
static bool read_site(struct reader *r, struct plan_line *l, unsigned i, unsigned names)
{
	if (!is_hex(r->field[i], 16))
		return plan_file_bad(r, "SITE must be 16 lower case hex digits");
	if (strcmp(r->field[i + 1], "*") && !is_hex(r->field[i + 1], 8))
		return plan_file_bad(r, "INSTANCE must be 8 lower case hex digits or *");
	strcpy(l->site, r->field[i]);
	strcpy(l->instance, r->field[i + 1]);
	l->unit = undo_escapes(r->field[names]);
	l->function = undo_escapes(r->field[names + 1]);
	l->callee = undo_escapes(r->field[names + 2]);
	if (!read_number(r->field[names + 3], 1, 9999999, &l->line))
		return plan_file_bad(r, "LINE must be a number");
	if (!l->unit || !l->function || !l->callee)
		return plan_file_bad(r, "% must be followed by two hex digits");
	if (r->n == names + 4)
		return true;
	if (!read_number(r->field[names + 4], 1, 9999999, &l->equal_then) || !l->equal_then)
		return plan_file_bad(r, "EQUAL must be a number from 1");
	if (!is_hex(r->field[names + 5], 8))
		return plan_file_bad(r, "NEAR must be 8 lower case hex digits");
	l->near = (unsigned)strtoul(r->field[names + 5], NULL, 16);
	l->near_then = true;
	return true;
}

static bool in_order(const struct reader *r, const struct plan_line *l)
{
	struct plan_line *last = prs_plan.lines.length() ? &prs_plan.lines.last() : NULL;

	if (prs_plan.regions.length() || prs_plan.layouts.length())
		return plan_file_bad(r, "a `create' or `call' line after a `flush' or `layout' line");
	if (last && l->create && !last->create)
		return plan_file_bad(r, "a `create' line after a `call' line");
	if (last && last->create == l->create && last->number > l->number)
		return plan_file_bad(r, "lines are not sorted by number");
	return true;
}

static bool read_create(struct reader *r)
{
	struct plan_line l;

	memset(&l, 0, sizeof(l));
	l.create = true;
	if (r->n != 8 && r->n != 10)
		return plan_file_bad(
			r, "expected `create K SITE INSTANCE UNIT FUNCTION CALLEE LINE [EQUAL NEAR]'");
	if (!read_number(r->field[1], 1, 999999, &l.number))
		return plan_file_bad(r, "K must be a number up to 999999");
	strcpy(l.number_text, r->field[1]);
	if (!read_site(r, &l, 2, 4) || !in_order(r, &l))
		return false;
	prs_plan.lines.safe_push(l);
	return true;
}

static bool read_call(struct reader *r)
{
	struct plan_line l;

	memset(&l, 0, sizeof(l));
	if (r->n != 9 && r->n != 11)
		return plan_file_bad(
			r, "expected `call NNNN SITE INSTANCE SIDE UNIT FUNCTION CALLEE LINE [EQUAL NEAR]'");
	if (!read_number(r->field[1], 4, 9999999, &l.number))
		return plan_file_bad(r, "NNNN must be a number of at least four digits");
	strcpy(l.number_text, r->field[1]);
	l.after = !strcmp(r->field[4], "after");
	if (!l.after && strcmp(r->field[4], "before"))
		return plan_file_bad(r, "SIDE must be `before' or `after'");
	if (!read_site(r, &l, 2, 5) || !in_order(r, &l))
		return false;
	prs_plan.lines.safe_push(l);
	return true;
}

static bool read_flush(struct reader *r)
{
	struct plan_region region;
	unsigned number, line;

	memset(&region, 0, sizeof(region));
	if (prs_plan.layouts.length())
		return plan_file_bad(r, "a `flush' line after a `layout' line");
	if (r->n != 5)
		return plan_file_bad(r, "expected `flush K UNIT FUNCTION LINE'");
	if (!read_number(r->field[1], 1, 999999, &number) || !read_number(r->field[4], 1, 9999999, &line))
		return plan_file_bad(r, "K and LINE must be numbers");
	strcpy(region.number_text, r->field[1]);
	region.unit = undo_escapes(r->field[2]);
	region.function = undo_escapes(r->field[3]);
	if (!region.unit || !region.function)
		return plan_file_bad(r, "% must be followed by two hex digits");
	prs_plan.regions.safe_push(region);
	return true;
}

/* Decimal number of at most 15 digits. */
static bool read_bytes(const char *s, unsigned long *out)
{
	size_t n = strlen(s);

	if (!n || n > 15 || strspn(s, "0123456789") != n)
		return false;
	*out = strtoul(s, NULL, 10);
	return true;
}

/* FILE LINE ALIGN SIZE at field @i. */
static bool read_layout_place(struct reader *r, struct plan_layout *l, unsigned i)
{
	l->file = undo_escapes(r->field[i]);
	if (!l->file)
		return plan_file_bad(r, "% must be followed by two hex digits");
	if (!read_number(r->field[i + 1], 1, 9999999, &l->line) || !read_bytes(r->field[i + 3], &l->size))
		return plan_file_bad(r, "LINE and SIZE must be numbers");
	if (!read_bytes(r->field[i + 2], &l->align) || l->align < 2 || l->align > PRS_LAYOUT_ALIGN_MAX ||
	    (l->align & (l->align - 1)))
		return plan_file_bad(r, "ALIGN must be a power of two from 2 to 4096");
	return true;
}

static bool read_layout_field(struct reader *r, struct plan_layout *l)
{
	if (r->n < 11 || r->n > 13 || (r->n == 13 && strcmp(r->field[12], "accepted")))
		return plan_file_bad(r, "expected `layout field TYPE FIELD FILE LINE ALIGN SIZE OFFSET "
					"SIZE-THEN OFFSET-THEN [EVIDENCE [accepted]]'");
	l->type = undo_escapes(r->field[2]);
	l->name = undo_escapes(r->field[3]);
	if (!l->type || !l->name)
		return plan_file_bad(r, "% must be followed by two hex digits");
	if (!read_bytes(r->field[8], &l->offset) || !read_bytes(r->field[9], &l->size_then) ||
	    !read_bytes(r->field[10], &l->offset_then))
		return plan_file_bad(r, "OFFSET, SIZE-THEN and OFFSET-THEN must be numbers");
	l->evidence = r->n > 11 && strcmp(r->field[11], "-") ? undo_escapes(r->field[11]) : NULL;
	l->accepted = r->n > 12;
	return read_layout_place(r, l, 4);
}

static bool read_layout_variable(struct reader *r, struct plan_layout *l)
{
	if (r->n != 9 && r->n != 10)
		return plan_file_bad(
			r, "expected `layout variable NAME UNIT FILE LINE ALIGN SIZE SIZE-THEN [EVIDENCE]'");
	l->variable = true;
	l->name = undo_escapes(r->field[2]);
	l->unit = strcmp(r->field[3], "-") ? undo_escapes(r->field[3]) : NULL;
	if (!l->name || (!l->unit && strcmp(r->field[3], "-")))
		return plan_file_bad(r, "% must be followed by two hex digits");
	if (!read_bytes(r->field[8], &l->size_then))
		return plan_file_bad(r, "SIZE-THEN must be a number");
	l->evidence = r->n > 9 ? undo_escapes(r->field[9]) : NULL;
	return read_layout_place(r, l, 4);
}

/* The line as it stands in the file. */
static const char *joined(const struct reader *r)
{
	struct text all = {NULL, 0, 0};

	for (unsigned i = 0; i < r->n; i++)
		text_add(&all, "%s%s", i ? " " : "", r->field[i]);
	return all.s;
}

static bool read_layout(struct reader *r)
{
	struct plan_layout l;
	bool good;

	memset(&l, 0, sizeof(l));
	l.text = joined(r);
	if (r->n > 2 && !strcmp(r->field[1], "field"))
		good = read_layout_field(r, &l);
	else if (r->n > 2 && !strcmp(r->field[1], "variable"))
		good = read_layout_variable(r, &l);
	else
		good = plan_file_bad(r, "expected `layout field' or `layout variable'");
	if (good)
		prs_plan.layouts.safe_push(l);
	return good;
}

static bool read_end(struct reader *r)
{
	unsigned count;
	char hash[20];

	if (r->n != 3 || !read_number(r->field[1], 1, 9999999, &count))
		return plan_file_bad(r, "expected `end COUNT HASH'");
	if (count != r->items)
		return plan_file_bad(r,
				     "COUNT differs from the number of lines: the file was cut or changed");
	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)r->before);
	if (strcmp(hash, r->field[2]))
		return plan_file_bad(r, "HASH is not that of the lines above: the file was changed");
	if (getc(r->file) != EOF)
		return plan_file_bad(r, "text after the `end' line");
	return true;
}

static bool read_start(struct reader *r)
{
	if (r->n != 1 || prs_plan.start || prs_plan.lines.length() || prs_plan.regions.length() ||
	    prs_plan.layouts.length())
		return plan_file_bad(r, "`start' stands at most once, before all other lines");
	prs_plan.start = true;
	return true;
}

static bool read_items(struct reader *r)
{
	for (;;) {
		bool good;

		if (!next(r))
			return false;
		if (!strcmp(r->field[0], "end"))
			return read_end(r);
		if (!strcmp(r->field[0], "start"))
			good = read_start(r);
		else if (!strcmp(r->field[0], "create"))
			good = read_create(r);
		else if (!strcmp(r->field[0], "call"))
			good = read_call(r);
		else if (!strcmp(r->field[0], "flush"))
			good = read_flush(r);
		else if (!strcmp(r->field[0], "layout"))
			good = read_layout(r);
		else
			good = plan_file_bad(
				r, "expected `start', `create', `call', `flush', `layout' or `end'");
		if (!good)
			return false;
		r->items++;
	}
}

static bool plan_file_read_head(struct reader *r, const char *hash)
{
	if (!next(r))
		return false;
	if (r->n != 2 || strcmp(r->field[0], "perseus-triggers") || strcmp(r->field[1], "2"))
		return plan_file_bad(r, "expected `perseus-triggers 2'");
	if (!next(r))
		return false;
	if (r->n != 2 || strcmp(r->field[0], "plan") || !is_hex(r->field[1], 64))
		return plan_file_bad(r, "expected `plan' and 64 hex digits");
	r->items = 1;
	snprintf(prs_plan.hash, sizeof(prs_plan.hash), "%s", r->field[1]);
	if (hash && strcmp(hash, r->field[1])) {
		error("perseus: %qs was made from plan %s, %<plan-hash%> asks for %s; run "
		      "%<perseus "
		      "codegen%> again "
		      "and use the flags that it prints",
		      r->path, r->field[1], hash);
		return false;
	}
	return true;
}

bool plan_read(const char *path, const char *hash)
{
	static struct reader r;
	const char *why;
	bool good;

	r.path = path;
	r.hash = PRS_FNV_INIT;
	r.file = text_open(path, &why);
	if (!r.file) {
		error("perseus: cannot open plan %qs: %s; %<perseus codegen%> writes it", path, why);
		return false;
	}
	good = plan_file_read_head(&r, hash) && read_items(&r);
	fclose(r.file);
	return good;
}

struct plan_line *plan_find(const char *site, const char *instance, unsigned *at)
{
	for (; *at < prs_plan.lines.length(); ++*at) {
		struct plan_line *l = &prs_plan.lines[*at];

		if (strcmp(l->site, site))
			continue;
		if (*instance && strcmp(l->instance, "*") && strcmp(l->instance, instance))
			continue;
		++*at;
		return l;
	}
	return NULL;
}

static const char *kind_of(const struct plan_line *l)
{
	return l->create ? "create" : "trigger";
}

void plan_hold(const struct plan_line *l, const char *function, const char *callee, location_t at)
{
	if (!strcmp(l->function, function) && !strcmp(l->callee, callee))
		return;
	error_at(at,
		 "perseus: %s %s: site %s is the call of %qs in %qs, the plan has it as that of %qs in %qs",
		 kind_of(l), l->number_text, l->site, callee, function, l->callee, l->function);
	inform(at,
	       "id and names of a site come from the record together, so the plan was changed by hand: plan "
	       "again, or put back what it said");
}

static void check_line(const struct plan_line *l)
{
	const char *kind = kind_of(l);
	bool lto = flag_generate_lto && !flag_fat_lto_objects;

	if (strcmp(l->unit, name_of_unit()) || (lto ? l->seen : l->done))
		return;
	if (!l->seen)
		error_at(UNKNOWN_LOCATION,
			 "perseus: %s %s: %qs no longer calls %qs where the plan says "
			 "(site %s, planned for "
			 "%s)",
			 kind, l->number_text, l->function, l->callee, l->site, l->unit);
	else
		error_at(UNKNOWN_LOCATION,
			 "perseus: %s %s: the call of %qs in %qs has no instance %s any "
			 "more (site %s, "
			 "planned for %s): it was "
			 "inlined or optimised otherwise than in the recorded build",
			 kind, l->number_text, l->callee, l->function, l->instance, l->site, l->unit);
	inform(UNKNOWN_LOCATION, "the plan is of another source or other flags: record and plan again with "
				 "those of this build");
}

/* Did the lines of another site of the unit, of which there can be no doubt, move as far as those of @l? */
static bool moved_together(const struct plan_line *l)
{
	for (unsigned i = 0; i < prs_plan.lines.length(); i++) {
		const struct plan_line *o = &prs_plan.lines[i];

		if (o->found && o->equal == 1 && o->line && !strcmp(o->unit, l->unit) &&
		    o->found - o->line == l->found - l->line)
			return true;
	}
	return false;
}

static void say_which(const struct plan_line *l)
{
	const char *kind = kind_of(l);

	if (l->equal_then && l->equal_then != l->equal)
		error_at(l->at,
			 "perseus: %s %s: which of the %u calls of %qs in %qs is meant? The recorded one has "
			 "%u; by its "
			 "number it is that of line %u, the plan has it at line %u (site %s)",
			 kind, l->number_text, l->equal, l->callee, l->function, l->equal_then, l->found,
			 l->line, l->site);
	else if (l->is_other)
		error_at(l->at,
			 "perseus: %s %s: which of the %u calls of %qs in %qs is meant? By its number it is "
			 "that of "
			 "line %u, but another one has the arguments and neighbours that it had when it was "
			 "recorded (site %s)",
			 kind, l->number_text, l->equal, l->callee, l->function, l->found, l->site);
	else
		error_at(l->at,
			 "perseus: %s %s: which of the %u calls of %qs in %qs is meant? By its number it is "
			 "that of "
			 "line %u, the plan "
			 "has it at line %u (site %s)",
			 kind, l->number_text, l->equal, l->callee, l->function, l->found, l->line, l->site);
}

/* One of several equal calls is told by their count, by its line, and by what is beside it: do all mean the same? */
static void check_place(const struct plan_line *l)
{
	bool counts = l->equal_then && l->equal_then != l->equal;
	bool moved = l->line && l->equal > 1 && l->found != l->line && !moved_together(l);

	if (!l->found || (!counts && !moved && !l->is_other))
		return;
	say_which(l);
	if (l->namesake)
		inform(l->namesake_at, "another call of %qs is at line %u", l->callee, l->namesake);
	inform(l->at,
	       "the source changed since it was recorded: record and plan again, then the trigger stands "
	       "where the plan means it");
}

/* A plan is of no use if its region is gone. */
static void check_region(const struct plan_region *r)
{
	if (r->done || strcmp(r->unit, name_of_unit()))
		return;
	error_at(UNKNOWN_LOCATION,
		 "perseus: flush %s: no function %qs is compiled here any more (planned for %s)",
		 r->number_text, r->function, r->unit);
	inform(UNKNOWN_LOCATION,
	       "the plan is of another source: record and plan again with that of this build");
}

void plan_check_unit(void)
{
	if (in_lto_p)
		return;
	for (unsigned i = 0; i < prs_plan.lines.length(); i++)
		check_place(&prs_plan.lines[i]);
	for (unsigned i = 0; i < prs_plan.lines.length(); i++)
		check_line(&prs_plan.lines[i]);
	for (unsigned i = 0; i < prs_plan.regions.length(); i++)
		check_region(&prs_plan.regions[i]);
}
