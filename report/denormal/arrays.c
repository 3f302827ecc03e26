/* SPDX-License-Identifier: MIT */
/* Arrays: what they are called, and what they are to the denormals. */
#include <stdio.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/search.h"
#include "report/denormal/parts.h"

#define RATIO  10 /* of loads and stores, from which on an array is a source or a sink */
#define MAKERS 3  /* functions of the calls that led to an allocation */

const char *denormal_part_name(enum denormal_part part)
{
	static const char *const names[DENORMAL_PARTS] = {"source",     "passes on", "sink",
							  "brought in", "copied in", "not known"};

	return names[part];
}

static enum denormal_part part_of(const struct denormal_object *o)
{
	uint64_t loads = o->loads + o->out, stores = o->stores + o->in;

	if (!stores)
		return DENORMAL_BROUGHT;
	if (!o->stores)
		return DENORMAL_MOVED;
	if (loads / RATIO >= stores)
		return DENORMAL_SOURCE;
	return stores / RATIO >= loads ? DENORMAL_SINK : DENORMAL_PASSES;
}

/* The rows of object @o, which stand side by side. */
static const struct denormal_row *rows_of(const struct denormal *d, size_t o, size_t *n)
{
	size_t lo, end;

	lo = search_first(d->rows.n, i, d->rows.at[i].object < o);
	for (end = lo; end < d->rows.n && d->rows.at[end].object == o; end++)
		;
	*n = end - lo;
	return d->rows.at + lo;
}

/* How many denormals went by the name of rows[@i], 0 if it has none. */
static uint64_t went_by(const struct denormal *d, const struct denormal_row *rows, size_t n, size_t i)
{
	const char *name = d->sites.at[rows[i].site].name;
	uint64_t sum = 0;

	for (size_t k = 0; *name && k < n; k++)
		if (!strcmp(d->sites.at[rows[k].site].name, name))
			sum += rows[k].count;
	return sum;
}

/* What the operations on object @o call it: the name that most denormals went by. */
static const char *called(const struct denormal *d, size_t o)
{
	size_t n;
	const struct denormal_row *rows = rows_of(d, o, &n);
	const char *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t sum = went_by(d, rows, n, i);

		if (sum > most) {
			most = sum;
			best = d->sites.at[rows[i].site].name;
		}
	}
	return best;
}

/* Another name than @name by which operations call object @o, the first of the alphabet; NULL: there is none. */
static const char *called_too(const struct denormal *d, size_t o, const char *name)
{
	size_t n;
	const struct denormal_row *rows = rows_of(d, o, &n);
	const char *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *other = d->sites.at[rows[i].site].name;

		if (*other && strcmp(other, name) != 0 && (!first || strcmp(other, first) < 0))
			first = other;
	}
	return first;
}

/*
 * How many loads and stores of each site lie in no array: GCC kept the variable in a register, so that it had no
 * place when they were counted.
 */
static uint64_t *without_place(const struct denormal *d)
{
	uint64_t *n = mem_new(d->sites.n + 1, sizeof(*n));

	for (size_t i = 0; i < d->sites.n; i++)
		n[i] = d->sites.at[i].kind <= PRS_DEN_STORE ? d->sites.at[i].results : 0;
	for (size_t i = 0; i < d->rows.n; i++) {
		size_t site = d->rows.at[i].site;

		n[site] -= d->rows.at[i].count < n[site] ? d->rows.at[i].count : n[site];
	}
	return n;
}

/* May operations on @site, which have no place, be on an array that is called @name: by a pointer, or by that name? */
static bool may_be_on(const struct denormal_site *site, const char *name)
{
	return strpbrk(site->name, "[>*") || (name && !strcmp(site->name, name));
}

/* Would object @o be something else if those without a place that may be on it were its own? */
static bool may_differ(const struct denormal *d, size_t o, const uint64_t *unplaced)
{
	struct denormal_object more = d->objects.at[o];
	const char *name = called(d, o);

	for (size_t i = 0; i < d->sites.n; i++)
		if (unplaced[i] && may_be_on(&d->sites.at[i], name))
			*(d->sites.at[i].kind == PRS_DEN_LOAD ? &more.loads : &more.stores) += unplaced[i];
	return part_of(&more) != part_of(&d->objects.at[o]);
}

static void put_name(struct strbuf *sb, const char *assembler)
{
	char *people = demangle_short(assembler);

	strbuf_puts(sb, people ? people : assembler);
	free(people);
}

