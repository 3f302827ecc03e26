/* SPDX-License-Identifier: MIT */
/* Which lines of memory the findings are about, and what lies in them. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/names.h"
#include "analyzer/objects/objects.h"
#include "analyzer/sharing/parts.h"
#include "lib/mem.h"
#include "lib/search.h"
#include "perseus/abi.h"
#include "report/page/memory.h"

#define PAGE_SHIFT  12
#define LINE_BYTES  64u
#define NAMED_LINES 512u /* whose names have the numbers of elements */

struct found {
	uint32_t finding;
	uint64_t line, transfers;
};

/* While the pages are looked for. */
struct search {
	struct memory_places *m;
	struct objects os;
	struct line_uses uses;
	struct VEC(struct found) found;
	uint32_t *name_of; /* hash: 1 + index of a name */
	size_t n_hash;     /* a power of two, more than twice the names */
	size_t named;      /* lines */
	struct spot last;  /* whose name without numbers of elements is last_field */
	uint32_t last_object, last_field;
};

/* ---- findings and their lines ------------------------------------------------------------------ */

static bool is_of(const struct run *run, const struct run_process *p)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (&run->processes[i] == p)
			return true;
	return false;
}

static void take_findings(struct memory_places *m)
{
	const struct sharing_report *rep = m->rep;

	m->findings = mem_new(rep->n + 1, sizeof(*m->findings));
	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *f = &rep->findings[i];

		if (!m->p && is_of(m->run, f->process))
			m->p = f->process;
		if (f->process == m->p && m->p && m->n_findings < MEMORY_FINDINGS)
			m->findings[m->n_findings++] = f;
		else
			m->findings_left_out++;
	}
}

static bool has_field(const struct sharing_object *o, const char *field)
{
	for (size_t i = 0; i < o->n_uses; i++)
		if (!strcmp(o->uses[i].field, field))
			return true;
	return false;
}

static bool is_about(const struct sharing_finding *f, const struct object *o, const char *field)
{
	for (size_t i = 0; i < f->n_objects; i++)
		if (f->objects[i].kind == o->kind && f->objects[i].ident == o->ident &&
		    has_field(&f->objects[i], field))
			return true;
	return false;
}

static void add_found(struct search *s, uint32_t finding, uint64_t line, uint64_t transfers)
{
	for (size_t i = s->found.n; i-- > 0 && s->found.at[i].line == line;)
		if (s->found.at[i].finding == finding) {
			s->found.at[i].transfers += transfers;
			return;
		}
	vec_push(&s->found, ((struct found){finding, line, transfers}));
}

/* The findings that are about what @u touches at @address. */
static void find_for(struct search *s, const struct line_use *u, const struct place *place, uint64_t address,
		     uint64_t bytes, uint64_t transfers)
{
	struct spot spot;

	objects_spot(&s->os, place, address, bytes, bytes != 0, u->site, &spot);
	for (uint32_t i = 0; i < s->m->n_findings; i++) {
		const struct object *o = &s->os.at[place->object];

		if (is_about(s->m->findings[i], o, o->fields[spot.field]))
			add_found(s, i, u->raw->line, transfers);
	}
}

/* Bytes from @at on that are in @mask without a gap. */
static uint32_t run_of(uint64_t mask, uint32_t at)
{
	uint32_t n = 0;

	while (at + n < LINE_BYTES && mask >> (at + n) & 1)
		n++;
	return n;
}

/* Bytes of one access of @u in a stretch of @n. */
static uint32_t step_of(const struct line_use *u, uint32_t n)
{
	return u->site && u->site->bytes && u->site->bytes < n ? u->site->bytes : n;
}

static void find_lines(struct search *s)
{
	for (size_t i = 0; i < s->uses.n; i++) {
		const struct line_use *u = &s->uses.at[i];
		uint64_t mask = u->read | u->written, address = u->raw->line << PRS_LINE_SHIFT;
		uint64_t transfers = prs_line_moves(u->raw);
		struct place place;

		if (!mask) {
			place = objects_find_in_line(&s->os, u->raw->line, u->raw->last, u->site);
			find_for(s, u, &place, address, 0, transfers);
		}
		for (uint32_t at = 0, n; at < LINE_BYTES; at += n ? n : 1) {
			n = run_of(mask, at);
			n = n ? step_of(u, n) : 0;
			if (!n)
				continue;
			place = objects_find(&s->os, address + at, u->raw->last, u->site);
			find_for(s, u, &place, address + at, n, transfers);
			transfers = 0; /* counted once */
		}
	}
}

