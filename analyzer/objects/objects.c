/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/objects.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/heap.h"
#include "analyzer/objects/learned.h"
#include "analyzer/objects/names.h"
#include "analyzer/objects/origin.h"
#include "analyzer/objects/regions.h"
#include "analyzer/time/threads.h"
#include "lib/fs.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/search.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "perseus/abi.h"
#include "record/names/thread-name.h"

#define LINE_BYTES ((uint64_t)1 << PRS_LINE_SHIFT)

static int by_variable_name(const void *a, const void *b)
{
	const struct named_variable *x = a, *y = b;
	int c = strcmp(x->var->name, y->var->name);

	return c ? c : x->order < y->order ? -1 : 1;
}

static void list_variables(struct objects *os, const struct run *run)
{
	size_t n = 0;

	for (size_t m = 0; m < run->n_modules; m++)
		n += run->modules[m].sites.n_vars;
	os->vars = mem_new(n + 1, sizeof(*os->vars));
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_vars; i++) {
			os->vars[os->n_vars] =
				(struct named_variable){&run->modules[m].sites.vars[i], os->n_vars};
			os->n_vars++;
		}
	qsort(os->vars, os->n_vars, sizeof(*os->vars), by_variable_name);
}

void objects_make(struct objects *os, const struct run *run, const struct run_process *p)
{
	*os = (struct objects){.run = run, .p = p};
	list_variables(os, run);
	os->blocks = heap_blocks(p, &os->n_blocks);
	frames_make(&os->frames, run, p);
}

void objects_release(struct objects *os)
{
	for (size_t i = 0; i < os->n; i++) {
		struct object *o = &os->at[i];

		for (size_t k = 0; k < o->n_fields; k++)
			free(o->fields[k]);
		free(o->fields);
		free(o->field_bytes);
		free(o->subject);
		free(o->name);
		free(o->key);
		free(o->container);
		free(o->written);
		free(o->chain);
		free(o->owner);
	}
	free(os->at);
	free(os->index);
	free(os->vars);
	free(os->namesakes);
	free(os->blocks);
	free(os->learned);
	for (size_t i = 0; i < os->n_asked; i++)
		free(os->asked[i]);
	free(os->asked);
	vec_release(&os->regions);
	frames_release(&os->frames);
	*os = (struct objects){0};
}

/* Where the object made from @ident is in the index, or would be. */
static uint32_t *slot(const struct objects *os, enum object_kind kind, const void *ident)
{
	uint64_t h = ((uint64_t)(uintptr_t)ident + (uint64_t)kind) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32);

	for (;; i++) {
		uint32_t *s = &os->index[i & (os->n_index - 1)];

		if (!*s || (os->at[*s - 1].kind == kind && os->at[*s - 1].ident == ident))
			return s;
	}
}

static void grow_index(struct objects *os)
{
	free(os->index);
	os->n_index = os->n_index ? 4 * os->n_index : 256;
	os->index = mem_new(os->n_index, sizeof(*os->index));
	for (size_t i = 0; i < os->n; i++)
		*slot(os, os->at[i].kind, os->at[i].ident) = (uint32_t)i + 1;
}

/* The object made from @ident, or a new one of that kind. */
static struct object *intern(struct objects *os, enum object_kind kind, const void *ident)
{
	struct object *o;
	uint32_t *s;

	if (2 * os->n >= os->n_index)
		grow_index(os);
	s = slot(os, kind, ident);
	if (*s)
		return &os->at[*s - 1];
	o = vec_add(os);
	o->kind = kind;
	o->ident = ident;
	o->dims = "";
	*s = (uint32_t)os->n;
	return o;
}

/* "struct job" -> "job"; blanks would break the line `ID KIND SUBJECT`. */
static char *one_word(const char *text)
{
	static const char *const drop[] = {"struct ", "class ", "union "};
	char *s;

	for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		if (!strncmp(text, drop[i], strlen(drop[i])))
			text += strlen(drop[i]);
	s = mem_strdup(text);
	for (char *c = s; *c; c++)
		if (isspace((unsigned char)*c) || !isprint((unsigned char)*c))
			*c = '_';
	return s;
}

__attribute__((format(printf, 1, 2))) static char *objects_text(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	return text;
}

