/* SPDX-License-Identifier: MIT */
/* What the head of a patch says, and what people can do where none is written. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/jobs.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/inspect/demangle.h"

/* Meetings inside of one variable, or one element of it, that are less than this share of all are left. */
#define INSIDE_SHARE 0.1

bool patch_meets_inside(const struct sharing_finding *f, const struct sharing_object *o)
{
	bool named = false;

	for (size_t i = 0; i < o->n_uses; i++)
		named |= !o->uses[i].beside && *o->uses[i].field && *o->uses[i].field != '[';
	return named && o->inside && (double)o->inside >= INSIDE_SHARE * (double)f->transfers;
}

/* The word @x of a side is the name of an object, in which it has '_' for each blank. */
static bool is_name(const char *x, const char *name)
{
	for (; *x && (*x == *name || (*x == '_' && *name == ' ')); x++, name++)
		;
	return !*x && !*name;
}

static bool is_user(const struct sharing_object *o, uint32_t thread)
{
	for (size_t i = 0; i < o->n_uses; i++)
		for (size_t k = 0; k < o->uses[i].n_threads && !o->uses[i].beside; k++)
			if (o->uses[i].threads[k] == thread)
				return true;
	return false;
}

/* Both sides are at @o, and not at another object of its name. */
static bool is_within(const struct sharing_pair *p, const struct sharing_object *o)
{
	return p->a.object && p->b.object && is_name(p->a.object, o->name) && is_name(p->b.object, o->name) &&
	       is_user(o, p->a.thread) && is_user(o, p->b.thread);
}

bool patch_meets_within(const struct sharing_finding *f, const struct sharing_object *o)
{
	uint64_t within = 0;

	for (size_t i = 0; o->symbol && i < f->n_pairs; i++) {
		const struct sharing_pair *p = &f->pairs[i];

		if (p->verdict == SHARING_FALSE && is_within(p, o))
			within += p->transfers;
	}
	return within && (double)within >= INSIDE_SHARE * (double)f->transfers;
}

/* A wrapper parts elements of an array, and nothing inside of one; types of the library cannot be named. */
static void on_heap(struct strbuf *sb, const struct sharing_object *o, const char *type)
{
	if (layout_of_library(type))
		strbuf_puts(sb, "give each part 64 bytes of its own, and allocate it aligned to 64");
	else if (o->array)
		strbuf_printf(sb,
			      "give each part 64 bytes of its own, and the block aligned_alloc(64, ...); "
			      "in a C++ container: struct alignas(64) padded { %s v; };",
			      type);
	else if (o->layout)
		strbuf_printf(sb,
			      "in %s, give the members of each thread 64 bytes of their own (C++: "
			      "alignas(64)), and allocate it aligned to 64",
			      type);
	else
		strbuf_puts(sb, "give each part 64 bytes of its own, and allocate it aligned to 64");
}

bool patch_fortran(const struct sharing_finding *f, const struct sharing_object *o)
{
	const struct run_mem_site *site = f->n_pairs ? f->pairs[0].a.site : NULL;

	return o->file ? source_is_fortran(o->file) : site && source_is_fortran(site->file);
}

/* A language without alignment. */
static void in_fortran(struct strbuf *sb, const struct sharing_object *o)
{
	if (o->layout && o->layout->n_fields > 1)
		strbuf_printf(sb,
			      "put a component character(64) between those of different threads of type "
			      "%s, and one behind the last if it is an array",
			      o->layout->name + (strncmp(o->layout->name, "struct ", 7) ? 0 : 7));
	else if (o->array || o->kind == OBJECT_HEAP)
		strbuf_puts(sb, "put another dimension of 64 bytes in front (8 of real(8)), and use its "
				"first element");
	else
		strbuf_puts(sb, "put it into a derived type with a component character(64) on each side");
	strbuf_puts(sb, "; or let each thread have its own: !$omp private, or reduction for a sum");
}

