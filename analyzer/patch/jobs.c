/* SPDX-License-Identifier: MIT */
/* Which declarations to change for which findings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/patch.h"
#include "analyzer/sharing/allocated.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/vec.h"

/* One declaration to change, for one or more findings. */
struct job {
	bool of_type; /* the struct, else the variable */
	bool elements;
	bool beside;                     /* since what lies beside it is moved */
	struct sharing_object o;         /* uses of all findings, owned */
	const struct sharing_finding *f; /* the first */
	struct strbuf ids;
};

/* Where the advice in the head of a patch is broken. */
#define NOTE_COLUMNS 96u

struct jobs {
	struct job *at;
	size_t n;
	size_t cap;
	struct patch *patch;
	struct patch_result *result;
	struct strbuf notes;
	size_t members;
};

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

static void add_job(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		    bool of_type, bool elements)
{
	struct job *j = NULL;
	bool first = false;

	for (size_t i = 0; i < jobs->n && !j; i++)
		if (same_declaration(&jobs->at[i], o, of_type))
			j = &jobs->at[i];
	if (!j) {
		first = true;
		j = vec_add(jobs);
		j->of_type = of_type;
		j->f = f;
		j->o = *o;
		j->o.uses = NULL;
		j->o.n_uses = 0;
	}
	j->elements |= elements;
	if (j->o.kind != o->kind)
		both_kinds(&j->o, o);
	j->o.inside += first ? 0 : o->inside;
	j->o.between += first ? 0 : o->between;
	for (size_t i = 0; i < o->n_uses; i++)
		merge_use(&j->o, &o->uses[i]);
	if (!j->ids.len || !strstr(j->ids.s, f->evidence))
		strbuf_printf(&j->ids, "%s%s", j->ids.len ? ", " : "", f->evidence);
}

/* A comment line in the head of the patch, and what does not fit into it in more of them. */
static void note_wrapped(struct strbuf *notes, const char *text)
{
	strbuf_puts(notes, "#   ");
	strbuf_wrap(notes, text, "#   ", NOTE_COLUMNS);
	strbuf_puts(notes, "\n");
}

/* One more declaration that is not changed; @advice becomes the list's. */
static void refuse(struct jobs *jobs, const struct sharing_finding *f, const char *why, char *advice)
{
	struct patch_result *r = jobs->result;
	struct strbuf by_hand = STRBUF_INIT;

	r->refusals = mem_resize(r->refusals, r->n_refusals + 1, sizeof(*r->refusals));
	r->refusals[r->n_refusals++] = (struct patch_refusal){mem_strdup(why), advice};
	strbuf_printf(&jobs->notes, "# %s %s: not changed: %s\n", f->evidence, f->subject, why);
	strbuf_printf(&by_hand, "by hand: %s", advice);
	note_wrapped(&jobs->notes, by_hand.s);
	strbuf_release(&by_hand);
}

static void by_hand(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		    const char *why)
{
	refuse(jobs, f, why, patch_advice(f, o));
}

static void do_member(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		      const char *field)
{
	char *member = mem_strndup(field, strcspn(field, ".["));
	struct err err = ERR_INIT;

	if (patch_member(jobs->patch, f, o, member, &err)) {
		by_hand(jobs, f, o, err.msg);
	} else {
		patch_alignment(jobs->patch, o);
		strbuf_printf(
			&jobs->notes,
			"# %s: the type of `%s` in %s keeps threads apart\n"
			"#   ABI: size and offsets of both types change. Compile all that uses them again.\n",
			f->evidence, member, o->layout->name);
	}
	jobs->members++;
	free(member);
}

/* Use @i of @o is of a member that stays as it is. */
static bool stays(const struct sharing_finding *f, const struct sharing_object *o, size_t i)
{
	for (size_t k = 0; k < o->n_uses; k++)
		if (remedy_inside_member(f, o, k) && remedy_same_member(o->uses[k].field, o->uses[i].field))
			return false;
	return !o->uses[i].beside && *o->uses[i].field;
}