/* `struct pair[4]` has the layout of `struct pair`. */
static void set_type(struct objects *os, struct object *o, const char *type, uint64_t bytes)
{
	char element[256];
	size_t len;

	o->bytes = bytes;
	if (!name_known(type))
		return;
	len = strcspn(type, "[");
	snprintf(element, sizeof(element), "%.*s", (int)(len < 255 ? len : 255), type);
	while (len > 0 && len < 256 && element[len - 1] == ' ')
		element[--len] = '\0';
	o->type = type;
	free(o->written);
	o->written = demangle_type(type);
	o->layout = run_type(os->run, element);
	if (o->layout && !o->layout->bytes)
		o->layout = NULL;
	/* No element of an array ends in one without a bound: there `pad[0]` has nothing. */
	o->open = o->layout && regions_open(o->layout) && type[strcspn(type, "[")] != '[';
	o->array = type[strcspn(type, "[")] == '[' || (o->layout && bytes > o->layout->bytes && !o->open);
}

/* Dimensions of a variable as its declaration says them. */
static void set_dimensions(struct object *o, const char *dims)
{
	uint64_t n = 1;

	o->dims = "";
	if (!dims || *dims != '[')
		return;
	for (const char *s = dims; *s == '['; s += strcspn(s, "]") + 1) {
		uint64_t d = strtoull(s + 1, NULL, 10);

		if (!d || d > o->bytes || n > o->bytes / d || !strchr(s, ']'))
			return;
		n *= d;
	}
	o->dims = dims;
	o->array = true;
	o->open = false;
	o->unit = o->bytes / n;
}

/* The first variable of that name among os->vars, os->n_vars: there is none. */
static size_t first_variable(const struct objects *os, const char *name)
{
	size_t lo = search_first(os->n_vars, i, strcmp(os->vars[i].var->name, name) < 0);

	return lo < os->n_vars && !strcmp(os->vars[lo].var->name, name) ? lo : os->n_vars;
}

static const struct run_variable *known_namesake(const struct objects *os, const struct run_symbol *sym)
{
	for (size_t i = 0; i < os->n_namesakes; i++)
		if (os->namesakes[i].symbol == sym)
			return os->namesakes[i].var;
	return NULL;
}

static const struct run_module *module_of(const struct run *run, const struct run_symbol *sym)
{
	for (size_t m = 0; m < run->n_modules; m++)
		if (sym >= run->modules[m].symbols &&
		    sym < run->modules[m].symbols + run->modules[m].n_symbols)
			return &run->modules[m];
	return NULL;
}

static size_t n_of_name(const struct run_module *m, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_symbols; i++)
		n += !strcmp(m->symbols[i].name, name);
	return n;
}

static bool one_declaration(const struct run_variable *x, const struct run_variable *y)
{
	return x->line == y->line && !strcmp(x->file, y->file);
}

/*
 * "n.0" of two units are two variables, and the table has not those of units that were compiled without
 * probes: NULL, if no access has told which one is meant.
 */
static const struct run_variable *variable(const struct objects *os, const struct run_symbol *sym)
{
	const struct run_variable *known = known_namesake(os, sym), *found = NULL;
	const struct run_module *m = known ? NULL : module_of(os->run, sym);
	size_t n = 0;

	for (size_t i = m ? first_variable(os, sym->name) : os->n_vars;
	     i < os->n_vars && !strcmp(os->vars[i].var->name, sym->name); i++) {
		const struct run_variable *var = os->vars[i].var;

		if (var < m->sites.vars || var >= m->sites.vars + m->sites.n_vars)
			continue;
		if (found && !one_declaration(found, var))
			return NULL;
		found = var;
		n++;
	}
	return known ? known : n && n >= n_of_name(m, sym->name) ? found : NULL;
}

