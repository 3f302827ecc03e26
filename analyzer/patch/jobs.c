/* SPDX-License-Identifier: MIT */
/* Which declarations to change for which findings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/jobs.h"
#include "analyzer/patch/declared.h"
#include "analyzer/patch/types/types.h"
#include "analyzer/patch/variables/variables.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"

/* The array of numbers that use @i of @o lies in. */
static void do_numbers(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		       size_t i)
{
	char *path = mem_strndup(o->uses[i].field, remedy_stem(o->uses[i].field));
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (patch_numbers(jobs->patch, f, o, path, &err)) {
		job_by_hand(jobs, f, o, err.msg);
	} else {
		patch_alignment(jobs->patch, o);
		jobs->result->bytes += remedy_numbers_bytes(f, o, &o->uses[i]);
		strbuf_printf(&sb, "a struct of a line for each element of `%s`", path);
		note_member(jobs, f, o, sb.s);
		strbuf_release(&sb);
		jobs->members++;
	}
	free(path);
}

/* A member that is a pair, as far as the sources say; else a struct. */
static int change_member(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
			 const char *field, char **member, struct err *err)
{
	int ret = patch_pair_member(jobs->patch, f, o, field, err);

	return ret == -ENOENT ? patch_member(jobs->patch, f, o, member, err) : ret;
}

/* Layouts of members of the struct that @member is. */
static void do_member_items(struct jobs *jobs, const struct sharing_finding *f,
			    const struct sharing_object *o, const char *member)
{
	struct layout_asked asked = {f->evidence, remedy_elements(o) + !remedy_elements(o), NULL};
	struct err err = ERR_INIT;

	if (layout_items_member(jobs->items, jobs->patch, f, o, member, &asked, &err))
		job_by_hand(jobs, f, o, err.msg);
}

static void do_member(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		      size_t i)
{
	const char *field = o->uses[i].field;
	char *member = mem_strndup(field, strcspn(field, ".["));
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	jobs->patch->bases = false;
	if (jobs->items) {
		do_member_items(jobs, f, o, member);
	} else if (remedy_in_numbers(f, o, i)) {
		do_numbers(jobs, f, o, i);
	} else if (change_member(jobs, f, o, field, &member, &err)) {
		job_by_hand(jobs, f, o, err.msg);
	} else {
		patch_alignment(jobs->patch, o);
		strbuf_printf(&sb, "the type of `%s`", member);
		note_member(jobs, f, o, sb.s);
		strbuf_release(&sb);
		note_bases(jobs);
		jobs->members++;
	}
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

/* Members that threads meet between, beside those they meet inside of; NULL: none. */
static const struct sharing_use *left_beside(const struct sharing_finding *f, const struct sharing_object *o,
					     const struct sharing_use **other)
{
	for (size_t i = 0; i < o->n_uses; i++)
		for (size_t k = 0; k < i && stays(f, o, i); k++) {
			*other = &o->uses[i];
			if (stays(f, o, k) && !sharing_use_alike(&o->uses[i], &o->uses[k]))
				return &o->uses[k];
		}
	return NULL;
}

/* They are parted, too, where room between members does it: the struct is changed once more. */
static bool part_left(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	struct layout_asked asked = {f->evidence, remedy_elements(o) + !remedy_elements(o), NULL};
	struct sharing_object rest = *o;
	struct remedy_layout l;
	bool done;

	rest.uses = mem_new(o->n_uses, sizeof(*rest.uses));
	rest.n_uses = 0;
	for (size_t i = 0; i < o->n_uses; i++)
		if (stays(f, o, i))
			rest.uses[rest.n_uses++] = o->uses[i];
	done = !patch_check_memory(jobs->patch, &rest, NULL) && layout_pad(&l, &rest, false);
	if (done) {
		done = jobs->items
			       ? !layout_items_struct(jobs->items, jobs->patch, f, &rest, &l, &asked, NULL)
			       : !patch_struct(jobs->patch, f, &rest, &l, NULL);
		layout_release(&l);
	}
	free(rest.uses);
	return done;
}

static void do_left(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	const struct sharing_use *other, *use = left_beside(f, o, &other);
	bool done = use && part_left(jobs, f, o);

	if (use && !(done && jobs->items))
		strbuf_printf(
			&jobs->notes,
			done ? "# %s: so does room between `%s` and `%s` of %s\n"
			     : "# %s: threads meet between `%s` and `%s` of %s, too, which is not ended "
			       "by this:\n#   build, record again, and look at what is left\n",
			f->evidence, use->field, other->field, o->layout->name);
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
			do_member(jobs, f, o, i);
	}
	if (any)
		do_left(jobs, f, o);
	return any;
}

