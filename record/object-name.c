/* SPDX-License-Identifier: MIT */
#include "record/object-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/search.h"
#include "record/names/thread-name.h"
#include "record/parts.h"

#define HOPS_MAX 8 /* calls on the way from a header of the library to the program */

/* A call that was given @object as argument @arg. */
struct given {
	uint64_t object;
	const struct rec_call *call; /* that record of it, NULL: not known */
	uint32_t thread, site, arg;
};
struct given_list VEC(struct given);

struct object_names {
	const struct run *run;
	const struct run_process *p;
	struct given_list given; /* by object */
};

static int by_object(const void *a, const void *b)
{
	const struct given *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* True if a call of @name is itself the one that locks, waits or signals, and not one round it. */
static bool is_lock_call(const char *name)
{
	static const char *const begins[] = {"pthread_", "sem_", "mtx_", "cnd_", "omp_"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static void gather(struct object_names *n, uint32_t thread)
{
	const struct run_thread *t = &n->p->threads[thread];

	for (size_t i = 0; i < t->n_waits; i++) {
		const struct prs_wait *w = &t->waits[i];
		const struct run_call_site *site = run_call_site(n->p, w->site);
		const struct rec_call *call = site ? run_wait_call(t, w) : NULL;

		if (!site || !(is_lock_call(site->callee) || run_is_library(n->run, site->callee)))
			continue;
		if (w->object)
			vec_push(&n->given, ((struct given){w->object, call, thread, w->site, 0}));
		if (w->pair)
			vec_push(&n->given, ((struct given){w->pair, call, thread, w->site, 1}));
	}
}

struct object_names *object_names_make(const struct run *run, const struct run_process *p)
{
	struct object_names *n = mem_new(1, sizeof(*n));

	*n = (struct object_names){.run = run, .p = p};
	for (uint32_t i = 0; i < p->n_threads; i++)
		gather(n, i);
	if (n->given.n)
		qsort(n->given.at, n->given.n, sizeof(*n->given.at), by_object);
	return n;
}

void object_names_free(struct object_names *n)
{
	if (!n)
		return;
	vec_release(&n->given);
	free(n);
}

/* ---- members ----------------------------------------------------------------------------- */

/* The field as far as the program wrote it, the rest is inside of a library's type. */
static void add_field(struct strbuf *sb, const char *between, const char *field)
{
	for (size_t len; *field; field += len + (field[len] == '.')) {
		len = strcspn(field, ".");
		if (!strncmp(field, "_M_", 3) || !strncmp(field, "__", 2))
			return;
		strbuf_printf(sb, "%s%.*s", between, (int)len, field);
		between = ".";
	}
}

static bool is_closure(const char *type)
{
	return strstr(type, "<lambda") || strstr(type, "{lambda");
}

/* Words that say no more than that it is a lock of the library. */
static bool of_library(const struct run_object *o)
{
	static const char *const bare[] = {"mutex", "recursive_mutex", "shared_mutex", "timed_mutex",
					   "condition_variable"}; /* under -flto */

	for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++)
		if (!strcmp(o->type, bare[i]))
			return true;
	return !strncmp(o->type, "std::", 5) || !strncmp(o->type, "__", 2) ||
	       !strncmp(o->type, "union ", 6) || !strncmp(o->type, "pthread_", 8) ||
	       !strncmp(o->type, "struct __", 9);
}

static bool is_pointer(const struct run_object *o)
{
	return o->field[0] == '*';
}

/* What a lambda caught is a variable of the function round it. */
static void add_caught(struct strbuf *sb, const char *field)
{
	field += *field == '*';
	field += 2 * !strncmp(field, "__", 2);
	strbuf_puts(sb, field);
}

static void add_member(struct strbuf *sb, const struct run *run, const struct run_object *o)
{
	const char *between = !strncmp(o->type, "struct ", 7) ? "." : "::";
	const struct run_type *type;
	char field[128];

	if (!strcmp(o->type, "-")) {
		add_field(sb, "", o->field);
		return;
	}
	if (is_closure(o->type)) {
		add_caught(sb, o->field);
		return;
	}
	strbuf_printf(sb, "%s%s", is_pointer(o) ? "*" : "", o->type);
	if (strcmp(o->field, "-")) {
		add_field(sb, between, o->field + is_pointer(o));
		return;
	}
	type = run_type(run, o->type);
	if (type && !run_field_name(type, o->offset, field, sizeof(field)))
		add_field(sb, between, field);
	else
		strbuf_printf(sb, "+%llu", (unsigned long long)o->offset);
}

static const struct run_object *own_words(const struct run_call_site *site, uint32_t arg)
{
	for (uint32_t i = 0; i < RUN_OBJECTS; i++)
		if (site->object[i].type && (arg == RUN_OBJECTS || site->object[i].arg == arg) &&
		    !of_library(&site->object[i]))
			return &site->object[i];
	return NULL;
}

/* The way outwards from a call that was given something. */
struct way {
	const struct rec_call *call; /* NULL: any of the site's */
	uint32_t site, thread;
};

static void go_outwards(const struct object_names *n, struct way *w)
{
	if (w->call)
		w->site = w->call->up ? w->call->up->site : w->call->parent;
	else
		w->site = run_site_round(&n->p->threads[w->thread], w->site);
	w->call = w->call ? w->call->up : NULL;
}

/* A lock inside of a class of locks: whose member that is, says the call of its method. */
static const struct run_object *whole_of(const struct object_names *n, struct way *w,
					 const struct run_object *o)
{
	const struct run_call_site *site;

	go_outwards(n, w);
	site = run_call_site(n->p, w->site);
	for (uint32_t i = 0; site && i < RUN_OBJECTS; i++)
		if (site->object[i].type && !strcmp(site->object[i].member, o->type) &&
		    !of_library(&site->object[i]))
			return &site->object[i];
	return o;
}

/* Through the library and one function of the program's, to a call that tells. */
static const struct run_object *words_of(const struct object_names *n, const struct given *g)
{
	struct way w = {g->call, g->site, g->thread};
	uint32_t arg = is_lock_call(run_call_site(n->p, g->site)->callee) ? g->arg : RUN_OBJECTS;
	unsigned own = 0;

	for (int hops = 0; hops < HOPS_MAX && own < 2; hops++) {
		const struct run_call_site *site = run_call_site(n->p, w.site);
		const struct run_object *o = site ? own_words(site, arg) : NULL;

		if (o)
			return whole_of(n, &w, o);
		if (!site)
			return NULL;
		own += !run_is_library(n->run, site->function);
		go_outwards(n, &w);
		arg = RUN_OBJECTS;
	}
	return NULL;
}

/* Of several ways to say it the one that says most, then the first by name: the same in every run. */
static bool says_more(const struct run_object *a, const struct run_object *b)
{
	int c;

	if (!b || is_pointer(a) != is_pointer(b))
		return !b || is_pointer(b);
	if (!strcmp(a->type, "-") != !strcmp(b->type, "-"))
		return !strcmp(b->type, "-");
	c = strcmp(a->type, b->type);
	return (c ? c : strcmp(a->field, b->field)) < 0;
}

static bool add_given(struct strbuf *out, const struct object_names *n, uint64_t object)
{
	const struct run_object *best = NULL;
	size_t lo = search_first(n->given.n, i, n->given.at[i].object < object);

	for (; lo < n->given.n && n->given.at[lo].object == object; lo++) {
		const struct run_object *o = words_of(n, &n->given.at[lo]);

		if (o && says_more(o, best))
			best = o;
	}
	if (best)
		add_member(out, n->run, best);
	return best != NULL;
}

/* ---- variables ------------------------------------------------------------------------------ */

static const struct run_variable *find_variable(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_modules; i++)
		for (size_t k = 0; k < run->modules[i].sites.n_vars; k++)
			if (!strcmp(run->modules[i].sites.vars[k].name, name))
				return &run->modules[i].sites.vars[k];
	return NULL;
}

static void add_variable(struct strbuf *sb, const struct run *run, const struct run_symbol *sym,
			 uint64_t offset)
{
	const struct run_variable *var = find_variable(run, sym->name);
	const struct run_type *type = var ? run_type(run, var->type) : NULL;
	char *name = demangle_short(sym->name), field[128];

	strbuf_puts(sb, name ? name : sym->name);
	free(name);
	if (type && type->bytes && var->bytes > type->bytes)
		strbuf_printf(sb, "[%llu]", (unsigned long long)(offset / type->bytes));
	if (type && type->bytes && !run_field_name(type, offset % type->bytes, field, sizeof(field)))
		add_field(sb, ".", field);
	else if (!type && offset)
		strbuf_printf(sb, "+%llu", (unsigned long long)offset);
}

/* The newest allocation that holds @object; a record has these only of sharing runs. */
static const struct prs_note *find_note(const struct run_process *p, uint64_t object)
{
	const struct prs_note *best = NULL;

	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_notes; k++) {
			const struct prs_note *n = &p->threads[i].notes[k];

			if (object < n->address || object - n->address >= n->bytes)
				continue;
			if (!best || n->tsc > best->tsc)
				best = n;
		}
	return best;
}