/* Static variables of one name: the one that a file accesses by this name is its own. */
static void learn_namesake(struct objects *os, uint64_t address, const struct run_mem_site *site)
{
	const struct run_symbol *sym = run_symbol(os->run, os->p, address, NULL);
	size_t first = sym ? first_variable(os, sym->name) : os->n_vars;

	if (first + 1 >= os->n_vars || strcmp(os->vars[first + 1].var->name, sym->name) ||
	    known_namesake(os, sym))
		return;
	for (size_t i = first; i < os->n_vars && !strcmp(os->vars[i].var->name, sym->name); i++) {
		const struct run_variable *v = os->vars[i].var;

		if (strcmp(v->file, site->file) && strcmp(v->file, site->unit))
			continue;
		os->namesakes = mem_resize(os->namesakes, os->n_namesakes + 1, sizeof(*os->namesakes));
		os->namesakes[os->n_namesakes++] = (struct named_symbol){sym, v};
		return;
	}
}

/* 8 of 32 bytes with the dimensions "[4][2]"; 0: not of rows. */
static uint64_t row_bytes(const char *dims, uint64_t bytes)
{
	uint64_t rows = strstr(dims, "][") ? strtoull(dims + 1, NULL, 10) : 0;

	return rows > 1 && bytes % rows == 0 ? bytes / rows : 0;
}

/* A variable with a symbol; each thread has its own of OBJECT_TLS, and all go by one name. */
static uint32_t global(struct objects *os, enum object_kind kind, const struct run_symbol *sym)
{
	struct object *o = intern(os, kind, sym);
	const struct run_variable *var;

	if (!o->name) {
		var = variable(os, sym);
		o->name = name_of_symbol(os->run, sym->name, var);
		o->subject = one_word(o->name);
		o->key = objects_text("%s|%s|%s", kind == OBJECT_TLS ? "tls" : "global", sym->name,
				      var ? fs_base_name(var->file) : "-");
		set_type(os, o, var ? var->type : NULL, sym->bytes ? sym->bytes : var ? var->bytes : 0);
		set_dimensions(o, var ? var->dims : NULL);
		o->file = var && name_known(var->file) ? var->file : NULL;
		o->line = var ? var->line : 0;
		o->row_bytes = var ? row_bytes(var->dims, o->bytes) : 0;
	}
	return (uint32_t)(o - os->at);
}

/* The thread-local variable of @thread; met as several threads' own, it is nobody's. */
static uint32_t local_of(struct objects *os, const struct run_symbol *sym, uint32_t thread)
{
	uint32_t i = global(os, OBJECT_TLS, sym);
	struct strbuf sb = STRBUF_INIT;

	thread_base_name(&sb, os->run, os->p, thread);
	if (!os->at[i].owner)
		os->at[i].owner = mem_strdup(sb.s);
	else if (strcmp(os->at[i].owner, sb.s))
		os->at[i].owner[0] = '\0';
	strbuf_release(&sb);
	return i;
}

void objects_learn(struct objects *os, uint64_t line, uint64_t tick, const struct run_mem_site *site,
		   uint64_t mask)
{
	learned_add(os, line, tick, site, mask);
	if (mask && !strchr(site->base, '*') && !strstr(site->base, "->"))
		learn_namesake(os, line + (uint64_t)__builtin_ctzll(mask), site);
	frames_learn(&os->frames, line, site, mask);
}

static void name_heap(struct object *o, const struct run_call_site *alloc, const struct run_call_site *asker,
		      const char *inside)
{
	const char *type = o->written ? o->written : o->type;
	struct strbuf sb = STRBUF_INIT;
	size_t len;

	o->name = objects_text("heap %s:%u%s%s", o->file ? fs_base_name(o->file) : "-", o->line,
			       type ? " " : "",
			       o->container ? o->container
			       : type       ? type
					    : "");
	len = o->container ? strlen(o->container) : 0;
	if (len > 8 && !strcmp(o->container + len - 8, " element")) {
		/* What is one of several is said by "[]". */
		strbuf_printf(&sb, "%.*s", (int)(len - 8), o->container);
		o->subject = one_word(sb.s);
	} else {
		/* "long int" is no word, and without its blank no type. */
		o->subject =
			o->container ? one_word(o->container)
			: type && (o->layout || !strchr(type, ' '))
				? one_word(type)
				: objects_text("heap@%s:%u", o->file ? fs_base_name(o->file) : "-", o->line);
	}
	strbuf_release(&sb);
	if (alloc)
		strbuf_printf(&sb, "heap|%s|%s%s%s", alloc->id, alloc->instance, *inside ? "|" : "", inside);
	else
		strbuf_printf(&sb, "heap|-|%s", type ? type : "-");
	if (alloc && asker)
		strbuf_printf(&sb, "|%s|%s", asker->id, asker->instance);
	o->key = strbuf_detach(&sb);
}