static char *name_of(const struct denormal_run *run, size_t o)
{
	const struct denormal_object *object = &run->counts.objects.at[o];
	const char *name = called(&run->counts, o), *other = name ? called_too(&run->counts, o, name) : NULL;
	struct strbuf sb = STRBUF_INIT;
	const struct run_symbol *s = NULL;

	if (object->raw.where == PRS_DEN_STATIC)
		s = denormal_symbol(run, object->file, object->raw.start, NULL);
	if (s)
		put_name(&sb, s->name);
	else if (object->raw.where == PRS_DEN_STACK && other)
		strbuf_printf(&sb, "the stack, with %s, %s, ...", name, other);
	else if (object->raw.where == PRS_DEN_STACK)
		strbuf_puts(&sb, name ? name : "the stack");
	else if (object->raw.where == PRS_DEN_ELSEWHERE && other)
		/* Of small blocks, perhaps of several owners, or of memory that nobody saw being allocated. */
		strbuf_printf(&sb, "a page with %s, %s, ...", name, other);
	else
		strbuf_puts(&sb, name ? name : "an array");
	return strbuf_detach(&sb);
}

/* The functions whose calls led to the allocation. */
static char *made_by(const struct denormal_run *run, const struct denormal_object *o)
{
	struct strbuf sb = STRBUF_INIT;
	int n = 0;

	for (size_t i = 0; i < sizeof(o->raw.caller) / sizeof(o->raw.caller[0]) && o->raw.caller[i]; i++) {
		/* Of a return address the call stands before it. */
		const struct run_symbol *s = denormal_symbol(run, o->file, o->raw.caller[i] - 1, NULL);

		if (!s || n == MAKERS)
			break;
		strbuf_puts(&sb, n++ ? ", " : "");
		put_name(&sb, s->name);
		strbuf_puts(&sb, "()");
		if (!strcmp(s->name, "main"))
			break;
	}
	return sb.len ? strbuf_detach(&sb) : NULL;
}

static int by_traffic(const void *a, const void *b)
{
	const struct denormal_array *x = a, *y = b;
	uint64_t nx = x->loads + x->stores + x->in + x->out, ny = y->loads + y->stores + y->in + y->out;

	if (nx != ny)
		return nx > ny ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

static int by_unplaced(const void *a, const void *b)
{
	const struct denormal_line *x = a, *y = b;
	uint64_t nx = x->n.loads + x->n.stores, ny = y->n.loads + y->n.stores;

	if (nx != ny)
		return nx > ny ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Lines with loads or stores that lie in no array; sites of one line stand side by side. */
static void put_unplaced(struct denormal_report *r, const uint64_t *unplaced)
{
	const struct denormal *d = &r->run->counts;

	for (size_t i = 0; i < d->sites.n; i++) {
		const struct denormal_site *s = &d->sites.at[i];
		struct denormal_line *l = r->unplaced.n ? &r->unplaced.at[r->unplaced.n - 1] : NULL;

		if (!unplaced[i])
			continue;
		if (!l || !denormal_in_line(l, s)) {
			l = vec_add(&r->unplaced);
			*l = (struct denormal_line){
				.file = s->file, .function = s->function, .line = s->line};
		}
		*(s->kind == PRS_DEN_LOAD ? &l->n.loads : &l->n.stores) += unplaced[i];
	}
	if (r->unplaced.n)
		qsort(r->unplaced.at, r->unplaced.n, sizeof(*r->unplaced.at), by_unplaced);
}

/* Several of one name have numbers. */
static void number(struct denormal_report *r)
{
	for (size_t i = 0; i < r->arrays.n; i++) {
		size_t before = 0, same = 0;
		struct strbuf sb = STRBUF_INIT;

		for (size_t k = 0; k < r->arrays.n; k++)
			if (!strcmp(r->arrays.at[k].called, r->arrays.at[i].called)) {
				before += k < i;
				same++;
			}
		strbuf_puts(&sb, r->arrays.at[i].called);
		if (same > 1)
			strbuf_printf(&sb, " #%zu", before + 1);
		r->arrays.at[i].name = strbuf_detach(&sb);
	}
}

void denormal_arrays(struct denormal_report *r)
{
	const struct denormal *d = &r->run->counts;
	uint64_t *unplaced = without_place(d);

	for (size_t i = 0; i < d->objects.n; i++) {
		const struct denormal_object *o = &d->objects.at[i];
		struct denormal_array *a;

		if (!o->loads && !o->stores && !o->in && !o->out)
			continue;
		a = vec_add(&r->arrays);
		*a = (struct denormal_array){
			i,          name_of(r->run, i),
			NULL,       o->raw.where == PRS_DEN_HEAP ? made_by(r->run, o) : NULL,
			part_of(o), o->loads,
			o->stores,  o->in,
			o->out};
		if (a->part != DENORMAL_PASSES && may_differ(d, i, unplaced))
			a->part = DENORMAL_UNSEEN;
	}
	put_unplaced(r, unplaced);
	free(unplaced);
	if (r->arrays.n)
		qsort(r->arrays.at, r->arrays.n, sizeof(*r->arrays.at), by_traffic);
	number(r);
}