/* "struct queue.lock" of an allocation whose type is known. */
static bool add_heap(struct strbuf *out, const struct object_names *n, uint64_t object)
{
	const struct prs_note *note = find_note(n->p, object);
	const struct run_call_site *site = note ? run_call_site(n->p, note->site) : NULL;
	const char *name = site && site->alloc_type ? site->alloc_type : "-";
	const struct run_type *type = run_type(n->run, name);
	struct run_object o = {.type = name, .field = "-", .member = "-"};

	if (!strcmp(name, "-"))
		return false;
	if (type && type->bytes) {
		o.offset = (object - note->address) % type->bytes;
		add_member(out, n->run, &o);
	} else {
		strbuf_puts(out, name);
	}
	return true;
}

/* The thread on whose stack it lies, PRS_NO_THREAD: none. */
static uint32_t stack_of(const struct run_process *p, uint64_t object)
{
	for (uint32_t i = 0; i < p->n_threads; i++)
		if (object >= p->threads[i].raw->stack_low && object < p->threads[i].raw->stack_high)
			return i;
	return PRS_NO_THREAD;
}

bool object_is_of_library(const struct object_names *n, uint64_t object)
{
	uint64_t offset;
	const struct run_symbol *sym = object ? run_symbol(n->run, n->p, object, &offset) : NULL;

	return sym && run_in_std(sym->name);
}

bool object_name(struct strbuf *out, const struct object_names *n, uint64_t object)
{
	uint64_t offset = 0;
	const struct run_symbol *sym = object ? run_symbol(n->run, n->p, object, &offset) : NULL;
	uint32_t stack = object ? stack_of(n->p, object) : PRS_NO_THREAD;
	bool told;

	if (sym && !run_in_std(sym->name)) {
		add_variable(out, n->run, sym, offset);
		return true;
	}
	told = object && (add_given(out, n, object) || add_heap(out, n, object));
	if (stack == PRS_NO_THREAD)
		return told;
	strbuf_puts(out, told ? ", local of " : "local of ");
	thread_base_name(out, n->run, n->p, stack);
	return true;
}