/*
 * What a std::shared_ptr holds lies behind the library's counts in one block, if
 * std::make_shared() took it: the type and its place in the block; NULL: it is none.
 */
static const struct run_type *held_type(const struct objects *os, const struct run_call_site *by,
					uint64_t *offset)
{
	char *name = by && origin_says_type(by) ? name_of_shared(by->alloc_type) : NULL;
	const struct run_type *block = name ? run_type(os->run, by->alloc_type) : NULL;
	const struct run_type *held = name ? run_type(os->run, name) : NULL, *found = NULL;

	for (size_t i = 0; block && held && held->bytes && !found && i < block->n_fields; i++) {
		const struct run_field *f = &block->fields[i];

		if (!strstr(f->name, "_M_storage.") || f->bytes < held->bytes)
			continue;
		*offset = f->offset;
		found = held;
	}
	free(name);
	return found;
}

/* The type that @by or accesses tell of a block, and where in it objects of it lie. */
static void set_heap_type(struct objects *os, struct object *o, const struct heap_block *b,
			  const struct run_call_site *by, const struct run_mem_site *site)
{
	const struct object_type *seen = by ? learned_type(os, by) : NULL;
	bool says = by && origin_says_type(by);
	bool pages = o->mapped || learned_maps(run_call_site(os->p, b->site)), placed;
	const char *type = says                  ? by->alloc_type
			   : seen                ? seen->type->name
			   : learned_tells(site) ? site->type
						 : NULL;
	uint64_t bytes = pages ? learned_mapped_bytes(os, b, type) : b->bytes;

	placed = learned_place(o, seen, pages, &bytes);
	if (by && by->alloc_skip < bytes && !placed) {
		o->offset += by->alloc_skip;
		bytes -= by->alloc_skip;
	}
	set_type(os, o, type, bytes);
	if (says && !o->layout && by->alloc_bytes < bytes)
		o->unit = by->alloc_bytes;
	/* A type told by accesses need not begin where the block begins. */
	o->guessed = !says && o->layout && o->layout->bytes != bytes && !placed;
}

/* Where in the sources the block comes from, and what a container's is called. */
static void set_origin(struct objects *os, struct object *o, const struct heap_block *b,
		       const struct run_call_site *by)
{
	const struct run_call_site *alloc = run_call_site(os->p, b->site);
	const struct rec_call *outer;
	struct run_place place;
	char *round;

	o->allocator = alloc;
	o->allocation = by;
	if (!alloc)
		return;
	origin_place(os->run, os->p, b, alloc, &place, &outer);
	o->file = name_known(place.file) ? place.file : NULL;
	o->line = o->file ? place.line : 0;
	round = origin_functions(os->p, b, alloc);
	o->container = name_of_container(o->written ? o->written : o->type, round);
	o->chain = origin_chain(os->run, os->p, outer);
	free(round);
}

/* Who asked a function of the library for @b, which @by stands for; NULL: @by says it. */
static const struct run_call_site *asker_of(const struct objects *os, const struct heap_block *b)
{
	const struct run_call_site *alloc = run_call_site(os->p, b->site);
	const struct rec_call *outer;
	struct run_place place;

	return alloc ? origin_place(os->run, os->p, b, alloc, &place, &outer) : NULL;
}

/* What objects of blocks that @asker (may be NULL) had from @by are made from. */
static const char *made_from(struct objects *os, const struct run_call_site *by,
			     const struct run_call_site *asker)
{
	struct object_asked *a;

	if (!by || !asker)
		return (const char *)by;
	for (size_t i = 0; i < os->n_asked; i++)
		if (os->asked[i]->by == by && os->asked[i]->asker == asker)
			return (const char *)os->asked[i];
	a = mem_new(1, sizeof(*a));
	*a = (struct object_asked){.by = by, .asker = asker};
	os->asked = mem_resize(os->asked, os->n_asked + 1, sizeof(*os->asked));
	os->asked[os->n_asked++] = a;
	return (const char *)a;
}

