/* SPDX-License-Identifier: MIT */
/* Several findings of one declaration: what is known of all of them, and a layout that ends each. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/jobs.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"
#include "lib/vec.h"

static void merge_use(struct sharing_object *o, const struct sharing_use *use)
{
	struct sharing_use *to = NULL;

	for (size_t i = 0; i < o->n_uses && !to; i++)
		if (!strcmp(o->uses[i].field, use->field))
			to = &o->uses[i];
	if (!to) {
		o->uses = mem_resize(o->uses, o->n_uses + 1, sizeof(*o->uses));
		to = &o->uses[o->n_uses++];
		*to = *use;
		to->field = mem_strdup(use->field);
		to->threads = NULL;
		to->n_threads = 0;
	}
	for (size_t i = 0; i < use->n_threads; i++)
		sharing_use_by(to, use->threads[i]);
}

static bool same_declaration(const struct job *j, const struct sharing_object *o, bool of_type)
{
	if (j->of_type != of_type)
		return false;
	return of_type ? j->o.layout == o->layout : j->o.ident == o->ident;
}

/* Variables and allocated memory of one type: what holds for both. */
static void both_kinds(struct sharing_object *to, const struct sharing_object *o)
{
	const struct sharing_object *heap = o->kind == OBJECT_HEAP ? o : to;
	bool loose = !heap->keeps_alignment || o->also_allocated || to->also_allocated;

	if (to->kind != OBJECT_HEAP && o->kind != OBJECT_HEAP)
		return;
	to->allocator = heap->allocator;
	to->allocation = heap->allocation;
	to->kind = o->kind == OBJECT_HEAP ? to->kind : o->kind;
	to->also_allocated = loose;
}

struct job *job_known(struct jobs *jobs, const struct sharing_object *o, bool of_type)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (same_declaration(&jobs->at[i], o, of_type))
			return &jobs->at[i];
	return NULL;
}

void job_add_id(struct job *j, const struct sharing_finding *f)
{
	if (!j->ids.len || !strstr(j->ids.s, f->evidence))
		strbuf_printf(&j->ids, "%s%s", j->ids.len ? ", " : "", f->evidence);
}

/* What one finding says of @o by itself. */
static void keep_part(struct job *j, const struct sharing_object *o, bool elements)
{
	struct job_part *part;

	j->parts = mem_resize(j->parts, j->n_parts + 1, sizeof(*j->parts));
	part = &j->parts[j->n_parts++];
	part->o = *o;
	part->elements = elements;
	part->o.uses = mem_new(o->n_uses + 1, sizeof(*part->o.uses));
	memcpy(part->o.uses, o->uses, o->n_uses * sizeof(*o->uses));
}

void job_add(struct jobs *jobs, const struct sharing_finding *f, size_t object,
	     const struct sharing_object *o, bool of_type, bool elements)
{
	struct job *j = job_known(jobs, o, of_type);
	bool first = !j || j->beside;

	j = j ? j : vec_add(jobs);
	if (first) {
		struct sharing_use *uses = j->o.uses;
		size_t n_uses = j->o.n_uses;

		j->of_type = of_type;
		j->beside = false;
		j->f = f;
		j->object = object;
		j->o = *o;
		j->o.uses = uses;
		j->o.n_uses = n_uses;
	}
	j->elements |= elements;
	j->o.on_line |= o->on_line;
	j->o.off_line |= o->off_line;
	if (of_type)
		keep_part(j, o, elements);
	j->structs += remedy_elements(o) + !remedy_elements(o);
	if (j->o.kind != o->kind)
		both_kinds(&j->o, o);
	j->o.inside += first ? 0 : o->inside;
	j->o.between += first ? 0 : o->between;
	for (size_t i = 0; i < o->n_uses; i++)
		merge_use(&j->o, &o->uses[i]);
	job_add_id(j, f);
}

/* @l parts what @part alone is parted by. */
static bool parts_as(const struct remedy_layout *l, const struct job_part *part)
{
	struct remedy_layout own;
	bool good = layout_pad(&own, &part->o, part->elements);

	for (size_t i = 0; good && i < own.n_members; i++)
		for (size_t k = 0; good && k < i; k++)
			if (own.members[i].group >= 0 && own.members[k].group >= 0 &&
			    own.members[i].group != own.members[k].group)
				good = l->members[i].group != l->members[k].group;
	layout_release(&own);
	return good;
}

static bool parts_all(const struct remedy_layout *l, const struct job *j)
{
	for (size_t i = 0; j->n_parts > 1 && i < j->n_parts; i++)
		if (!parts_as(l, &j->parts[i]))
			return false;
	return true;
}

/* Who uses a member in part @n is a group of that part, whose threads are those of no other part. */
static void use_by_group(struct sharing_object *o, const struct remedy_layout *own, size_t n)
{
	for (size_t i = 0; i < o->n_uses; i++)
		for (size_t k = 0; k < own->n_members; k++)
			if (own->members[k].group >= 0 && layout_holds(&own->members[k], o->uses[i].field))
				sharing_use_by(&o->uses[i],
					       (uint32_t)((n << 16) + (size_t)own->members[k].group));
}

/*
 * Objects of one type that threads use in different ways: by the threads of all, each member would be
 * everybody's, and none would move.  Members stay together that no finding has of different threads.
 */
static bool lay_out_each(struct remedy_layout *l, const struct job *j)
{
	struct sharing_object o = j->o;
	bool good = true;

	o.inside = 1;
	o.between = 0;
	o.uses = mem_new(o.n_uses + 1, sizeof(*o.uses));
	memcpy(o.uses, j->o.uses, o.n_uses * sizeof(*o.uses));
	for (size_t i = 0; i < o.n_uses; i++) {
		o.uses[i].threads = NULL;
		o.uses[i].n_threads = 0;
	}
	for (size_t i = 0; good && i < j->n_parts; i++) {
		struct remedy_layout own;

		good = layout_pad(&own, &j->parts[i].o, j->parts[i].elements);
		use_by_group(&o, &own, i);
		layout_release(&own);
	}
	good = good && layout_pad(l, &o, j->elements);
	for (size_t i = 0; i < o.n_uses; i++)
		free(o.uses[i].threads);
	free(o.uses);
	return good;
}

bool job_layout(struct remedy_layout *l, const struct job *j)
{
	if (layout_pad(l, &j->o, j->elements)) {
		if (parts_all(l, j))
			return true;
		layout_release(l);
	}
	return j->n_parts > 1 && lay_out_each(l, j);
}

static void release(struct job *j)
{
	for (size_t i = 0; i < j->o.n_uses; i++) {
		free(j->o.uses[i].field);
		free(j->o.uses[i].threads);
	}
	for (size_t i = 0; i < j->n_parts; i++)
		free(j->parts[i].o.uses);
	free(j->parts);
	free(j->o.uses);
	strbuf_release(&j->ids);
}

void jobs_release(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->n; i++)
		release(&jobs->at[i]);
	vec_release(jobs);
}