/* Members that threads meet between, beside those they meet inside of: they are left for the next patch. */
static void note_left(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	for (size_t i = 0; i < o->n_uses; i++)
		for (size_t k = 0; k < i && stays(f, o, i); k++) {
			if (!stays(f, o, k) || sharing_use_alike(&o->uses[i], &o->uses[k]))
				continue;
			strbuf_printf(
				&jobs->notes,
				"# %s: threads meet between `%s` and `%s` of %s, too, which is not ended "
				"by this:\n#   build, record again, and take the patch for what is left\n",
				f->evidence, o->uses[k].field, o->uses[i].field, o->layout->name);
			return;
		}
}

/* The members that threads meet inside of; returns false if there are none. */
static bool plan_members(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	bool any = false;

	for (size_t i = 0; i < o->n_uses; i++) {
		bool known = !remedy_inside_member(f, o, i);

		any |= !known;
		for (size_t k = 0; k < i && !known; k++)
			known = remedy_same_member(o->uses[k].field, o->uses[i].field);
		if (!known)
			do_member(jobs, f, o, o->uses[i].field);
	}
	if (any)
		note_left(jobs, f, o);
	return any;
}

static void do_elements(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	struct err err = ERR_INIT;

	if (patch_elements(jobs->patch, o, &err)) {
		by_hand(jobs, f, o, err.msg);
		return;
	}
	jobs->members++;
	strbuf_printf(
		&jobs->notes,
		"# %s: each element of %s gets a struct of 64 bytes\n"
		"#   ABI: the distance of its elements changes. A pointer to an element must not be moved\n"
		"#   on to the next one.\n",
		f->evidence, o->name);
}

/* The type that a source calls @type: C++ tables have it without `struct`, those of C with it. */
static const struct run_type *type_called(const struct run *run, const char *type)
{
	const struct run_type *t = run_type(run, type);
	struct strbuf sb = STRBUF_INIT;

	if (!t && !strncmp(type, "struct ", 7))
		return run_type(run, type + 7);
	strbuf_printf(&sb, "struct %s", type);
	t = t ? t : run_type(run, sb.s);
	strbuf_release(&sb);
	return t;
}

/* True if all accesses of the finding are to that type. */
static bool all_of_type(const struct sharing_finding *f, const char *type)
{
	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct run_mem_site *a = f->pairs[i].a.site, *b = f->pairs[i].b.site;

		if (!a || !b || strcmp(a->type, type) || strcmp(b->type, type))
			return false;
	}
	return true;
}

/* What the declaration says of a variable that the site tables do not know the type of. */
static bool learn(struct jobs *jobs, const struct sharing_finding *f, struct sharing_object *o)
{
	char *type = o->layout ? NULL : patch_declared_type(jobs->patch, o, &o->array);

	o->layout = type ? type_called(jobs->patch->run, type) : NULL;
	/* No variable has a name there, but what uses it says the type. */
	if (!type && !o->file && o->type && all_of_type(f, o->type))
		o->layout = type_called(jobs->patch->run, o->type);
	free(type);
	if (!o->layout || !o->layout->bytes)
		return false;
	for (size_t i = 0; i < o->n_uses; i++)
		sharing_use_place(&o->uses[i], o->layout);
	allocated_look(o, jobs->patch->run);
	return true;
}

/* The elements of a std::array are what it is declared of, not the member that holds them. */
static bool learn_array(struct jobs *jobs, struct sharing_object *o)
{
	static const char elements[] = "_M_elems[].";
	const char *from = o->layout->name + strlen("std::array<"), *comma = strrchr(from, ',');
	char *type = mem_strndup(from, comma ? (size_t)(comma - from) : 0);
	const struct run_type *layout = run_type(jobs->patch->run, type);

	free(type);
	if (!layout || !layout->bytes)
		return false;
	o->layout = layout;
	o->array = true;
	for (size_t i = 0; i < o->n_uses; i++) {
		if (!strncmp(o->uses[i].field, elements, strlen(elements)))
			o->uses[i].field += strlen(elements);
		o->uses[i].placed = false;
		sharing_use_place(&o->uses[i], layout);
	}
	allocated_look(o, jobs->patch->run);
	return true;
}

