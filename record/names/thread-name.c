/* SPDX-License-Identifier: MIT */
#include "record/names/thread-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/shown.h"
#include "record/file/sites.h"

#define KERNEL_NAME 15 /* characters that the kernel keeps */
#define FRAMES_MAX  64 /* links of an inline chain that are looked at */
#define HOPS_MAX    16 /* calls on the way from a header of the library to the program */

/* The first function of the program's own that a thread came to. */
struct first_frame {
	char function[512]; /* assembler name */
	bool probed;        /* it was called by a call with probes, which has its time */
	bool region;        /* ... and is an OpenMP region: round it the thread is the library's */
};

/* True if @address lies in a module that carries probes. */
static bool in_probed_module(const struct run_process *p, uint64_t address)
{
	for (size_t u = 0; u < p->n_units; u++)
		if (address >= p->units[u].module->start && address < p->units[u].module->end)
			return true;
	return false;
}

/* Routines of libraries that call what the program gave them; they may be linked in. */
static bool is_trampoline(const char *name)
{
	static const char *const known[] = {"execute_native_thread_routine", "gomp_thread_start",
					    "g_thread_proxy"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(name, known[i], strlen(known[i])))
			return true;
	return false;
}

/* The routine in the program's own code that the thread was created with, NULL: none. */
static const struct run_symbol *start_symbol(const struct run *run, const struct run_process *p,
					     const struct prs_thread *t)
{
	const struct run_symbol *sym = NULL;

	if (t->start_routine && in_probed_module(p, t->start_routine))
		sym = run_symbol(run, p, t->start_routine, NULL);
	return sym && !is_trampoline(sym->name) && !run_is_library(run, sym->name) ? sym : NULL;
}

/* Constructors and destructors of arguments run before and after the function that is meant. */
static bool makes_or_ends(const char *name)
{
	const char *end = name + strlen(name);

	if (strncmp(name, "_ZN", 3))
		return false;
	for (const char *p = name + 3; p + 3 < end; p++)
		if ((p[0] == 'C' || p[0] == 'D') && p[1] >= '0' && p[1] <= '5' && p[2] == 'E')
			return true;
	return false;
}