char *patch_advice(const struct sharing_finding *f, const struct sharing_object *o)
{
	const char *type = o->type ? o->type : "T";
	struct strbuf sb = STRBUF_INIT;

	if (patch_fortran(f, o))
		in_fortran(&sb, o);
	else if (o->array && remedy_between_elements(f, o) && remedy_elements(o) > REMEDY_ELEMENTS)
		strbuf_puts(&sb,
			    "give each thread a part of it that begins a line: align it to 64, and let the "
			    "parts be multiples of 64 bytes (of columns: one array for each thread)");
	else if (o->kind == OBJECT_HEAP || o->kind == OBJECT_UNKNOWN)
		on_heap(&sb, o, type);
	else if (o->kind == OBJECT_STACK || o->kind == OBJECT_TLS)
		strbuf_puts(&sb, "declare it with _Alignas(64) (C++: alignas(64)), each part 64 bytes");
	else if (!strncmp(type, "std::array<", 11))
		strbuf_puts(&sb, "make each element a struct alignas(64) with the value as its member");
	else if (patch_meets_inside(f, o) && layout_of_library(type))
		strbuf_puts(&sb, "make each part of it a variable of its own, alignas(64)");
	else if (o->array && !o->inside && patch_meets_within(f, o))
		strbuf_puts(&sb, "give what lies in it lines of its own for each thread, and it the size for "
				 "that (sizeof)");
	else if (o->array && !patch_meets_inside(f, o))
		strbuf_printf(&sb, "make each element a struct { _Alignas(64) %s v; }, and use its .v", type);
	else
		strbuf_puts(&sb, "put _Alignas(64) (C++: alignas(64)) where the other side's data begins");
	return strbuf_detach(&sb);
}

/* Where the advice in the head of a patch is broken. */
#define NOTE_COLUMNS 96u

/* A comment line in the head of the patch, and what does not fit into it in more of them. */
void note_wrapped(struct strbuf *notes, const char *text)
{
	strbuf_puts(notes, "#   ");
	strbuf_wrap(notes, text, "#   ", NOTE_COLUMNS);
	strbuf_puts(notes, "\n");
}

void note_member(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		 const char *what)
{
	strbuf_printf(&jobs->notes,
		      "# %s: %s in %s keeps threads apart\n"
		      "#   ABI: size and offsets of both types change. Compile all that uses them again.\n",
		      f->evidence, what, o->layout->name);
}

void note_bases(struct jobs *jobs)
{
	if (jobs->patch->bases)
		strbuf_puts(&jobs->notes,
			    "#   A base class changes, too, and with it all classes that have it.\n");
}

/*
 * Members are not moved by a patch: who initialises them by their order, writes
 * them to a file, or compiles against them elsewhere cannot be seen from here.
 */
static void note_order(struct jobs *jobs, const struct job *j, const struct remedy_layout *padded)
{
	for (size_t i = 0; i < j->f->n_remedies; i++) {
		const struct sharing_remedy *r = &j->f->remedies[i];
		const struct remedy_layout *l = r->n_layouts ? &r->layouts[0] : NULL;
		char *order;

		if (r->kind != REMEDY_REORDER || !l || l->bytes_then >= padded->bytes_then ||
		    j->f->objects[l->object].layout != j->o.layout)
			continue;
		order = layout_order(l);
		strbuf_printf(
			&jobs->notes,
			"#   smaller by hand, %llu bytes: its members as %s\n"
			"#   ('|': a line begins); not done here, since initialisers without names and\n"
			"#   data in the old order would be misread.\n",
			(unsigned long long)l->bytes_then, order);
		free(order);
	}
}

void note_type(struct jobs *jobs, const struct job *j, const struct remedy_layout *l)
{
	char *type = layout_type(l);

	if (!layout_moves(l)) {
		strbuf_printf(&jobs->notes,
			      "# %s: each %s begins a line of its own\n"
			      "#   ABI: its size and offsets stay, its alignment changes.\n",
			      j->ids.s, type);
		free(type);
		return;
	}
	strbuf_printf(&jobs->notes, "# %s: %s grows from %llu to %llu bytes%s\n", j->ids.s, type,
		      (unsigned long long)l->bytes_now, (unsigned long long)l->bytes_then,
		      l->gaps ? " (apart by gaps: allocated memory may begin anywhere in a line)" : "");
	strbuf_puts(&jobs->notes,
		    "#   ABI: its size and offsets change. Compile all that uses it again; look at what\n"
		    "#   is written to files, sent, or shared with other programs in its form.\n");
	note_bases(jobs);
	note_order(jobs, j, l);
	free(type);
}

void note_pair(struct jobs *jobs, const struct job *j)
{
	strbuf_printf(
		&jobs->notes,
		"# %s: the type of the second part of %s is aligned to lines, so each part has its own\n"
		"#   ABI: size and alignment of both types change. Compile all that uses them again.\n",
		j->ids.s, j->o.name);
}

void note_variable(struct jobs *jobs, const struct job *j)
{
	char *plain = j->o.symbol ? demangle_short(j->o.symbol) : NULL;
	const char *name = plain ? plain : j->o.name;

	if (j->elements)
		strbuf_printf(
			&jobs->notes,
			"# %s: each element of %s gets lines of its own\n"
			"#   ABI: its size and the distance of its elements change. A pointer to an element "
			"must not\n#   be moved on to the next one.\n",
			j->ids.s, name);
	else
		strbuf_printf(&jobs->notes, "# %s: %s begins a line of its own\n#   ABI: no type changes.\n",
			      j->ids.s, name);
	free(plain);
}