/* True if members are used of @o, whose accesses may also call it by its own name. */
static bool member_used(const struct sharing_object *o)
{
	size_t own = strcspn(o->name, " ");

	for (size_t i = 0; i < o->n_uses; i++) {
		const char *field = o->uses[i].field;

		if (*field && *field != '[' && strpbrk(field, ">*") == NULL &&
		    (strncmp(field, o->name, own) || (field[own] && field[own] != '[')))
			return true;
	}
	return false;
}

static bool plan_learned(struct jobs *jobs, const struct sharing_finding *f,
			 const struct sharing_object *from)
{
	struct sharing_object o = *from;
	bool array = o.layout && !strncmp(o.layout->name, "std::array<", 11), learned;

	if (!array && (o.kind != OBJECT_STACK || o.layout))
		return false;
	o.uses = mem_new(o.n_uses, sizeof(*o.uses));
	memcpy(o.uses, from->uses, o.n_uses * sizeof(*o.uses));
	learned = array ? learn_array(jobs, &o) : learn(jobs, f, &o);
	if (learned)
		add_job(jobs, f, &o, true, array || remedy_between_elements(f, &o));
	else if (array)
		do_elements(jobs, f, from);
	else if (member_used(&o))
		by_hand(jobs, f, from,
			o.file ? "what is used has members, and the declaration of that name shows none"
			       : "which variable of the stack it is, is not known");
	free(o.uses);
	return learned || array || member_used(from);
}

static void plan_object(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_remedy *pad,
			size_t i)
{
	const struct sharing_object *o = &f->objects[i];
	bool elements = remedy_between_elements(f, o);

	if (!o->n_uses)
		return;
	if (plan_learned(jobs, f, o) || plan_members(jobs, f, o))
		return;
	if (remedy_layout(pad, i))
		add_job(jobs, f, o, true, elements);
	else if ((o->kind == OBJECT_GLOBAL && o->symbol) || (o->kind == OBJECT_STACK && o->file))
		add_job(jobs, f, o, false, elements);
	else if (o->kind == OBJECT_HEAP)
		do_elements(jobs, f, o);
	else
		by_hand(jobs, f, o,
			o->kind != OBJECT_TLS ? "its declaration is not known"
			: o->file             ? "it is thread-local, and of no struct that could be changed"
					      : "which thread-local variable it is, is not known");
}

/* A variable that is moved only since another one is. */
static void add_beside(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	size_t n = jobs->n;

	add_job(jobs, f, o, false, false);
	if (jobs->n > n)
		jobs->at[n].beside = true;
}

/*
 * What is used on the finding's lines, and what lies behind a variable of it, must not lie
 * on the lines of those that are moved: each begins one of its own.
 */
static void plan_beside(struct jobs *jobs, const struct sharing_finding *f, size_t from)
{
	size_t n = jobs->n;
	bool moves = false;

	for (size_t i = from; i < n; i++) {
		const struct job *j = &jobs->at[i];
		struct sharing_object next;

		if (j->of_type || !j->o.symbol)
			continue;
		moves = true;
		if (!j->elements && patch_neighbour(jobs->patch, &j->o, &next))
			add_beside(jobs, f, &next);
	}
	for (size_t i = 0; moves && i < f->n_beside; i++)
		if (f->beside[i].symbol && f->beside[i].file)
			add_beside(jobs, f, &f->beside[i]);
}

