/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/beside.h"

#include <string.h>

#include "analyzer/sharing/parts.h"
#include "lib/search.h"
#include "lib/vec.h"
#include "perseus/abi.h"

/* Less than this share of the heaviest use of a line is what sets up, looks once, or cleans up. */
#define BESIDE_SHARE 0.01

/* What one use of a line touches. */
struct touch {
	const struct line_use *use;
	struct place place;
	uint32_t field;
	uint64_t element; /* where the struct begins that it lies in, 0 unknown */
	bool seldom;      /* less than BESIDE_SHARE of the heaviest */
};

struct touches VEC(struct touch);

/* Lines that findings are about, ascending. */
struct found_lines VEC(uint64_t);

/* What lies no further from those may be of one struct with what is on them. */
#define NEAR_LINES 8u

static void look(struct touches *t, const struct line_use *u, struct objects *os)
{
	uint64_t mask = u->read | u->written, address = u->raw->line << PRS_LINE_SHIFT, one = 0;
	struct touch *x = vec_add(t);
	struct spot spot;

	if (mask) {
		address += (uint32_t)__builtin_ctzll(mask);
		one = mask >> __builtin_ctzll(mask);
		one = ~one ? (uint64_t)__builtin_ctzll(~one) : 64;
	}
	if (u->site && u->site->bytes && u->site->bytes < one)
		one = u->site->bytes;
	*x = (struct touch){.use = u};
	x->place = mask ? objects_find(os, address, u->raw->last, u->site)
			: objects_find_in_line(os, u->raw->line, u->raw->last, u->site);
	objects_spot(os, &x->place, address, one, mask, u->site, &spot);
	x->field = spot.field;
	if (os->at[x->place.object].open)
		x->element = x->place.base;
	else if (os->at[x->place.object].layout && os->at[x->place.object].layout->bytes && x->place.base)
		x->element = address - (address - x->place.base) % os->at[x->place.object].layout->bytes;
}

/* The uses of one line. */
static void look_at_line(struct touches *t, const struct line_use *at, size_t n, struct objects *os)
{
	double most = 0;

	t->n = 0;
	for (size_t i = 0; i < n; i++)
		most = at[i].accesses > most ? at[i].accesses : most;
	for (size_t i = 0; i < n; i++) {
		look(t, &at[i], os);
		t->at[t->n - 1].seldom = at[i].accesses < BESIDE_SHARE * most;
	}
}

static struct sharing_object *object_in(const struct sharing_finding *f, const struct object *o)
{
	for (size_t i = 0; i < f->n_objects; i++)
		if (f->objects[i].kind == o->kind && f->objects[i].ident == o->ident)
			return &f->objects[i];
	return NULL;
}

/* True if the line's uses touch two structs of one kind of object: whose field it is says the thread alone. */
static bool several(const struct touches *t, const struct touch *x)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->at[i].seldom && t->at[i].place.object == x->place.object &&
		    t->at[i].element != x->element)
			return true;
	return false;
}

static void add_use(struct sharing_object *to, const struct object *o, const struct touch *x, bool one)
{
	size_t known = to->n_uses;
	struct sharing_use *use = sharing_use_of(to, o->fields[x->field], o->field_bytes[x->field]);
	bool new = to->n_uses > known;

	use->beside |= new;
	/* Elements, and blocks, may each have a thread of their own. */
	if (one || use->beside)
		sharing_use_by(use, x->use->thread);
	use->written |= line_use_writes(x->use);
	if (new && x->use->site)
		use->access = x->use->site->bytes;
}

static void add_touch(struct sharing_finding *f, const struct touches *t, const struct touch *x,
		      const struct objects *os, bool new_only)
{
	const struct object *o = &os->at[x->place.object];
	struct sharing_object *to = object_in(f, o);
	const char *field = o->fields[x->field];

	if (!to && o->kind != OBJECT_GLOBAL)
		return;
	if (!to)
		to = sharing_object_of(&f->beside, &f->n_beside, os, o);
	else if (!o->layout || !*field || *field == '[')
		return;
	add_use(to, o, x, !new_only && o->kind != OBJECT_HEAP && !o->array && !several(t, x));
}

static bool about(const struct sharing_finding *f, const struct touches *t, const struct objects *os)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->at[i].seldom && object_in(f, &os->at[t->at[i].place.object]))
			return true;
	return false;
}

/* The same variable, member or element, as far as that is known. */
static bool same_place(const struct touch *w, const struct touch *r, const struct objects *os)
{
	const struct object *o = &os->at[w->place.object];
	uint64_t read = r->use->read & ~r->use->beside;

	if (w->place.object != r->place.object || w->field != r->field)
		return false;
	if (w->use->written && r->use->read)
		return (w->use->written & read) != 0;
	return !o->array && o->kind != OBJECT_HEAP && !strchr(o->fields[w->field], '[');
}