static int by_finding(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->finding != y->finding)
		return x->finding < y->finding ? -1 : 1;
	if (x->transfers != y->transfers)
		return x->transfers > y->transfers ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static bool has_page(const struct memory_places *m, uint64_t page)
{
	for (size_t i = 0; i < m->n_pages; i++)
		if (m->pages[i] == page)
			return true;
	return false;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The pages of the lines that move most, finding by finding. */
static void take_pages(struct search *s)
{
	struct memory_places *m = s->m;
	uint64_t last = UINT64_MAX;
	uint32_t of = 0, finding = UINT32_MAX;

	m->pages = mem_new(MEMORY_PAGES, sizeof(*m->pages));
	for (size_t i = 0; i < s->found.n; i++) {
		uint64_t page = s->found.at[i].line >> (PAGE_SHIFT - PRS_LINE_SHIFT);

		if (s->found.at[i].finding != finding)
			of = 0;
		finding = s->found.at[i].finding;
		if (has_page(m, page))
			continue;
		if (of < MEMORY_PAGES_OF && m->n_pages < MEMORY_PAGES) {
			m->pages[m->n_pages++] = page;
			of++;
		} else {
			m->pages_left_out += page != last;
			last = page;
		}
	}
	qsort(m->pages, m->n_pages, sizeof(*m->pages), by_value);
}

uint32_t memory_line_at(const struct memory_places *m, uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT;
	size_t lo = search_first(m->n_pages, i, m->pages[i] < page);

	if (lo == m->n_pages || m->pages[lo] != page)
		return UINT32_MAX;
	return (uint32_t)(lo * MEMORY_PAGE_LINES + (address >> PRS_LINE_SHIFT & (MEMORY_PAGE_LINES - 1)));
}

static void take_lines(struct search *s)
{
	struct memory_places *m = s->m;

	m->finding_of = mem_new(m->n_pages * MEMORY_PAGE_LINES + 1, sizeof(*m->finding_of));
	m->field_of = mem_new(m->n_pages * MEMORY_PAGE_LINES * LINE_BYTES + 1, sizeof(*m->field_of));
	for (size_t i = 0; i < s->found.n; i++) {
		const struct found *f = &s->found.at[i];
		uint32_t line = memory_line_at(m, f->line << PRS_LINE_SHIFT);

		if (line == UINT32_MAX)
			continue;
		vec_push(&m->lines, ((struct memory_line){f->finding, line, f->transfers}));
		if (!m->finding_of[line])
			m->finding_of[line] = (uint16_t)(f->finding + 1);
	}
}

/* ---- names of bytes ---------------------------------------------------------------------------- */

/* Where @name is, or belongs, in the hash. */
static size_t name_slot(const struct search *s, const char *name)
{
	size_t at = 5381;

	for (const char *c = name; *c; c++)
		at = at * 33 + (unsigned char)*c;
	at &= s->n_hash - 1;
	while (s->name_of[at] && strcmp(s->m->names.at[s->name_of[at] - 1], name))
		at = (at + 1) & (s->n_hash - 1);
	return at;
}

static uint32_t name_index(struct search *s, const char *name)
{
	struct memory_places *m = s->m;
	size_t at;

	if (2 * m->names.n >= s->n_hash) {
		free(s->name_of);
		s->n_hash = s->n_hash ? 2 * s->n_hash : 64;
		s->name_of = mem_new(s->n_hash, sizeof(*s->name_of));
		for (size_t i = 0; i < m->names.n; i++)
			s->name_of[name_slot(s, m->names.at[i])] = (uint32_t)i + 1;
	}
	at = name_slot(s, name);
	if (!s->name_of[at]) {
		vec_push(&m->names, mem_strdup(name));
		s->name_of[at] = (uint32_t)m->names.n;
	}
	return s->name_of[at] - 1;
}

/* The name of @spot in @o without numbers of elements. */
static uint32_t field_index(struct search *s, uint32_t object, const struct spot *spot)
{
	const struct object *o = &s->os.at[object];
	char *text;

	if (s->last_field && s->last_object == object && s->last.field == spot->field &&
	    s->last.n_outer == spot->n_outer)
		return s->last_field;
	text = spot_text(o->subject, o->fields[spot->field], spot->n_outer, spot->index, spot->index, 0);
	s->last_field = name_index(s, text);
	s->last_object = object;
	s->last = *spot;
	free(text);
	return s->last_field;
}

/* What lies at @address, without and with the numbers of elements; false: not known. */
static bool name_at(struct search *s, uint64_t address, uint64_t bytes, uint64_t tick,
		    const struct run_mem_site *site, struct memory_span *span)
{
	struct place place = objects_find(&s->os, address, tick, site);
	const struct object *o = &s->os.at[place.object];
	struct spot spot;
	unsigned shown;
	char *text;

	if (!site && (!place.base || (!o->layout && o->kind == OBJECT_HEAP)))
		return false;
	objects_spot(&s->os, &place, address, bytes, true, site, &spot);
	o = &s->os.at[place.object];
	span->field = span->name = field_index(s, place.object, &spot);
	shown = s->named < NAMED_LINES ? spot.n_index : 0;
	if (!shown)
		return true;
	text = spot_text(o->subject, o->fields[spot.field], spot.n_outer, spot.index, spot.index, shown);
	span->name = name_index(s, text);
	free(text);
	return true;
}

/* By byte of one line, before neighbours are joined. */
static void name_used(struct search *s, const struct line_use *u, struct memory_span at[LINE_BYTES])
{
	uint64_t mask = u->read | u->written, address = u->raw->line << PRS_LINE_SHIFT;
	struct memory_span span = {0};

	for (uint32_t b = 0, n; b < LINE_BYTES; b += n ? n : 1) {
		n = run_of(mask, b);
		n = n ? step_of(u, n) : 0;
		if (!n || at[b].name || !name_at(s, address + b, n, u->raw->last, u->site, &span))
			continue;
		for (uint32_t k = b; k < b + n; k++)
			at[k] = at[k].name ? at[k] : span;
	}
}

static void add_spans(struct memory_places *m, uint32_t line, const struct memory_span at[LINE_BYTES])
{
	for (uint32_t b = 0, n; b < LINE_BYTES; b += n) {
		struct memory_span span = {line, b, 0, at[b].name, at[b].field};

		for (n = 1; b + n < LINE_BYTES && at[b + n].name == at[b].name;)
			n++;
		span.bytes = n;
		if (span.name)
			vec_push(&m->spans, span);
		for (uint32_t k = b; k < b + n; k++)
			m->field_of[line * LINE_BYTES + k] = at[b].field;
	}
}

/* The @n uses of one line name it. */
static void name_line(struct search *s, uint32_t line, const struct line_use *u, size_t n)
{
	struct memory_span at[LINE_BYTES] = {{0}};
	uint64_t address = u->raw->line << PRS_LINE_SHIFT;

	for (size_t i = 0; i < n; i++)
		name_used(s, &u[i], at);
	for (uint32_t b = 0; b < LINE_BYTES; b++)
		if (!at[b].name)
			name_at(s, address + b, 0, u->raw->last, NULL, &at[b]);
	add_spans(s->m, line, at);
}

static void name_lines(struct search *s)
{
	size_t to;

	name_index(s, "");
	for (size_t i = 0; i < s->uses.n; i = to) {
		uint32_t line = memory_line_at(s->m, s->uses.at[i].raw->line << PRS_LINE_SHIFT);

		for (to = i + 1; to < s->uses.n && s->uses.at[to].raw->line == s->uses.at[i].raw->line;)
			to++;
		if (line == UINT32_MAX || !s->m->finding_of[line])
			continue;
		name_line(s, line, &s->uses.at[i], to - i);
		s->named++;
	}
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* How threads' times stand to those of another run does not matter here. */
static void read_uses(struct search *s)
{
	struct line_pace *pace = mem_new(s->m->p->n_threads + 1, sizeof(*pace));

	for (size_t i = 0; i < s->m->p->n_threads; i++)
		pace[i] = (struct line_pace){.time = 1, .work = 1};
	line_uses_make(&s->uses, &s->os, pace);
	free(pace);
}

void memory_places_make(struct memory_places *m, const struct sharing_report *rep, const struct run *run)
{
	struct search s = {.m = m};

	*m = (struct memory_places){.rep = rep, .run = run};
	take_findings(m);
	if (!m->p)
		return;
	objects_make(&s.os, run, m->p);
	read_uses(&s);
	find_lines(&s);
	if (s.found.n)
		qsort(s.found.at, s.found.n, sizeof(*s.found.at), by_finding);
	take_pages(&s);
	take_lines(&s);
	name_lines(&s);
	vec_release(&s.found);
	free(s.name_of);
	line_uses_release(&s.uses);
	objects_release(&s.os);
}

void memory_places_release(struct memory_places *m)
{
	for (size_t i = 0; i < m->names.n; i++)
		free(m->names.at[i]);
	vec_release(&m->names);
	vec_release(&m->lines);
	vec_release(&m->spans);
	free(m->findings);
	free(m->pages);
	free(m->finding_of);
	free(m->field_of);
	*m = (struct memory_places){0};
}