static bool is_heap(const char *name)
{
	static const char *const begins[] = {"_Znw", "_Zna", "_Zdl", "_Zda"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

enum frame {
	FRAME_LIBRARY, /* go on inwards */
	FRAME_OWN,     /* the program's: kept */
	FRAME_ASIDE    /* it leads nowhere else */
};

/* Look at the function @name[@len], and keep it in @f if it is the program's own. */
static enum frame look(const struct run *run, struct first_frame *f, const char *name, size_t len)
{
	if (!len || len >= sizeof(f->function))
		return FRAME_LIBRARY;
	memcpy(f->function, name, len);
	f->function[len] = '\0';
	if (is_heap(f->function) || run_is_library(run, f->function))
		return FRAME_LIBRARY;
	return makes_or_ends(f->function) ? FRAME_ASIDE : FRAME_OWN;
}

/* The function that a call leads to, if it is one of the modules with probes; NULL. */
static const char *callee_of(const struct run *run, const struct run_process *p, const struct rec_call *c,
			     const struct run_call_site *site)
{
	const struct run_symbol *sym;

	if (!c->callee)
		return strcmp(site->callee, "indirect") && run_home(p, NULL, site->callee) ? site->callee
											   : NULL;
	sym = in_probed_module(p, c->callee) ? run_symbol(run, p, c->callee, NULL) : NULL;
	return sym ? sym->name : NULL;
}

/* From the outside in: the inline chain of the call, the function that holds it, what it calls. */
static enum frame frame_of(const struct run *run, const struct run_process *p, const struct rec_call *c,
			   struct first_frame *f)
{
	const struct run_call_site *site = run_call_site(p, c->site);
	enum frame got = FRAME_LIBRARY;
	const char *callee;

	f->probed = f->region = false;
	if (!site)
		return FRAME_LIBRARY;
	f->region = run_has_flag(site->flags, PRS_CF_REGION);
	for (const char *at = strcmp(site->chain, "-") ? site->chain : ""; !got && *at; at += *at == '>') {
		size_t len = strcspn(at, ">");
		const char *colon = memrchr(at, ':', len);

		got = look(run, f, at, colon ? (size_t)(colon - at) : 0);
		at += len;
	}
	if (!got)
		got = look(run, f, site->function, strlen(site->function));
	callee = got ? NULL : callee_of(run, p, c, site);
	if (!callee)
		return got;
	f->probed = true;
	return look(run, f, callee, strlen(callee));
}

/* The first call in the order of the record, which is that of the thread, that leads into the program. */
static bool first_frame(const struct run *run, const struct run_process *p, const struct run_thread *t,
			struct first_frame *f)
{
	bool *aside = mem_new(t->n_calls + 1, sizeof(*aside));
	enum frame got = FRAME_LIBRARY;

	for (size_t i = 0; i < t->n_calls && got != FRAME_OWN; i++) {
		const struct rec_call *c = &t->records[i];

		/* What was round it was not kept, or began before a fork. */
		if (c->up ? aside[c->up - t->records] : c->parent != PRS_NO_SITE)
			got = FRAME_ASIDE;
		else
			got = frame_of(run, p, c, f);
		aside[i] = got == FRAME_ASIDE;
	}
	free(aside);
	return got == FRAME_OWN;
}

/* ---- as people write it --------------------------------------------------------------- */

/* What the tables know of a function, or of the one that the compiler made it out of. */
static const struct run_function *known_function(const struct run *run, const char *name)
{
	const struct run_function *f = run_function(run, name);
	char *whole;

	if (f || !strchr(name, '.'))
		return f;
	whole = mem_strndup(name, strcspn(name, "."));
	f = run_function(run, whole);
	free(whole);
	return f;
}

static void add_pretty(struct strbuf *out, const struct run *run, const char *name)
{
	const struct run_function *f = known_function(run, name);
	char *whole, *pretty;

	if (f && strcmp(f->pretty, "-")) {
		strbuf_puts(out, f->pretty);
		return;
	}
	whole = mem_strndup(name, strcspn(name, "."));
	pretty = demangle_short(whole);
	strbuf_puts(out, pretty ? pretty : whole);
	free(pretty);
	free(whole);
}

static bool is_lambda(const char *pretty)
{
	return strstr(pretty, "<lambda") || strstr(pretty, "{lambda");
}

/* The call of the creator that made the thread, NULL: not known. */
static const struct run_call_site *create_site(const struct run_process *p, uint32_t thread)
{
	uint32_t site = thread ? p->threads[thread].raw->create_site : PRS_NO_SITE;

	return site == PRS_NO_SITE ? NULL : run_call_site(p, site);
}

/* Where in the program's own source the thread was made; false: not known. */
static bool create_place(const struct run *run, const struct run_process *p, uint32_t thread,
			 struct run_place *place)
{
	const struct prs_thread *t = p->threads[thread].raw;
	uint32_t at = t->create_site;

	for (int hops = 0; t->creator < p->n_threads && at != PRS_NO_SITE && hops < HOPS_MAX; hops++) {
		const struct run_call_site *site = run_call_site(p, at);

		if (!site)
			return false;
		run_site_place(run, site, place);
		if (strncmp(place->file, "/usr/", 5) && strcmp(place->file, "-") && place->line)
			return true;
		at = run_site_round(&p->threads[t->creator], at);
	}
	return false;
}

/* The first function of the tables whose assembler name begins with @prefix, NULL: none. */
static const struct run_function *function_begins(const struct run *run, const char *prefix)
{
	size_t n = strlen(prefix);

	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_functions; i++)
			if (!strncmp(run->modules[m].sites.functions[i].name, prefix, n))
				return &run->modules[m].sites.functions[i];
	return NULL;
}

/*
 * The body of the lambda that the assembler name @wrapper has as a template's argument:
 * _ZZ4mainENKUliE_clEi for what holds Z4mainEUliE_.  NULL: it holds none that is known.
 */
static const struct run_function *body_of_lambda(const struct run *run, const char *wrapper)
{
	const char *type = strstr(wrapper, "EUl"), *end = type ? type + 3 : NULL;
	const struct run_function *f = NULL;
	char prefix[512];

	while (end && (end = strchr(end, 'E')) && end[1 + strspn(end + 1, "0123456789")] != '_')
		end++;
	if (!end)
		return NULL;
	end += 2 + strspn(end + 1, "0123456789");
	for (const char *z = strchr(wrapper + 2, 'Z'); !f && z && z < type; z = strchr(z + 1, 'Z'))
		for (int mutable = 0; !f && mutable < 2; mutable ++) {
			snprintf(prefix, sizeof(prefix), "_Z%.*sN%s%.*scl", (int)(type + 1 - z), z,
				 mutable ? "" : "K", (int)(end - type - 1), type + 1);
			f = function_begins(run, prefix);
		}
	return f;
}

/* A lambda has no name: where it is written says more than its number. */
static void add_lambda(struct strbuf *out, const struct run *run, const struct run_process *p,
		       uint32_t thread, const char *name)
{
	const struct run_call_site *maker = name ? NULL : create_site(p, thread);
	const struct run_function *f = name ? run_function(run, name) : NULL;
	struct run_place place;

	if (maker)
		f = body_of_lambda(run, maker->function);
	if (f && strcmp(f->file, "-") && f->line)
		strbuf_printf(out, "lambda at %s:%u", fs_base_name(f->file), f->line);
	else if (create_place(run, p, thread, &place))
		strbuf_printf(out, "lambda at %s:%u", fs_base_name(place.file), place.line);
	else
		strbuf_puts(out, "lambda");
}

static void add_function(struct strbuf *out, const struct run *run, const struct run_process *p,
			 uint32_t thread, const char *name)
{
	struct strbuf pretty = STRBUF_INIT;

	add_pretty(&pretty, run, name);
	if (is_lambda(pretty.s))
		add_lambda(out, run, p, thread, name);
	else
		strbuf_puts(out, pretty.s);
	strbuf_release(&pretty);
}

/* ---- OpenMP ------------------------------------------------------------------------------- */

static const char *region_mark(const char *name)
{
	return name ? strstr(name, "._omp_fn") : NULL;
}

/* The one region that a thread of the OpenMP library worked in; @many: there are several. */
static const char *region_of(const struct run *run, const struct run_process *p, const struct run_thread *t,
			     const struct first_frame *f, bool *many)
{
	const char *region = region_mark(f->function) ? f->function : NULL;

	*many = false;
	for (size_t i = 0; i < t->n_waits; i++) {
		const struct run_symbol *sym = NULL;

		if (t->waits[i].kind == PRS_EV_TEAM && t->waits[i].object)
			sym = run_symbol(run, p, t->waits[i].object, NULL);
		if (!sym || !region_mark(sym->name))
			continue;
		*many |= region && strcmp(region, sym->name);
		region = sym->name;
	}
	return region;
}

/* "region main:12": the function that people wrote it in, and its line if the tables have it. */
static void add_region(struct strbuf *out, const struct run *run, const char *name)
{
	const struct run_function *f = run_function(run, name);
	char *in = mem_strndup(name, (size_t)(region_mark(name) - name));

	strbuf_puts(out, "region ");
	add_pretty(out, run, in);
	if (f && f->line)
		strbuf_printf(out, ":%u", f->line);
	free(in);
}

/* ---- what is left ------------------------------------------------------------------------- */

/* What the constructor of std::thread, whose name is @pretty, was given: "Worker", "" a plain function. */
static void add_callable(struct strbuf *out, const struct run *run, const struct run_process *p,
			 uint32_t thread, const char *pretty)
{
	const char *begin = strchr(pretty, '<');
	size_t len = 0;
	int depth = 0;

	if (begin && is_lambda(begin)) {
		add_lambda(out, run, p, thread, NULL);
		return;
	}
	for (const char *s = begin ? begin + 1 : ""; *s && (depth || !strchr(",>", *s)); s++, len++)
		depth += (*s == '<' || *s == '(') - (*s == '>' || *s == ')');
	while (len && begin[len] == ' ')
		len--;
	if (len && !memchr(begin + 1, '(', len) && !memchr(begin + 1, '*', len))
		strbuf_printf(out, "%.*s::operator()", (int)len, begin + 1);
	else
		strbuf_printf(out, "%.*s", (int)strcspn(pretty, "(<"), "std::thread");
}

static void add_by_creation(struct strbuf *out, const struct run *run, const struct run_process *p,
			    uint32_t thread)
{
	const struct prs_thread *t = p->threads[thread].raw;
	const struct run_call_site *site = create_site(p, thread);
	struct strbuf maker = STRBUF_INIT;
	struct run_place place;

	if (site)
		add_pretty(&maker, run, site->function);
	if (site && !strncmp(maker.s, "std::", 5))
		add_callable(out, run, p, thread, maker.s);
	else if (t->name[0] && strncmp(t->name, p->threads[0].raw->name, sizeof(t->name)))
		strbuf_printf(out, "%.16s", t->name);
	else if (site && create_place(run, p, thread, &place))
		strbuf_printf(out, "thread of %s", maker.s);
	else
		strbuf_puts(out, "thread");
	strbuf_release(&maker);
}

/* A process that was forked by another thread goes on as that thread. */
static bool is_main(const struct run_process *p)
{
	const struct prs_thread *t = p->threads[0].raw;

	return t->creator == PRS_NO_THREAD && !t->start_routine;
}

void thread_role(struct strbuf *out, const struct run *run, const struct run_process *p, uint32_t thread)
{
	const struct run_thread *t = &p->threads[thread];
	const struct run_symbol *sym = start_symbol(run, p, t->raw);
	struct first_frame f = {.function = ""};
	const char *region;
	bool framed, many;

	if (!thread && is_main(p)) {
		strbuf_puts(out, "main");
		return;
	}
	if (sym) {
		add_function(out, run, p, thread, sym->name);
		return;
	}
	framed = first_frame(run, p, t, &f);
	if (!framed)
		f.function[0] = '\0';
	region = region_of(run, p, t, &f, &many);
	if (many)
		strbuf_puts(out, "OpenMP worker");
	else if (region)
		add_region(out, run, region);
	else if (framed)
		add_function(out, run, p, thread, f.function);
	else if (!thread)
		strbuf_puts(out, "main");
	else
		add_by_creation(out, run, p, thread);
}

/* A thread that came to no call: its region, or what its creator gave it. */
static bool routine_unseen(struct strbuf *out, const struct run *run, const struct run_process *p,
			   uint32_t thread)
{
	const struct first_frame none = {.function = ""};
	bool many, made = thread && create_site(p, thread);
	const char *region = region_of(run, p, &p->threads[thread], &none, &many);

	if (region)
		strbuf_puts(out, region);
	else if (made)
		thread_role(out, run, p, thread);
	return region || made;
}

bool thread_routine(struct strbuf *out, const struct run *run, const struct run_process *p, uint32_t thread,
		    bool *called)
{
	const struct run_thread *t = &p->threads[thread];
	const struct run_symbol *sym = start_symbol(run, p, t->raw);
	struct first_frame f = {.function = ""};
	bool framed;

	*called = false;
	framed = first_frame(run, p, t, &f);
	/* A forked child goes on in the middle of something: its first call says where. */
	if (sym)
		strbuf_puts(out, sym->name);
	else if (!thread && !p->header->epoch && p == run->processes && run_function(run, "main"))
		strbuf_puts(out, "main");
	else if (framed && f.region)
		return false;
	else if (framed)
		strbuf_puts(out, f.function);
	else
		return routine_unseen(out, run, p, thread);
	*called = !sym && framed && f.probed;
	return true;
}

/* ---- what the program called it ------------------------------------------------------------- */

/* What the kernel calls thread @i: now, if @kernel says it, or in the record. */
static void kernel_called(const struct run_process *p, const char *const *kernel, uint32_t i,
			  char name[THREAD_NAME])
{
	const char *raw = p->threads[i].raw->name;

	if (kernel && kernel[i])
		snprintf(name, THREAD_NAME, "%.16s", kernel[i]);
	else
		snprintf(name, THREAD_NAME, "%.16s", raw);
}

/* Threads begin with the name of their creator. */
static bool is_of_another(const struct run_process *p, const char *const *kernel, uint32_t thread,
			  const char *name)
{
	uint32_t creator = thread < p->n_threads ? p->threads[thread].raw->creator : PRS_NO_THREAD;
	char theirs[THREAD_NAME];

	if (!thread || !p->n_threads)
		return false;
	kernel_called(p, kernel, 0, theirs);
	if (!strncmp(name, theirs, KERNEL_NAME))
		return true;
	if (creator >= p->n_threads || creator == thread)
		return false;
	kernel_called(p, kernel, creator, theirs);
	return !strncmp(name, theirs, KERNEL_NAME);
}

static bool gave_name(const struct run_process *p, const char *const *kernel, uint32_t thread,
		      const char *name)
{
	if (!*name || (!thread && p->n_threads && is_main(p)) || is_of_another(p, kernel, thread, name))
		return false;
	for (size_t i = 0; i < p->n_modules; i++)
		if (!strncmp(name, fs_base_name(p->modules[i].path), KERNEL_NAME))
			return false;
	return true;
}

bool thread_is_named(const struct run_process *p, uint32_t thread, const char *kernel)
{
	return gave_name(p, NULL, thread, kernel);
}

/* The name that the program gave, as it may be shown; false: none. */
static bool given_name(const struct run_process *p, const char *const *kernel, uint32_t thread,
		       char name[THREAD_NAME])
{
	kernel_called(p, kernel, thread, name);
	if (!gave_name(p, kernel, thread, name))
		return false;
	shown_make(name, "");
	return true;
}

/* "pool-3" without what numbers it; a number that follows a letter may be part of a word. */
static size_t without_number(const char *name)
{
	size_t n = strlen(name), at = n;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at == n || !at || !strchr(" -_#.:/", name[at - 1]))
		return n;
	while (at && strchr(" -_#.:/", name[at - 1]))
		at--;
	return at ? at : n;
}