static void plan(struct jobs *jobs, const struct sharing_finding *f)
{
	const struct sharing_remedy *pad = NULL;
	size_t from = jobs->n;

	for (size_t i = 0; i < f->n_remedies && !pad; i++)
		if (f->remedies[i].kind == REMEDY_PAD)
			pad = &f->remedies[i];
	for (size_t i = 0; pad && i < f->n_objects; i++)
		plan_object(jobs, f, pad, i);
	plan_beside(jobs, f, from);
	if (!f->no_layout)
		return;
	refuse(jobs, f, f->no_layout,
	       mem_strdup(
		       "let each thread work on a copy of its own and store it at the end, or let its part "
		       "begin a line; a few elements: each a struct { _Alignas(64) T v; } (C++: "
		       "alignas(64))"));
}

static void note_type(struct jobs *jobs, const struct job *j, const struct remedy_layout *l)
{
	if (!layout_moves(l)) {
		strbuf_printf(&jobs->notes,
			      "# %s: each %s begins a line of its own\n"
			      "#   ABI: its size and offsets stay, its alignment changes.\n",
			      j->ids.s, j->o.layout->name);
		return;
	}
	strbuf_printf(&jobs->notes, "# %s: %s grows from %llu to %llu bytes%s\n", j->ids.s, j->o.layout->name,
		      (unsigned long long)l->bytes_now, (unsigned long long)l->bytes_then,
		      l->gaps ? " (apart by gaps: allocated memory may begin anywhere in a line)" : "");
	strbuf_puts(&jobs->notes,
		    "#   ABI: its size and offsets change. Compile all that uses it again; look at what\n"
		    "#   is written to files, sent, or shared with other programs in its form.\n");
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

static void note_variable(struct jobs *jobs, const struct job *j)
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

/* @o begins a line then, but its parts would lie in one as before. */
static void refuse_inside(struct jobs *jobs, const struct job *j)
{
	const struct sharing_object *o = &j->o;
	struct strbuf sb = STRBUF_INIT;
	bool more = false;

	strbuf_printf(&sb, "threads meet inside of %s`%s`, at ", o->array ? "an element of " : "", o->name);
	for (size_t i = 0; i < o->n_uses; i++)
		if (!o->uses[i].beside && *o->uses[i].field) {
			strbuf_printf(&sb, "%s`%s`", more ? ", " : "", o->uses[i].field);
			more = true;
		}
	strbuf_puts(&sb, ": to begin a line does not part them");
	by_hand(jobs, j->f, o, sb.s);
	strbuf_release(&sb);
}

static void do_variable(struct jobs *jobs, const struct job *j)
{
	struct err err = ERR_INIT;

	if (!j->beside && patch_meets_inside(j->f, &j->o))
		refuse_inside(jobs, j);
	else if (!patch_variable(jobs->patch, &j->o, j->elements, &err))
		note_variable(jobs, j);
	else if (j->beside)
		strbuf_printf(
			&jobs->notes,
			"# %s: `%s` lies beside it and may come to share a line with it; not moved: %s\n",
			j->ids.s, j->o.name, err.msg);
	else
		by_hand(jobs, j->f, &j->o, err.msg);
}

static void do_type(struct jobs *jobs, struct job *j)
{
	struct remedy_layout l;
	struct err err = ERR_INIT;
	int ret;

	if (patch_check_memory(jobs->patch, &j->o, &err)) {
		by_hand(jobs, j->f, &j->o, err.msg);
		return;
	}
	if (!layout_pad(&l, &j->o, j->elements)) {
		by_hand(jobs, j->f, &j->o, "several threads meet inside of one member");
		return;
	}
	if (l.bytes_then != l.bytes_now && patch_check_asserted(jobs->patch, &j->o, &err)) {
		by_hand(jobs, j->f, &j->o, err.msg);
		layout_release(&l);
		return;
	}
	ret = patch_struct(jobs->patch, j->f, &j->o, &l, &err);
	if (ret == -ENOTSUP && layout_forget_unseen(&l, j->elements))
		ret = patch_struct(jobs->patch, j->f, &j->o, &l, &err);
	if (!ret) {
		patch_alignment(jobs->patch, &j->o);
		note_type(jobs, j, &l);
		note_order(jobs, j, &l);
	}
	/* A type of somebody else can still be given room element by element. */
	else if (ret == -ENOENT && j->elements && j->o.symbol && layout_groups(&l) == 1)
		do_variable(jobs, j);
	else
		by_hand(jobs, j->f, &j->o, err.msg);
	layout_release(&l);
}

static void release(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->n; i++) {
		for (size_t k = 0; k < jobs->at[i].o.n_uses; k++) {
			free(jobs->at[i].o.uses[k].field);
			free(jobs->at[i].o.uses[k].threads);
		}
		free(jobs->at[i].o.uses);
		strbuf_release(&jobs->at[i].ids);
	}
	vec_release(jobs);
}

