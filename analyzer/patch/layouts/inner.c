/* SPDX-License-Identifier: MIT */
/*
 * Members of a struct in a struct, and of a base class: they are those of another type, whose
 * layout is planned as that of an object of its own.
 *
 *     struct out { int id; struct in { long up, down; } in; };     uses in.up, in.down of out
 *                                                               -> uses up, down of in
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/layouts/items.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"

static void release_uses(struct sharing_object *o)
{
	for (size_t i = 0; i < o->n_uses; i++)
		free(o->uses[i].field);
	free(o->uses);
}

/* The part of @o that @part of its type is, with the uses whose names are in @fields, by use of @o. */
static void part_object(struct sharing_object *in, const struct sharing_object *o,
			const struct run_type *type, char **fields)
{
	*in = *o;
	in->layout = type;
	in->uses = mem_new(o->n_uses + 1, sizeof(*in->uses));
	in->n_uses = 0;
	for (size_t i = 0; i < o->n_uses; i++) {
		struct sharing_use *use;

		if (!fields[i])
			continue;
		use = &in->uses[in->n_uses++];
		*use = o->uses[i];
		use->field = fields[i];
		use->placed = false;
		use->inside = 0;
		sharing_use_place(use, type);
	}
}

/* What use @field of member @member is in its type: "up" of "in.up" and of "in[].up"; NULL: not of it. */
static char *field_inside(const char *field, const char *member)
{
	size_t len = strlen(member);

	if (strncmp(field, member, len) || !strchr(".[", field[len]))
		return NULL;
	for (field += len; *field == '['; field += strcspn(field, "]") + 1)
		;
	return *field == '.' ? mem_strdup(field + 1) : NULL;
}

static const struct run_part *part_called(const struct run_type *t, const char *name)
{
	for (size_t i = 0; i < t->n_parts; i++)
		if (!strcmp(t->parts[i].name, name))
			return &t->parts[i];
	return NULL;
}

/* The type that the members of @part are in; -ENOTSUP: why no plan can align them. */
static int type_of_part(const struct run *run, const struct run_type *t, const struct run_part *part,
			const char *member, const struct run_type **out, struct err *err)
{
	*out = part && strcmp(part->type, "-") ? run_type(run, part->type) : NULL;
	if (!part || !strcmp(part->type, "-"))
		return err_set(err, -ENOTSUP,
			       "threads meet inside of the member `%s`, which no alignment of a declaration "
			       "parts",
			       member);
	if (!strncmp(part->type, "union ", 6))
		return err_set(err, -ENOTSUP,
			       "`%s` is a union, whose members stay together: they share their bytes",
			       member);
	if (layout_nameless(part->type) || (!*out && strstr(part->type, " unnamed")))
		return err_set(err, -ENOTSUP, "a plan names types, and the struct that `%s` is has no name",
			       member);
	if (!*out || !(*out)->n_parts)
		return err_set(err, -ENOTSUP, "the site table does not say what `%s` of %s is made of",
			       member, t->name);
	return 0;
}

/* Members of threads of their own, and of no struct in the struct. */
static int check_uses(const struct sharing_finding *f, const struct sharing_object *in, const char *member,
		      struct err *err)
{
	for (size_t i = 0; i < in->n_uses; i++)
		if (!in->uses[i].placed || remedy_inside_member(f, in, i))
			return err_set(err, -ENOTSUP,
				       "threads meet inside of `%s` of `%s`, too, which no alignment of a "
				       "declaration parts",
				       in->uses[i].field, member);
	if (!in->n_uses)
		return err_set(err, -ENOTSUP,
			       "threads meet inside of the member `%s`, which no alignment of a declaration "
			       "parts",
			       member);
	return 0;
}

/* What holds it is allocated, and was looked at; others of the type may be for themselves. */
static int check_alone(struct patch *p, struct sharing_object *in, struct err *err)
{
	struct sharing_object alone = *in;
	int ret;

	alone.kind = OBJECT_GLOBAL;
	alone.allocator = alone.allocation = NULL;
	ret = patch_check_memory(p, &alone, err);
	if (!ret && alone.also_allocated) {
		in->keeps_alignment = false;
		in->also_allocated = true;
	}
	return ret;
}