static void do_elements(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	struct err err = ERR_INIT;

	if (job_only_by_patch(jobs, f, o, "between elements of", o->name))
		return;
	if (patch_elements(jobs->patch, o, &err)) {
		job_by_hand(jobs, f, o, err.msg);
		return;
	}
	jobs->members++;
	jobs->result->bytes += remedy_line_bytes(o, true);
	strbuf_printf(
		&jobs->notes,
		"# %s: each element of %s gets a struct of 64 bytes\n"
		"#   ABI: the distance of its elements changes. A pointer to an element must not be moved\n"
		"#   on to the next one.\n",
		f->evidence, o->name);
}

/* A variable of bytes that struct @room was made in by placement new, and casts: that struct changes. */
static void plan_room(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *from,
		      const struct run_type *room)
{
	struct sharing_object o = *from;
	bool elements = false;

	o.uses = mem_new(o.n_uses, sizeof(*o.uses));
	memcpy(o.uses, from->uses, o.n_uses * sizeof(*o.uses));
	o.layout = room;
	o.also_allocated = true; /* it may begin anywhere */
	for (size_t i = 0; i < o.n_uses; i++) {
		o.uses[i].placed = false;
		sharing_use_place(&o.uses[i], room);
		elements |= o.uses[i].n_threads > 1;
	}
	o.array = elements;
	job_add(jobs, f, (size_t)(from - f->objects), &o, true, elements);
	free(o.uses);
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
	learned = array ? declared_array(jobs->patch, &o) : declared_struct(jobs->patch, f, &o);
	if (learned)
		job_add(jobs, f, (size_t)(from - f->objects), &o, true,
			array || remedy_between_elements(f, &o));
	else if (array)
		do_elements(jobs, f, from);
	else if (declared_members(&o))
		job_by_hand(jobs, f, from,
			    o.file ? "what is used has members, and the declaration of that name shows none"
				   : "which variable of the stack it is, is not known");
	free(o.uses);
	return learned || array || declared_members(from);
}

static void plan_object(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_remedy *pad,
			size_t i)
{
	const struct sharing_object *o = &f->objects[i];
	const struct run_type *room;
	bool elements = remedy_between_elements(f, o);

	if (!o->n_uses)
		return;
	if (patch_fortran(f, o)) {
		job_by_hand(jobs, f, o, "it is Fortran, and patches are written for C and C++ only");
		return;
	}
	if (job_without_sources(jobs, f, o))
		return;
	if (plan_learned(jobs, f, o) || plan_members(jobs, f, o))
		return;
	room = declared_room(jobs->patch, f, o);
	if (room)
		plan_room(jobs, f, o, room);
	else if (remedy_layout(pad, i))
		job_add(jobs, f, i, o, true, elements);
	else if ((o->kind == OBJECT_GLOBAL && o->symbol) || (o->kind == OBJECT_STACK && o->file))
		job_add(jobs, f, i, o, false, elements);
	else if (o->kind == OBJECT_HEAP)
		do_elements(jobs, f, o);
	else
		job_by_hand(jobs, f, o,
			    o->kind == OBJECT_UNKNOWN ? "where its memory comes from is not known"
			    : o->kind != OBJECT_TLS   ? "its declaration is not known"
			    : o->file ? "it is thread-local, and of no struct that could be changed"
				      : "which thread-local variable it is, is not known");
}

/* A variable that is moved only since another one is. */
static void add_beside(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	struct job *known = job_known(jobs, o, false);

	if (known && known->beside) {
		job_add_id(known, f);
		return;
	}
	job_add(jobs, f, 0, o, false, false);
	if (!known)
		job_known(jobs, o, false)->beside = true;
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
	char *together;
	bool bases;

	for (size_t i = 0; i < f->n_remedies && !pad; i++)
		if (f->remedies[i].kind == REMEDY_PAD)
			pad = &f->remedies[i];
	for (size_t i = 0; pad && i < f->n_objects; i++)
		plan_object(jobs, f, pad, i);
	plan_beside(jobs, f, from);
	if (!f->no_layout || pad)
		return;
	if (f->n_objects && patch_fortran(f, &f->objects[0])) {
		job_by_hand(jobs, f, &f->objects[0], f->no_layout);
		return;
	}
	together = remedy_together(f, &bases);
	job_refuse(
		jobs, f, f->no_layout,
		mem_strdup(
			bases ? "put alignas(64) in front of the one that lies behind the other, where its "
				"class declares it"
			: together
				? "take one of them out of the union; put a `: 0` between bit-fields"
				: "let each thread work on a copy of its own and store it at the end, or "
				  "let its part "
				  "begin a line; a few elements: each a struct { _Alignas(64) T v; } (C++: "
				  "alignas(64))"));
	free(together);
}