/* The object of block @b that @address lies in. */
static uint32_t heap(struct objects *os, const struct heap_block *b, uint64_t address,
		     const struct run_mem_site *site)
{
	const struct run_call_site *by = origin_call(os->p, b), *asker = asker_of(os, b);
	const char *from = made_from(os, by, asker);
	uint64_t skip = 0;
	const struct run_type *held = held_type(os, by, &skip);
	bool inside = held && address - b->start >= skip;
	struct region_place in;
	struct object *o;

	regions_find(os, b, address - b->start, &in);
	inside |= in.number && in.number != SIZE_MAX;
	/* Blocks of unknown origin are distinguished by who uses them; what is held is an object of its own. */
	o = intern(os, OBJECT_HEAP,
		   inside ? (const void *)(from + 1 + (held ? 0 : in.number))
		   : by   ? (const void *)from
			  : site);
	if (o->name)
		return (uint32_t)(o - os->at);
	o->mapped = os->mapped;
	if (in.number != SIZE_MAX) {
		set_type(os, o, in.type->name, in.bytes);
		o->offset = in.offset;
		o->unnumbered = !in.numbered;
	} else {
		set_heap_type(os, o, b, by, site);
		if (inside) {
			set_type(os, o, held->name, held->bytes);
			o->offset += skip;
		}
	}
	set_origin(os, o, b, by);
	/* Which of the types of a block of bytes comes first hangs on the run. */
	inside |= in.number == 0 && !origin_says_type(by);
	name_heap(o, by, asker, held && inside ? "held" : inside ? in.type->name : "");
	return (uint32_t)(o - os->at);
}

/* What OpenMP shares with the threads of a region lies in a struct of its own, a member for each variable. */
static bool of_region(const struct run_call_site *site)
{
	return !strncmp(site->callee, ".omp_data", 9);
}

static void name_local(const struct objects *os, struct object *o, const struct run_call_site *site,
		       const char *name)
{
	const struct run_function *f = run_function(os->run, site->function);
	char *word = one_word(name);

	o->subject = word;
	o->name = objects_text("%s of %s()", name, site->pretty);
	o->key = objects_text("stack|%s|%s", site->function, name);
	o->file = name_known(site->file) ? site->file : NULL;
	o->line = o->file ? site->line : 0;
	o->function_line = f && o->file && !strcmp(f->file, o->file) ? f->line : 0;
}

/* A variable of a frame, from the note that was made before a thread began. */
static struct place local(struct objects *os, const struct heap_block *b, const struct run_call_site *site,
			  uint64_t address)
{
	const struct run_type *type = of_region(site) ? run_type(os->run, site->alloc_type) : NULL;
	struct run_field_place p;
	struct object *o;

	if (type && !run_field_at(type, address - b->start, 0, NULL, &p)) {
		o = intern(os, OBJECT_STACK, p.field);
		if (!o->name) {
			name_local(os, o, site, p.name);
			o->bytes = p.field->bytes;
			o->whole = true;
		}
		return (struct place){(uint32_t)(o - os->at), b->start + p.offset};
	}
	o = intern(os, OBJECT_STACK, site);
	if (!o->name) {
		name_local(os, o, site, site->callee);
		set_type(os, o, site->alloc_type, b->bytes);
		set_dimensions(o, site->alloc_dims);
		o->row_bytes = row_bytes(o->dims, o->bytes);
	}
	return (struct place){(uint32_t)(o - os->at), b->start};
}

static uint32_t of_thread(struct objects *os, enum object_kind kind, uint32_t thread,
			  const struct run_mem_site *site)
{
	struct object *o = intern(os, kind, &os->p->threads[thread]);
	struct strbuf sb = STRBUF_INIT, role = STRBUF_INIT;
	char *word;

	if (!o->name) {
		thread_base_name(&sb, os->run, os->p, thread);
		thread_role(&role, os->run, os->p, thread);
		word = one_word(sb.s);
		o->name = objects_text("%s of %s", kind == OBJECT_TLS ? "thread-local data" : "stack", sb.s);
		o->subject = objects_text("%s@%s", kind == OBJECT_TLS ? "tls" : "stack", word);
		o->key = objects_text("%s|%s", kind == OBJECT_TLS ? "tls" : "stack", role.s);
		if (site && name_known(site->type))
			o->type = site->type;
		free(word);
		strbuf_release(&sb);
		strbuf_release(&role);
	}
	return (uint32_t)(o - os->at);
}