/* A load whose thread stores there in the same line of the source: `n++` of a volatile. */
static bool is_part(const struct touches *t, const struct touch *r, const struct objects *os)
{
	const struct run_mem_site *site = r->use->site;

	for (size_t i = 0; i < t->n; i++) {
		const struct run_mem_site *other = t->at[i].use->site;

		if (t->at[i].use->thread == r->use->thread && line_use_writes(t->at[i].use) && site &&
		    other && site->line == other->line && !strcmp(site->file, other->file) &&
		    same_place(&t->at[i], r, os))
			return true;
	}
	return false;
}

/* True if another thread looks at what @w writes before it has written it for the last time. */
static bool read_meanwhile(const struct touches *t, const struct touch *w, const struct objects *os)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct touch *r = &t->at[i];

		if (r->use->raw->kind == PRS_KIND_LOAD && r->use->thread != w->use->thread &&
		    r->use->raw->first <= w->use->raw->last && r->use->raw->last >= w->use->raw->first &&
		    same_place(w, r, os) && !is_part(t, r, os))
			return true;
	}
	return false;
}

/* What other threads look at while the run goes on cannot be kept to its end. */
static void add_readers(struct sharing_finding *f, const struct touches *t, const struct objects *os)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct object *o = &os->at[t->at[i].place.object];
		struct sharing_object *to = object_in(f, o);

		if (!to || !line_use_writes(t->at[i].use) || !read_meanwhile(t, &t->at[i], os))
			continue;
		for (size_t k = 0; k < to->n_uses; k++)
			to->uses[k].read_meanwhile |= !strcmp(to->uses[k].field, o->fields[t->at[i].field]);
	}
}

/* True if one of the lines is near @line. */
static bool near(const struct found_lines *lines, uint64_t line)
{
	size_t lo = search_first(lines->n, i, lines->at[i] + NEAR_LINES < line);

	return lo < lines->n && lines->at[lo] <= line + NEAR_LINES;
}

/* True if the thread is one of those that meet in @f. */
static bool meets(const struct sharing_finding *f, uint32_t thread)
{
	for (size_t i = 0; i < f->n_pairs; i++)
		if (f->pairs[i].a.thread == thread || f->pairs[i].b.thread == thread)
			return true;
	return false;
}

/*
 * The same struct goes on on lines that one thread has for itself: after a change of the
 * layout it need not.  How often it is used there is not known, so what the first thread
 * does, who sets up what others use, counts only if it takes part.
 */
static void look_near(struct sharing_finding *f, size_t n, const struct found_lines *lines,
		      struct objects *os)
{
	struct touches one = VEC_INIT;

	for (uint32_t t = 0; lines->n && t < os->p->n_threads; t++)
		for (size_t i = 0; i < os->p->threads[t].n_lines; i++) {
			const struct prs_line *l = os->p->threads[t].lines[i];
			struct line_use u = {.raw = l, .site = run_mem_site(os->p, l->site), .thread = t};

			if (!u.site || !near(lines, l->line))
				continue;
			u.read = l->read_mask;
			u.written = l->write_mask;
			one.n = 0;
			look(&one, &u, os);
			for (size_t k = 0; k < n; k++)
				if (f[k].verdict == SHARING_FALSE && (t || meets(&f[k], t)) &&
				    object_in(&f[k], &os->at[one.at[0].place.object]))
					add_touch(&f[k], &one, &one.at[0], os, true);
		}
	vec_release(&one);
}

/* What is used on the @n lines' uses at @at; true if a finding is about one of them. */
static bool look_on(struct sharing_finding *f, size_t n, struct touches *t, const struct objects *os)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (f[i].verdict == SHARING_UNCLEAR || !about(&f[i], t, os))
			continue;
		add_readers(&f[i], t, os);
		if (f[i].verdict != SHARING_FALSE)
			continue;
		any = true;
		for (size_t k = 0; k < t->n; k++)
			if (!t->at[k].seldom)
				add_touch(&f[i], t, &t->at[k], os, false);
	}
	return any;
}

void beside_add(struct sharing_finding *f, size_t n, const struct line_uses *uses, struct objects *os)
{
	struct found_lines lines = VEC_INIT;
	struct touches t = VEC_INIT;
	size_t to;

	for (size_t from = 0; n && from < uses->n; from = to) {
		const struct prs_line *l = uses->at[from].raw;

		for (to = from + 1; to < uses->n && uses->at[to].raw->line == l->line &&
				    uses->at[to].raw->generation == l->generation;)
			to++;
		look_at_line(&t, &uses->at[from], to - from, os);
		if (look_on(f, n, &t, os))
			vec_push(&lines, l->line);
	}
	look_near(f, n, &lines, os);
	vec_release(&lines);
	vec_release(&t);
}