/* @o begins a line then, but its parts would lie in one as before. */
static void refuse_inside(struct jobs *jobs, const struct job *j)
{
	const struct sharing_object *o = &j->o;
	struct strbuf sb = STRBUF_INIT;
	bool more = false;

	strbuf_printf(&sb, "threads meet inside of %s`%s`, at ",
		      o->array && o->inside ? "an element of " : "", o->name);
	for (size_t i = 0; i < o->n_uses; i++)
		if (!o->uses[i].beside && *o->uses[i].field) {
			strbuf_printf(&sb, "%s`%s`", more ? ", " : "", o->uses[i].field);
			more = true;
		}
	strbuf_puts(&sb, ": to begin a line does not part them");
	job_by_hand(jobs, j->f, o, sb.s);
	strbuf_release(&sb);
}

/* Threads meet between parts of the variable, which no place of the whole ends. */
static void do_inside(struct jobs *jobs, struct job *j)
{
	struct err err = ERR_INIT;
	int ret = 0;

	if (job_only_by_patch(jobs, j->f, &j->o, "inside of", j->o.name))
		return;
	if (!patch_pair(jobs->patch, j->f, &j->o, &jobs->result->bytes))
		ret = patch_pair_numbers(jobs->patch, &j->o, &jobs->result->bytes, &err);
	j->done = !ret;
	if (j->done)
		note_pair(jobs, j);
	else if (ret == -ENOENT)
		refuse_inside(jobs, j);
	else
		job_by_hand(jobs, j->f, &j->o, err.msg);
}

/* A layout of the variable. */
static void do_variable_item(struct jobs *jobs, struct job *j)
{
	struct err err = ERR_INIT;

	if (j->elements && job_only_by_patch(jobs, j->f, &j->o, "between elements of", j->o.name))
		return;
	if (layout_items_variable(jobs->items, jobs->patch, &j->o, j->ids.s, &err))
		job_by_hand(jobs, j->f, &j->o, err.msg);
}

static void do_variable(struct jobs *jobs, struct job *j)
{
	struct err err = ERR_INIT;

	if (!j->beside &&
	    (patch_meets_inside(j->f, &j->o) || (!j->elements && patch_meets_within(j->f, &j->o)))) {
		do_inside(jobs, j);
	} else if (jobs->items) {
		do_variable_item(jobs, j);
	} else if (!patch_variable(jobs->patch, &j->o, j->elements, &err)) {
		j->done = true;
		note_variable(jobs, j);
		jobs->result->bytes += remedy_line_bytes(&j->o, j->elements);
	} else if (j->beside)
		strbuf_printf(
			&jobs->notes,
			"# %s: `%s` lies beside it and may come to share a line with it; not moved: %s\n",
			j->ids.s, j->o.name, err.msg);
	else
		job_by_hand(jobs, j->f, &j->o, err.msg);
}

/* The layout, which is the result's then. */
static void keep_layout(struct patch_result *r, const struct job *j, struct remedy_layout *l)
{
	r->bytes += (l->bytes_then - l->bytes_now) * j->structs;
	l->object = j->object;
	r->layouts = mem_resize(r->layouts, r->n_layouts + 1, sizeof(*r->layouts));
	r->layouts[r->n_layouts++] = *l;
}

/* Layouts of members of the struct, of which @l is released. */
static void do_type_items(struct jobs *jobs, struct job *j, struct remedy_layout *l)
{
	struct layout_asked asked = {j->ids.s, j->structs, NULL};
	struct err err = ERR_INIT;
	int ret = layout_items_struct(jobs->items, jobs->patch, j->f, &j->o, l, &asked, &err);

	if (ret == -ENOTSUP && layout_forget_unseen(l, j->elements))
		ret = layout_items_struct(jobs->items, jobs->patch, j->f, &j->o, l, &asked, &err);
	if (ret)
		job_by_hand(jobs, j->f, &j->o, err.msg);
	layout_release(l);
}

/* No room in the struct parts the threads: it is the variable that can begin a line, if one is known. */
static void do_unmoved(struct jobs *jobs, struct job *j)
{
	struct strbuf sb = STRBUF_INIT;

	if (!j->o.also_allocated && (j->o.symbol || (j->o.kind == OBJECT_STACK && j->o.file))) {
		do_variable(jobs, j);
		return;
	}
	strbuf_printf(&sb, "no room between members of %s parts the threads", j->o.layout->name);
	job_by_hand(jobs, j->f, &j->o, sb.s);
	strbuf_release(&sb);
}