/* What the field of an access belongs to: "m" of "m->ticks". */
static char *holder_word(const struct run_mem_site *site)
{
	char *word = one_word(site && name_known(site->base) ? site->base : "memory");
	size_t len = strlen(word), end = site ? strlen(site->field) : 0;

	if (end && name_known(site->field) && len > end + 2 && !strcmp(word + len - end, site->field) &&
	    !strncmp(word + len - end - 2, "->", 2))
		word[len - end - 2] = '\0';
	return word;
}

static uint32_t unknown(struct objects *os, const struct run_mem_site *site)
{
	struct object *o = intern(os, OBJECT_UNKNOWN, site);
	char *word;

	if (!o->name) {
		word = holder_word(site);
		o->name = site ? objects_text("%s in %s (memory of unknown origin)", word, site->pretty)
			       : objects_text("memory of unknown origin");
		o->subject = word;
		o->key = objects_text("unknown|%s", site ? site->id : "-");
		if (site && name_known(site->type)) {
			o->type = site->type;
			o->layout = NULL; /* where the object begins is not known */
		}
	}
	return (uint32_t)(o - os->at);
}

/* A local variable of a function, in whatever frame it lay. */
static uint32_t of_frame(struct objects *os, const struct frame_variable *v)
{
	const struct run_mem_site *site = v->site;
	struct object *o = intern(os, OBJECT_STACK, site);
	const struct run_function *f = run_function(os->run, site->function);
	size_t n = name_root(site->base);
	char *word;

	if (!o->name) {
		o->name = objects_text("%.*s of %s()", (int)n, site->base, site->pretty);
		word = one_word(site->pretty);
		o->subject = objects_text("%.*s@%s()", (int)n, site->base, word);
		o->key = objects_text("stack|%s|%.*s", site->function, (int)n, site->base);
		o->file = f && name_known(f->file) ? f->file : NULL;
		o->line = o->file ? f->line : 0;
		/* Of the whole variable only where the field is all that stands behind its name. */
		if (name_known(site->type) && name_known(site->field) && site->base[n] == '.' &&
		    !strcmp(site->base + n + 1, site->field))
			set_type(os, o, site->type, 0);
		free(word);
	}
	return (uint32_t)(o - os->at);
}

struct place objects_find(struct objects *os, uint64_t address, uint64_t tick,
			  const struct run_mem_site *site)
{
	const struct run_call_site *alloc;
	const struct heap_block *b;
	const struct run_symbol *sym;
	enum frame_memory memory;
	struct frame_variable v;
	uint64_t offset = 0;
	uint32_t thread;

	sym = run_symbol(os->run, os->p, address, &offset);
	if (sym)
		return (struct place){global(os, OBJECT_GLOBAL, sym), address - offset};
	b = heap_find(os->blocks, os->n_blocks, address, tick);
	alloc = b ? run_call_site(os->p, b->site) : NULL;
	if (alloc && run_site_is_frame(alloc))
		return local(os, b, alloc, address);
	if (b) {
		uint32_t o = heap(os, b, address, site);

		return (struct place){o, b->start + os->at[o].offset};
	}
	memory = frames_thread(os->p, address, &thread);
	/* A thread's variables lie right above its frames, and libc's block above them. */
	if (memory != FRAME_NONE)
		sym = run_local_symbol(os->p, os->p->threads[thread].raw, address, &offset);
	if (sym)
		return (struct place){local_of(os, sym, thread), address - offset};
	if (memory == FRAME_STACK && frames_find(&os->frames, address, &v))
		return (struct place){of_frame(os, &v), v.base};
	if (memory != FRAME_NONE)
		return (struct place){
			of_thread(os, memory == FRAME_TLS ? OBJECT_TLS : OBJECT_STACK, thread, site), 0};
	return (struct place){unknown(os, site), 0};
}