void thread_base_name(struct strbuf *out, const struct run *run, const struct run_process *p, uint32_t thread)
{
	char given[THREAD_NAME];

	if (given_name(p, NULL, thread, given))
		strbuf_printf(out, "%.*s", (int)without_number(given), given);
	else
		thread_role(out, run, p, thread);
}

void thread_whole_name(struct strbuf *out, const struct run *run, const struct run_process *p,
		       uint32_t thread)
{
	char given[THREAD_NAME];

	if (given_name(p, NULL, thread, given))
		strbuf_puts(out, given);
	else
		thread_role(out, run, p, thread);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

bool thread_never_ran(const struct prs_thread *t)
{
	return (t->state & PRS_THREAD_EXITED) && t->create_tsc && t->start_tsc == t->create_tsc &&
	       t->end_tsc == t->create_tsc;
}

/* A thread to be numbered. */
struct numbered {
	uint32_t creator, thread;
	uint64_t born;
};

static int by_birth(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->creator != y->creator)
		return x->creator < y->creator ? -1 : 1;
	if (x->born != y->born)
		return x->born < y->born ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Creators first, then the threads of each in its own program order, whoever was scheduled first. */
static uint32_t *creation_order(const struct run_process *p)
{
	struct numbered *all = mem_new(p->n_threads + 1, sizeof(*all));
	uint32_t *first = mem_new(p->n_threads + 2, sizeof(*first)), n = (uint32_t)p->n_threads, done = 0;
	uint32_t *order = mem_new(p->n_threads + 1, sizeof(*order));

	for (uint32_t i = 0; i < n; i++) {
		const struct prs_thread *t = p->threads[i].raw;
		bool own = i && !(t->state & PRS_THREAD_FOREIGN) && t->creator < n && t->creator != i;

		all[i] = (struct numbered){i && own ? t->creator : 0, i,
					   t->create_tsc ? t->create_tsc : t->start_tsc};
		first[all[i].creator + 1]++;
	}
	for (uint32_t i = 0; i < n; i++)
		first[i + 1] += first[i];
	if (n)
		qsort(all + 1, n - 1, sizeof(*all), by_birth);
	order[done++] = 0;
	for (uint32_t q = 0; q < done && q < n; q++)
		for (uint32_t k = first[order[q]]; k < first[order[q] + 1] && done < n; k++)
			if (all[k].thread)
				order[done++] = all[k].thread;
	free(all);
	free(first);
	while (done < n) /* a circle of creators: a damaged record */
		order[done++] = 0;
	return order;
}

/* A name and its place in the order of creation. */
struct placed {
	const char *name;
	uint32_t rank, thread;
};

static int by_name(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static char *number(const char *base, size_t n)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s %zu", base, n);
	return strbuf_detach(&sb);
}

char **thread_names(const struct run *run, const struct run_process *p, const char *const *kernel)
{
	char **names = mem_new(p->n_threads + 1, sizeof(*names));
	struct placed *all = mem_new(p->n_threads + 1, sizeof(*all));
	uint32_t *order = creation_order(p);
	size_t n = 0, to;

	for (uint32_t i = 0; i < p->n_threads; i++) {
		struct strbuf sb = STRBUF_INIT;
		char given[THREAD_NAME];

		if (given_name(p, kernel, i, given))
			strbuf_puts(&sb, given);
		else
			thread_role(&sb, run, p, i);
		names[i] = strbuf_detach(&sb);
	}
	for (uint32_t i = 0; i < p->n_threads; i++)
		if ((order[i] || !i) && !thread_never_ran(p->threads[order[i]].raw))
			all[n++] = (struct placed){names[order[i]], i, order[i]};
	qsort(all, n, sizeof(*all), by_name);
	for (size_t from = 0; from < n; from = to) {
		for (to = from + 1; to < n && !strcmp(all[to].name, all[from].name);)
			to++;
		for (size_t i = from; to - from > 1 && i < to; i++)
			names[all[i].thread] = number(all[i].name, i - from);
		for (size_t i = from; to - from > 1 && i < to; i++)
			free((char *)all[i].name);
	}
	free(all);
	free(order);
	return names;
}