static void do_type(struct jobs *jobs, struct job *j)
{
	struct remedy_layout l;
	struct err err = ERR_INIT;
	int ret;

	if (patch_check_memory(jobs->patch, &j->o, &err)) {
		job_by_hand(jobs, j->f, &j->o, err.msg);
		return;
	}
	if (!job_layout(&l, j)) {
		job_by_hand(jobs, j->f, &j->o, "several threads meet inside of one member");
		return;
	}
	if (l.bytes_then != l.bytes_now && patch_check_asserted(jobs->patch, &j->o, &err)) {
		job_refuse(
			jobs, j->f, err.msg,
			mem_strdup("change what it asserts along with the type if nobody else counts on the "
				   "size; else let each thread have an object of its own"));
		layout_release(&l);
		return;
	}
	if (jobs->items) {
		do_type_items(jobs, j, &l);
		return;
	}
	if (!layout_changes(&l)) {
		do_unmoved(jobs, j);
		layout_release(&l);
		return;
	}
	ret = patch_struct(jobs->patch, j->f, &j->o, &l, &err);
	if (ret == -ENOTSUP && layout_forget_unseen(&l, j->elements))
		ret = patch_struct(jobs->patch, j->f, &j->o, &l, &err);
	if (!ret) {
		patch_alignment(jobs->patch, &j->o);
		note_type(jobs, j, &l);
		keep_layout(jobs->result, j, &l);
		j->done = true;
		return;
	}
	/* A type of somebody else can still be given room element by element. */
	if (ret == -ENOENT && j->elements && j->o.symbol && layout_groups(&l) == 1)
		do_variable(jobs, j);
	else
		job_by_hand(jobs, j->f, &j->o, err.msg);
	layout_release(&l);
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

/* True if something that @f is about was changed: nothing has to keep off it else. */
static bool moved(const struct jobs *jobs, const struct sharing_finding *f)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->at[i].done && !jobs->at[i].beside && strstr(jobs->at[i].ids.s, f->evidence))
			return true;
	return jobs->members;
}

/* What has to begin a line for @findings; what lies beside it is left. */
static void do_findings(struct jobs *jobs, const struct sharing_finding *const *findings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		plan(jobs, findings[i]);
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->at[i].of_type)
			do_type(jobs, &jobs->at[i]);
		else if (!jobs->at[i].beside)
			do_variable(jobs, &jobs->at[i]);
}

int patch_layouts(struct patch_result *r, struct patch *p, const struct sharing_finding *const *findings,
		  size_t n, struct layout_items *items, struct err *err)
{
	struct jobs jobs = {.patch = p, .result = r, .items = items};

	/* What lies beside a variable stays there: the compiler gives it whole lines. */
	*r = (struct patch_result){0};
	do_findings(&jobs, findings, n);
	r->notes = jobs.notes;
	jobs_release(&jobs);
	return layout_items_finish(items, p->run, err);
}

bool patch_by_plan(struct patch_result *r, struct patch *p, const struct sharing_finding *f)
{
	struct err err = ERR_INIT;
	struct layout_items x;
	bool any;

	layout_items_begin(&x, p->run, NULL, 0);
	any = !patch_layouts(r, p, &f, 1, &x, &err) && x.at.n;
	layout_items_release(&x);
	return any;
}

void patch_findings(struct patch_result *r, struct patch *p, const struct sharing_finding *const *findings,
		    size_t n)
{
	struct jobs jobs = {.patch = p, .result = r};

	*r = (struct patch_result){0};
	do_findings(&jobs, findings, n);
	for (size_t i = 0; i < jobs.n; i++)
		if (jobs.at[i].beside && moved(&jobs, jobs.at[i].f))
			do_variable(&jobs, &jobs.at[i]);
	if (changes(p))
		print(&r->diff, &jobs);
	forget_edits(p);
	r->notes = jobs.notes;
	jobs_release(&jobs);
}

void patch_result_release(struct patch_result *r)
{
	for (size_t i = 0; i < r->n_refusals; i++) {
		free(r->refusals[i].why);
		free(r->refusals[i].advice);
	}
	for (size_t i = 0; i < r->n_layouts; i++)
		layout_release(&r->layouts[i]);
	free(r->layouts);
	free(r->refusals);
	strbuf_release(&r->diff);
	strbuf_release(&r->notes);
}
