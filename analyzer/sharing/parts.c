/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/parts.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/pairs/pairs.h"
#include "analyzer/sharing/allocated.h"
#include "analyzer/sharing/remedy.h"
#include "analyzer/sharing/sharing.h"
#include "lib/mem.h"

struct sharing_object *sharing_object_of(struct sharing_object **objects, size_t *n, const struct objects *os,
					 const struct object *o)
{
	struct sharing_object *out;

	for (size_t i = 0; i < *n; i++)
		if ((*objects)[i].kind == o->kind && (*objects)[i].ident == o->ident)
			return &(*objects)[i];
	*objects = mem_resize(*objects, *n + 1, sizeof(**objects));
	out = &(*objects)[(*n)++];
	*out = (struct sharing_object){
		.kind = o->kind, .ident = o->ident, .type = o->type, .layout = o->layout};
	out->name = mem_strdup(o->name);
	out->file = o->file;
	out->line = o->function_line ? o->function_line : o->line; /* where a search for it begins */
	out->bytes = o->open ? o->layout->bytes : o->bytes;
	out->row_bytes = o->row_bytes;
	out->array = o->array;
	out->guessed = o->guessed;
	out->allocator = o->allocator;
	out->allocation = o->allocation;
	allocated_look(out, os->run);
	if (o->kind == OBJECT_GLOBAL)
		out->symbol = ((const struct run_symbol *)o->ident)->name;
	return out;
}

static struct sharing_object *object_of(struct sharing_finding *f, const struct objects *os,
					const struct object *o)
{
	return sharing_object_of(&f->objects, &f->n_objects, os, o);
}

void sharing_use_place(struct sharing_use *use, const struct run_type *layout)
{
	for (size_t i = 0; layout && *use->field && i < layout->n_fields && !use->placed; i++)
		if (run_field_is(&layout->fields[i], use->field)) {
			use->offset = layout->fields[i].offset;
			use->bytes = layout->fields[i].bytes;
			use->placed = true;
		}
}

static bool before(const struct sharing_use *x, const struct sharing_use *y)
{
	if (x->placed != y->placed)
		return x->placed;
	if (x->placed && x->offset != y->offset)
		return x->offset < y->offset;
	return strcmp(x->field, y->field) < 0;
}

struct sharing_use *sharing_use_of(struct sharing_object *o, const char *field, uint64_t bytes)
{
	struct sharing_use new = {.field = mem_strdup(field), .bytes = bytes};
	size_t at;

	for (size_t i = 0; i < o->n_uses; i++)
		if (!strcmp(o->uses[i].field, field)) {
			free(new.field);
			return &o->uses[i];
		}
	sharing_use_place(&new, o->layout);
	o->uses = mem_resize(o->uses, o->n_uses + 1, sizeof(*o->uses));
	for (at = o->n_uses++; at && before(&new, &o->uses[at - 1]); at--)
		o->uses[at] = o->uses[at - 1];
	o->uses[at] = new;
	return &o->uses[at];
}

void sharing_use_by(struct sharing_use *use, uint32_t thread)
{
	size_t at = use->n_threads;

	for (size_t i = 0; i < use->n_threads; i++)
		if (use->threads[i] == thread)
			return;
	use->threads = mem_resize(use->threads, use->n_threads + 1, sizeof(*use->threads));
	for (; at && use->threads[at - 1] > thread; at--)
		use->threads[at] = use->threads[at - 1];
	use->threads[at] = thread;
	use->n_threads++;
}

