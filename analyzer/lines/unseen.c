/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/unseen.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/inspect/demangle.h"
#include "lib/inspect/elf.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "perseus/sites.h"

/* So many functions are named, those with most time. */
#define NAMED 3u

/* Time in a function without probes. */
struct spent {
	const char *function;
	double ticks;
};
struct vec_spent VEC(struct spent);

static int by_ticks(const void *a, const void *b)
{
	const struct spent *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	return strcmp(x->function, y->function);
}

static void unseen_add(struct vec_spent *all, const char *function, double ticks)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i].function, function)) {
			all->at[i].ticks += ticks;
			return;
		}
	vec_push(all, ((struct spent){function, ticks}));
}

static const struct run_function *known_near(const struct run *run, const struct run_module *m, size_t at,
					     int step)
{
	for (size_t i = at + (size_t)step; i < m->n_symbols; i += (size_t)step) {
		const struct run_function *f =
			strchr("TtWw", m->symbols[i].type) ? run_function(run, m->symbols[i].name) : NULL;

		if (f)
			return f;
	}
	return NULL;
}

/* Is the function a link of the inline chain `function:line>function:line`? */
static bool in_chain(const char *chain, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = chain; (at = strstr(at, name)); at += len)
		if ((at == chain || at[-1] == '>') && at[len] == ':')
			return true;
	return false;
}

/* Does the unit hold a site of the function, or one that was inlined into it? */
static bool in_unit(const struct sites_unit *u, const char *name)
{
	for (uint32_t i = 0; i < u->n_calls; i++)
		if (!strcmp(u->calls[i].function, name) || in_chain(u->calls[i].chain, name))
			return true;
	for (uint32_t i = 0; i < u->n_mems; i++)
		if (!strcmp(u->mems[i].function, name) || in_chain(u->mems[i].chain, name))
			return true;
	return false;
}

/* Do the site tables name the function anywhere? */
static bool in_tables(const struct run *run, const char *name)
{
	if (run_function(run, name))
		return true;
	for (size_t i = 0; i < run->n_modules; i++)
		for (size_t k = 0; k < run->modules[i].sites.n_units; k++)
			if (in_unit(&run->modules[i].sites.units[k], name))
				return true;
	return false;
}

/* Functions of one source file or unit; what stands between them in the module is of it, too. */
static bool together(const struct sites *s, const struct run_function *f, const struct run_function *g)
{
	if (!f || !g)
		return false;
	if (!strcmp(f->file, g->file))
		return true;
	for (size_t i = 0; i < s->n_units; i++)
		if (in_unit(&s->units[i], f->name) && in_unit(&s->units[i], g->name))
			return true;
	return false;
}

/*
 * Was the function compiled with probes, though it has none?  One that touches no memory
 * needs none, and what was inlined into it has them in its stead.  A local one belongs to a
 * unit that calls it, and others are told by their neighbours.
 */
static bool of_probed_unit(const struct run *run, const char *name)
{
	if (in_tables(run, name) || !strncmp(name, "_ZL", 3))
		return true;
	for (size_t k = 0; k < run->n_modules; k++) {
		const struct run_module *m = &run->modules[k];

		for (size_t i = 0; m->sites.n_units && i < m->n_symbols; i++) {
			if (strcmp(m->symbols[i].name, name))
				continue;
			return m->symbols[i].type != 'T' ||
			       together(&m->sites, known_near(run, m, i, -1), known_near(run, m, i, 1));
		}
	}
	return false;
}

/* The function that a call goes to if it has no probes; NULL: it has, or it is not known which it is. */
static const char *goes_to(const struct run *run, const struct run_process *p, const struct rec_call *c)
{
	const struct run_call_site *site = run_call_site(p, c->site);
	const struct run_symbol *sym = c->callee ? run_symbol(run, p, c->callee, NULL) : NULL;
	const char *name = !site ? NULL : c->callee ? (sym ? sym->name : NULL) : site->callee;

	if (!name || run_has_flag(site->flags, PRS_CF_WAIT) || run_has_flag(site->flags, PRS_CF_CREATE))
		return NULL;
	return of_probed_unit(run, name) ? NULL : name;
}

/* Ticks that the thread did not wait. */
static double worked(const struct run_process *p, const struct run_thread *t)
{
	uint64_t end = t->raw->end_tsc ? t->raw->end_tsc : p->end, waited = 0;
	double life = end > t->raw->start_tsc ? (double)(end - t->raw->start_tsc) : 0;

	for (size_t i = 0; i < t->n_waits; i++)
		if (!(t->waits[i].flags & PRS_WAIT_TAKEN))
			waited += t->waits[i].ticks;
	return life > (double)waited ? life - (double)waited : 0;
}