/* In the order of their names. */
static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct patch_file *const *)a)->name, (*(struct patch_file *const *)b)->name);
}

/* Files with CR LF get such lines. */
static void keep_line_ends(struct patch_file *f)
{
	const char *end = memchr(f->src.text, '\n', f->src.len);

	if (!end || end == f->src.text || end[-1] != '\r')
		return;
	for (size_t i = 0; i < f->edits.n; i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_puts(&sb, "");
		for (const char *s = f->edits.at[i].add; *s; s++)
			strbuf_printf(&sb, *s == '\n' ? "\r%c" : "%c", *s);
		free(f->edits.at[i].add);
		f->edits.at[i].add = strbuf_detach(&sb);
	}
}

static void print(struct strbuf *out, struct jobs *jobs)
{
	struct patch *p = jobs->patch;

	strbuf_puts(out, "# perseus conflicts --patch: declarations that keep threads off each other's cache "
			 "lines.\n# For patch -p1 in the source directory; then build, and record again.\n");
	if (jobs->notes.len)
		strbuf_add(out, jobs->notes.s, jobs->notes.len);
	for (size_t i = 0; i < p->n_files; i++)
		keep_line_ends(p->files[i]);
	if (p->n_files)
		qsort(p->files, p->n_files, sizeof(struct patch_file *), by_name);
	for (size_t i = 0; i < p->n_files; i++)
		edits_diff(out, &p->files[i]->edits, p->files[i]->name, p->files[i]->src.text,
			   p->files[i]->src.len);
}

static bool changes(const struct patch *p)
{
	for (size_t i = 0; i < p->n_files; i++)
		if (p->files[i]->edits.n)
			return true;
	return false;
}

/* Whoever looks at other findings next begins with the sources as they are. */
static void forget_edits(struct patch *p)
{
	for (size_t i = 0; i < p->n_files; i++)
		edits_release(&p->files[i]->edits);
}

void patch_findings(struct patch_result *r, struct patch *p, const struct sharing_finding *const *findings,
		    size_t n)
{
	struct jobs jobs = {.patch = p, .result = r};

	*r = (struct patch_result){0};
	for (size_t i = 0; i < n; i++)
		plan(&jobs, findings[i]);
	for (size_t i = 0; i < jobs.n; i++) {
		if (jobs.at[i].of_type)
			do_type(&jobs, &jobs.at[i]);
		else
			do_variable(&jobs, &jobs.at[i]);
	}
	if (changes(p))
		print(&r->diff, &jobs);
	forget_edits(p);
	r->notes = jobs.notes;
	release(&jobs);
}

void patch_result_release(struct patch_result *r)
{
	for (size_t i = 0; i < r->n_refusals; i++) {
		free(r->refusals[i].why);
		free(r->refusals[i].advice);
	}
	free(r->refusals);
	strbuf_release(&r->diff);
	strbuf_release(&r->notes);
}