/* Bytes [@address, @address + @bytes) as far as they lie in @line. */
static uint64_t bytes_in_line(uint64_t line, uint64_t address, uint64_t bytes)
{
	uint64_t first = line << PRS_LINE_SHIFT, mask = 0;

	for (uint64_t b = address; b < address + bytes; b++)
		if (b >= first && b - first < LINE_BYTES)
			mask |= (uint64_t)1 << (b - first);
	return mask;
}

/* "f()::count", and the site lies in another function than f(). */
static bool static_of_other(const struct object *o, const char *stem, const struct run_mem_site *site)
{
	size_t n = strlen(site->pretty);

	if (stem < o->name + 4 || strncmp(stem - 3, ")::", 3))
		return false;
	return strncmp(o->name, site->pretty, n) || o->name[n] != '(';
}

/* Is @place what the site names: the variable, or elements of its type? */
static bool matches(const struct object *o, const struct run_mem_site *site)
{
	size_t len = site ? name_root(site->base) : 0;
	const char *stem = name_stem(o->name);

	if (!site)
		return false;
	if ((o->kind == OBJECT_GLOBAL || o->kind == OBJECT_TLS) && len && !strncmp(stem, site->base, len) &&
	    !stem[len])
		return !static_of_other(o, stem, site);
	return o->layout && name_known(site->type) && !strcmp(o->layout->name, site->type);
}

/* How well an object of the line fits what the site says: what nobody declared is the compiler's own. */
static int likelihood(const struct object *o, const struct run_mem_site *site)
{
	if (matches(o, site))
		return 3;
	if (o->kind == OBJECT_UNKNOWN)
		return 0;
	return o->kind == OBJECT_GLOBAL && !o->type && !o->file ? 1 : 2;
}

struct place objects_find_in_line(struct objects *os, uint64_t line, uint64_t tick,
				  const struct run_mem_site *site)
{
	struct place first = objects_find(os, line << PRS_LINE_SHIFT, tick, site), place;

	for (uint64_t a = 8; a < LINE_BYTES; a += 8) {
		place = objects_find(os, (line << PRS_LINE_SHIFT) + a, tick, site);
		if (likelihood(&os->at[place.object], site) > likelihood(&os->at[first.object], site))
			first = place;
	}
	first.base = 0; /* which byte was used is not known */
	return first;
}

/* The member that the site names is longer than the access: which part of it is not known. */
static bool in_array_member(const struct object *o, const struct run_mem_site *site)
{
	for (size_t i = 0; o->layout && name_known(site->field) && i < o->layout->n_fields; i++) {
		const struct run_field *f = &o->layout->fields[i];

		if (f->offset <= site->offset && site->offset < f->offset + f->bytes)
			return strstr(f->name, "[]") || (f->bytes > site->bytes && strchr(f->name, '['));
	}
	return false;
}

uint64_t objects_static_mask(struct objects *os, uint64_t line, uint64_t tick,
			     const struct run_mem_site *site)
{
	uint64_t first = line << PRS_LINE_SHIFT, seen = 0, mask = 0, unit, at;

	if (!site || !site->bytes || site->bytes > LINE_BYTES)
		return 0;
	/* Try every place in the line where an object may begin or go on. */
	for (uint64_t a = first; a < first + LINE_BYTES; a += 4) {
		struct place place = objects_find(os, a, tick, site);
		const struct object *o = &os->at[place.object];

		if (!place.base || place.base == seen || o->guessed || !matches(o, site))
			continue;
		seen = place.base;
		at = name_known(site->field) ? site->offset : 0;
		unit = o->layout && !o->open ? o->layout->bytes : 0;
		if (!unit && (o->array || strstr(site->base, "[]") || o->bytes > site->bytes))
			return 0; /* some element */
		if (in_array_member(o, site))
			return 0; /* the same, inside of the struct */
		if (unit && place.base + at + site->bytes <= first)
			at += (first - (place.base + at + site->bytes) + unit) / unit * unit;
		if (unit && o->array && bytes_in_line(line, place.base + at + unit, site->bytes))
			return 0; /* one of several elements */
		mask |= bytes_in_line(line, place.base + at, site->bytes);
	}
	return mask;
}