/* The start routine of a thread in which no probe ever ran. */
static const char *starts_without(const struct run *run, const struct run_process *p,
				  const struct run_thread *t)
{
	const struct run_symbol *sym;

	if (t->n_calls || t->n_lines || t->n_notes || !t->raw->start_routine)
		return NULL;
	sym = run_symbol(run, p, t->raw->start_routine, NULL);
	return sym && !of_probed_unit(run, sym->name) ? sym->name : NULL;
}

/* What a thread waited inside of such calls is no time in which anything is missed. */
static void take_waits(struct vec_spent *all, const struct run *run, const struct run_process *p,
		       const struct run_thread *t)
{
	for (size_t i = 0; i < t->n_waits; i++) {
		const struct run_call_site *site = run_call_site(p, t->waits[i].site);

		if (site && !(t->waits[i].flags & PRS_WAIT_TAKEN) && strcmp(site->callee, "indirect") &&
		    !run_function(run, site->callee) && !run_has_flag(site->flags, PRS_CF_WAIT))
			unseen_add(all, site->callee, -(double)t->waits[i].ticks);
	}
}

/* All time worked by threads that could share; their part in functions without probes goes into @all. */
static double unseen_gather(struct vec_spent *all, const struct run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];

		for (size_t k = 0; k < p->n_threads; k++) {
			const struct run_thread *t = &p->threads[k];
			const char *name = starts_without(run, p, t);

			sum += worked(p, t);
			if (name)
				unseen_add(all, name, worked(p, t));
			for (size_t c = 0; c < t->n_calls; c++) {
				name = goes_to(run, p, t->calls[c]);
				if (name)
					unseen_add(all, name, run_own_ticks(t->calls[c], t->totals[c]));
			}
			take_waits(all, run, p, t);
		}
	}
	return sum;
}

bool unseen_of_the_system(const char *path)
{
	static const char *const names[] = {"libc.so",  "libm.so",  "ld-linux", "linux-vdso", "libpthread",
					    "libdl.so", "librt.so", "libgcc_s", "libperseus"};
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(base, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Those that come with the compiler, too: what the program does there is mostly its own. */
static bool of_the_compiler(const char *path)
{
	return unseen_of_the_system(path) || strstr(path, "libstdc++.so") || strstr(path, "libgomp.so");
}

/* Does the file define the function? */
static bool defines(const char *path, const char *function)
{
	struct strbuf symbols = STRBUF_INIT;
	struct err err = ERR_INIT;
	size_t len = strlen(function);
	bool found = false;

	if (!elf_symbols(path, &symbols, &err) && symbols.len)
		for (const char *s = symbols.s; !found && (s = strstr(s, function)); s += len)
			found = s > symbols.s && s[-1] == ' ' && s[len] == '\n';
	strbuf_release(&symbols);
	return found;
}

/* Is it a function of the C library, which we are linked with ourselves, or of the compiler's own ones? */
static bool common_function(const char *name)
{
	return dlsym(RTLD_DEFAULT, name) || !strncmp(name, "_ZNSt", 5) || !strncmp(name, "_ZNKSt", 6) ||
	       !strncmp(name, "_ZSt", 4) || !strncmp(name, "GOMP_", 5) || !strncmp(name, "omp_", 4) ||
	       !strncmp(name, "__cxa_", 6) || !strncmp(name, "_Zn", 3) || !strncmp(name, "_Zd", 3);
}

/* One of the places where the linker looks, relative to the program at @program; false: not there. */
static bool in_folder(const char *folder, size_t len, const char *program, const char *name,
		      const char *function)
{
	static const char origin[] = "$ORIGIN";
	const char *slash = strrchr(program, '/');
	struct strbuf path = STRBUF_INIT;
	bool found;

	if (len >= sizeof(origin) - 1 && !strncmp(folder, origin, sizeof(origin) - 1)) {
		strbuf_printf(&path, "%.*s", slash ? (int)(slash - program) : 0, program);
		folder += sizeof(origin) - 1;
		len -= sizeof(origin) - 1;
	}
	strbuf_printf(&path, "%.*s/%s", (int)len, folder, name);
	found = defines(path.s, function);
	strbuf_release(&path);
	return found;
}

static bool in_library(const char *folders, const char *program, const char *name, const char *function)
{
	static const char *const usual[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
					    "/usr/local/lib", "/usr/lib64"};

	for (const char *at = folders; at && *at; at += strcspn(at, ":"), at += *at == ':')
		if (in_folder(at, strcspn(at, ":"), program, name, function))
			return true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (in_folder(usual[i], strlen(usual[i]), program, name, function))
			return true;
	return false;
}

/* The library of those that @program needs that defines @function. */
static char *needed_holder(const char *program, const char *function)
{
	struct strbuf dynamic = STRBUF_INIT, names = STRBUF_INIT;
	const char *folders = NULL;
	struct err err = ERR_INIT;
	char *found = NULL;
	Elf64_Dyn d;

	if (!elf_section(program, ".dynamic", &dynamic, &err) &&
	    !elf_section(program, ".dynstr", &names, &err)) {
		for (size_t at = 0; at + sizeof(d) <= dynamic.len; at += sizeof(d)) {
			memcpy(&d, dynamic.s + at, sizeof(d));
			if ((d.d_tag == DT_RUNPATH || d.d_tag == DT_RPATH) && d.d_un.d_val < names.len)
				folders = names.s + d.d_un.d_val;
		}
		for (size_t at = 0; !found && at + sizeof(d) <= dynamic.len; at += sizeof(d)) {
			memcpy(&d, dynamic.s + at, sizeof(d));
			if (d.d_tag == DT_NEEDED && d.d_un.d_val < names.len &&
			    !of_the_compiler(names.s + d.d_un.d_val) &&
			    in_library(folders, program, names.s + d.d_un.d_val, function))
				found = mem_strdup(names.s + d.d_un.d_val);
		}
	}
	strbuf_release(&dynamic);
	strbuf_release(&names);
	return found;
}

/* "libplug.so", or what else holds the function; NULL: the system or the compiler. */
static char *holder(const struct run *run, const char *function)
{
	char *found = NULL;

	for (size_t i = 0; i < run->manifest.n_modules; i++) {
		const struct manifest_module *m = &run->manifest.modules[i];

		if (!of_the_compiler(m->path) && defines(m->path, function))
			return mem_strdup(fs_base_name(m->path));
	}
	if (common_function(function))
		return NULL;
	for (size_t i = 0; i < run->manifest.n_modules && !found; i++)
		found = needed_holder(run->manifest.modules[i].path, function);
	return found ? found : mem_strdup("a library");
}

static bool no_memory_probes(const struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].header->n_mems)
			return false;
	return true;
}