static int plan_part(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
		     struct sharing_object *in, bool elements, const struct layout_asked *asked,
		     struct err *err)
{
	struct remedy_layout l;
	int ret = check_alone(p, in, err);

	if (!ret)
		ret = patch_check_asserted(p, in, err);
	if (!ret && !layout_pad(&l, in, elements))
		ret = err_set(err, -ENOTSUP, "several threads meet inside of one member of %s",
			      in->layout->name);
	if (ret)
		return ret;
	ret = layout_items_struct(x, p, f, in, &l, asked, err);
	layout_release(&l);
	return ret;
}

/* "c" where all of @o is used inside of its member "c", a struct or an array; NULL: it is not so.  To be freed. */
static char *common_member(const struct sharing_object *o)
{
	const char *first = o->n_uses ? o->uses[0].field : "";
	size_t len = remedy_member_len(first);

	for (size_t i = 0; i < o->n_uses; i++) {
		const char *field = o->uses[i].field;

		if (!field[len] || !strncmp(field + len, "._M_", 4) || !remedy_same_member(field, first))
			return NULL;
	}
	return len ? mem_strndup(first, len) : NULL;
}

/* Members of the struct @in that @member is, or those of a struct in it that all threads use. */
static int plan_inside(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
		       struct sharing_object *in, const char *member, bool elements,
		       const struct layout_asked *asked, struct err *err)
{
	char *below = elements ? NULL : common_member(in);
	int ret =
		below ? layout_items_member(x, p, f, in, below, asked, err) : check_uses(f, in, member, err);

	if (!ret && !below)
		ret = plan_part(x, p, f, in, elements, asked, err);
	free(below);
	return ret;
}

int layout_items_member(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
			const struct sharing_object *o, const char *member, const struct layout_asked *asked,
			struct err *err)
{
	const struct run_part *part = part_called(o->layout, member);
	char **fields = mem_new(o->n_uses + 1, sizeof(*fields));
	struct layout_asked of_part = *asked;
	struct sharing_object out = *o, in;
	const struct run_type *type;
	bool elements = false;
	int ret = type_of_part(p->run, o->layout, part, member, &type, err);
	char *name = ret ? NULL : patch_last_name(type->name);

	if (!ret)
		ret = patch_check_memory(p, &out, err);
	if (!ret)
		ret = patch_check_open(p, &out, member, name, err);
	free(name);
	if (!ret)
		ret = patch_check_asserted(p, &out, err);
	for (size_t i = 0; i < o->n_uses && !ret; i++) {
		fields[i] = field_inside(o->uses[i].field, member);
		elements |= fields[i] && remedy_inner_elements(o->uses[i].field, member);
	}
	if (!ret) {
		part_object(&in, &out, type, fields);
		in.array = elements;
		of_part.grows = of_part.grows ? of_part.grows : o->layout;
		ret = plan_inside(x, p, f, &in, member, elements, &of_part, err);
		release_uses(&in);
	}
	free(fields);
	return ret;
}

int layout_items_base(struct layout_items *x, struct patch *p, const struct sharing_finding *f,
		      const struct sharing_object *o, const struct run_part *part,
		      const struct layout_asked *asked, struct err *err)
{
	char **fields = mem_new(o->n_uses + 1, sizeof(*fields));
	const struct run_type *type;
	struct sharing_object in;
	int ret = type_of_part(p->run, o->layout, part, part->type, &type, err);

	for (size_t i = 0; i < o->n_uses && !ret; i++) {
		const struct sharing_use *use = &o->uses[i];

		if (use->placed && use->offset >= part->offset && use->offset < part->offset + part->bytes)
			fields[i] = mem_strdup(use->field);
	}
	if (!ret) {
		part_object(&in, o, type, fields);
		ret = check_uses(f, &in, part->type, err);
		if (!ret)
			ret = plan_part(x, p, f, &in, false, asked, err);
		release_uses(&in);
	}
	free(fields);
	return ret;
}