/* What one struct in memory tells that the names, which leave out the numbers of elements, do not. */
static void add_places(struct sharing_finding *f, const struct pair_record *r, const struct objects *os,
		       const struct pair_side *s, const struct pair_side *other)
{
	const struct side_part *p = pair_side_main(s), *q = pair_side_main(other);
	const struct object *o = &os->at[p->object];
	struct sharing_object *to = object_of(f, os, o);
	const char *field = o->fields[p->field];
	bool same = q->object == p->object;
	bool inside = r->verdict == SHARING_FALSE && same && remedy_same_member(field, o->fields[q->field]);

	to->on_line |= !s->off_line;
	to->off_line |= s->off_line;
	to->inside += r->verdict == SHARING_FALSE && same ? r->inside : 0;
	to->between += r->verdict == SHARING_FALSE && same ? r->between : 0;
	for (size_t i = 0; i < to->n_uses; i++)
		if (inside && !strcmp(to->uses[i].field, field))
			to->uses[i].inside += r->inside;
}

static void add_use(struct sharing_finding *f, const struct pair_side *s, const struct objects *os,
		    uint32_t i)
{
	const struct object *o = &os->at[s->part[i].object];
	uint32_t field = s->part[i].field;
	struct sharing_use *use =
		sharing_use_of(object_of(f, os, o), o->fields[field], o->field_bytes[field]);
	const struct run_mem_site *site = s->part[i].site;

	sharing_use_by(use, s->thread);
	use->access = site && site->bytes > use->access ? site->bytes : use->access;
	use->written |= s->part[i].kind != PRS_KIND_LOAD;
	use->summed |= s->part[i].kind == PRS_KIND_RMW || s->part[i].kind == PRS_KIND_ATOMIC;
	use->atomic |= s->part[i].kind == PRS_KIND_ATOMIC;
}

static void add_side(struct sharing_finding *f, const struct pair_side *s, const struct objects *os)
{
	for (uint32_t i = 0; i < s->n_parts; i++)
		add_use(f, s, os, i);
}

/* What threads meet in under no name is one of several, unless it is the whole that all of them use. */
static bool of_elements(const struct sharing_object *o, const struct sharing_use *use)
{
	bool whole = !*use->field && use->bytes && use->bytes == o->bytes;

	return use->n_threads > 1 && !whole && (!*use->field || *use->field == '[');
}

void finding_objects_finish(struct sharing_finding *f)
{
	for (size_t i = 0; f->verdict == SHARING_FALSE && i < f->n_objects; i++)
		for (size_t k = 0; k < f->objects[i].n_uses; k++)
			if (of_elements(&f->objects[i], &f->objects[i].uses[k]))
				f->objects[i].array = true;
}

/* A layout that parts the threads has to know of what they share beside it, too. */
static void add_also(struct sharing_finding *f, const struct pair_side *s, const struct objects *os)
{
	for (uint32_t i = 0; i < s->n_parts; i++)
		for (size_t k = 0; k < f->n_objects; k++)
			if (f->objects[k].kind == os->at[s->part[i].object].kind &&
			    f->objects[k].ident == os->at[s->part[i].object].ident)
				add_use(f, s, os, i);
}

void finding_objects_add(struct sharing_finding *f, const struct pair_record *r, const struct objects *os)
{
	add_side(f, &r->a, os);
	add_side(f, &r->b, os);
	for (int i = 0; r->has_also && i < 2; i++)
		add_also(f, &r->also[i], os);
	add_places(f, r, os, &r->a, &r->b);
	add_places(f, r, os, &r->b, &r->a);
}

static void release(struct sharing_object *objects, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < objects[i].n_uses; k++) {
			for (char **name = objects[i].uses[k].names; name && *name; name++)
				free(*name);
			free(objects[i].uses[k].names);
			free(objects[i].uses[k].field);
			free(objects[i].uses[k].threads);
		}
		free(objects[i].uses);
		free(objects[i].name);
	}
	free(objects);
}

void finding_objects_release(struct sharing_finding *f)
{
	release(f->objects, f->n_objects);
	release(f->beside, f->n_beside);
	f->objects = f->beside = NULL;
	f->n_objects = f->n_beside = 0;
}

bool sharing_use_alike(const struct sharing_use *x, const struct sharing_use *y)
{
	return x->n_threads == y->n_threads &&
	       !memcmp(x->threads, y->threads, x->n_threads * sizeof(*x->threads));
}