static bool has_company(const struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].n_threads > 1)
			return true;
	return run->n_processes > 1;
}

/*
 * A task that the program makes by itself has the thread pointer of its maker, and
 * with it its record: nothing distinguishes the two.
 */
static bool makes_task(const struct run_call_site *site)
{
	return site && (!strcmp(site->callee, "clone") || !strcmp(site->callee, "__clone") ||
			!strcmp(site->callee, "__clone2") || !strcmp(site->callee, "clone3"));
}

static void find_tasks(struct notes *doubts, const struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];

		for (size_t k = 0; k < p->n_threads; k++)
			for (size_t c = 0; c < p->threads[k].n_calls; c++) {
				const struct run_call_site *site =
					run_call_site(p, p->threads[k].calls[c]->site);
				struct run_place place;

				if (!makes_task(site))
					continue;
				run_site_place(run, site, &place);
				notes_add(doubts,
					  "the task made by %s() at %s:%u cannot be told from its maker: "
					  "sharing between them is not seen",
					  site->callee, place.file, place.line);
				return;
			}
	}
}

void unseen_find(struct notes *blind, struct notes *doubts, const struct run *run)
{
	struct vec_spent all = VEC_INIT;
	double sum;

	if (no_memory_probes(run)) {
		notes_add(doubts, "no object of the program has memory probes: no sharing could be seen");
		return;
	}
	find_tasks(doubts, run);
	if (!has_company(run))
		return;
	sum = unseen_gather(&all, run);
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), by_ticks);
	for (size_t i = 0, n = 0; i < all.n && n < NAMED && all.at[i].ticks >= UNSEEN_NAMED * sum; i++) {
		char *file = holder(run, all.at[i].function);
		double share = all.at[i].ticks < sum ? all.at[i].ticks / sum : 1;
		char *pretty = demangle_short(all.at[i].function);

		if (!file) {
			free(pretty);
			continue;
		}
		n++;
		notes_add(share >= UNSEEN_DOUBT ? doubts : blind,
			  "threads spent %.0f %% of their time in %s (%s), which has no probes: "
			  "sharing there is not seen",
			  100 * share, pretty ? pretty : all.at[i].function, file);
		free(pretty);
		free(file);
	}
	vec_release(&all);
}

/* The linker says its name in the section of comments; ld and gold write none there. */
static const char *other_linker(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = {0};
	const char *found = NULL;

	if (!elf_section(path, ".comment", &text, &err))
		found = memmem(text.s, text.len, "LLD", 3)     ? "lld"
			: memmem(text.s, text.len, "mold ", 5) ? "mold"
							       : NULL;
	strbuf_release(&text);
	return found;
}

void unseen_places(struct notes *blind, const struct run *run)
{
	for (size_t i = 0; i < run->manifest.n_modules; i++) {
		const struct manifest_module *m = &run->manifest.modules[i];
		const char *linker = m->sites_sha256 ? other_linker(m->path) : NULL;

		if (linker)
			notes_add(blind,
				  "%s was linked by %s: its globals may lie on other lines than without "
				  "probes (ld and gold keep their places)",
				  fs_base_name(m->path), linker);
	}
}
