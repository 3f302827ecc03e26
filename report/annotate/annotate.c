/* SPDX-License-Identifier: MIT */
#include "report/annotate/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"
#include "record/names/names.h"
#include "report/annotate/parts.h"

#define NAMED_MAX 8 /* files of the run that a message names */

/* The line's entry; a new one if it has none. */
static struct annotate_line *line_of(struct annotate *a, uint32_t line)
{
	size_t low = search_first(a->n, i, a->lines[i].line < line);

	if (low < a->n && a->lines[low].line == line)
		return &a->lines[low];
	a->lines = mem_resize(a->lines, a->n + 1, sizeof(*a->lines));
	memmove(&a->lines[low + 1], &a->lines[low], (a->n - low) * sizeof(*a->lines));
	a->lines[low] = (struct annotate_line){.line = line};
	a->n++;
	return &a->lines[low];
}

static bool is_file(const struct annotate *a, const char *file)
{
	return file && !strcmp(file, a->file);
}

static void add_functions(struct annotate *a)
{
	for (size_t i = 0; i < a->s->n_functions; i++) {
		const struct report_function *f = &a->s->functions[i];
		struct annotate_line *l;

		if (f->at_call || !f->line || !is_file(a, f->file))
			continue;
		l = line_of(a, f->line);
		if (!l->function || f->self_ns > l->self_ns)
			l->function = f->name;
		l->self_ns += f->self_ns;
		l->total_ns += f->total_ns;
		l->called += f->calls;
		l->about |= f->about;
	}
}

static void add_calls(struct annotate *a)
{
	for (size_t i = 0; i < a->s->n_sites; i++) {
		const struct report_site *c = &a->s->sites[i];
		struct annotate_line *l;

		if (!c->site || !c->site->line || !is_file(a, c->site->file))
			continue;
		l = line_of(a, c->site->line);
		l->calls += c->calls;
		l->calls_ns += c->total_ns;
		l->about |= c->about;
	}
}

static void add_waits(struct annotate *a)
{
	for (size_t i = 0; i < a->s->n_waits; i++) {
		const struct report_wait *w = &a->s->waits[i];
		struct annotate_line *l;

		if (!w->line || !is_file(a, w->file))
			continue;
		l = line_of(a, w->line);
		l->waits += w->count;
		l->wait_ns += w->ns;
	}
}

/* The source line of each memory site of @p; 0: not in this file. */
static uint32_t *access_lines(const struct annotate *a, const struct run_process *p)
{
	uint32_t *lines = mem_new(p->header->n_mems + 1u, sizeof(*lines));
	struct run_place place;

	for (uint32_t i = 0; i < p->header->n_mems; i++) {
		const struct run_mem_site *m = run_mem_site(p, i);

		if (!m)
			continue;
		run_mem_place(a->s->run, m, &place);
		if (is_file(a, place.file))
			lines[i] = place.line;
	}
	return lines;
}

static void add_counts(struct annotate *a, const uint32_t *lines, uint32_t n, const uint64_t *counts)
{
	for (uint32_t i = 0; counts && i < n; i++)
		if (counts[i] && lines[i])
			line_of(a, lines[i])->accesses += counts[i];
}

static void add_transfers(struct annotate *a, const uint32_t *lines, uint32_t n, const struct run_thread *t)
{
	for (size_t i = 0; i < t->n_lines; i++) {
		const struct prs_line *l = t->lines[i];
		uint64_t moves = l->from_modified + l->invalidated;

		if (moves && l->site < n && lines[l->site])
			line_of(a, lines[l->site])->transfers += moves;
	}
}

static void add_accesses(struct annotate *a)
{
	for (size_t i = 0; i < a->s->run->n_processes; i++) {
		const struct run_process *p = &a->s->run->processes[i];
		uint32_t *lines = access_lines(a, p), n = p->header->n_mems;

		add_counts(a, lines, n, p->exited_counts);
		for (size_t k = 0; k < p->n_threads; k++) {
			add_counts(a, lines, n, p->threads[k].mem_counts);
			add_transfers(a, lines, n, &p->threads[k]);
		}
		free(lines);
	}
}

/* ---- which file ---- */

struct files {
	const char **at; /* each once */
	double *ns;      /* self time of what is defined there */
	size_t n;
};

static void add_file(struct files *f, const char *file, double ns)
{
	size_t i = 0;

	if (!file || !strcmp(file, "-") || !*file)
		return;
	while (i < f->n && strcmp(f->at[i], file))
		i++;
	if (i == f->n) {
		f->at = mem_resize(f->at, f->n + 1, sizeof(*f->at));
		f->ns = mem_resize(f->ns, f->n + 1, sizeof(*f->ns));
		f->at[f->n] = file;
		f->ns[f->n++] = 0;
	}
	f->ns[i] += ns;
}

/* All files that the site tables name. */
static void collect_files(struct files *f, const struct report_summary *s)
{
	const struct run *run = s->run;

	for (size_t i = 0; i < s->n_functions; i++)
		if (!s->functions[i].at_call)
			add_file(f, s->functions[i].file, s->functions[i].self_ns);
	for (size_t i = 0; i < run->n_modules; i++) {
		const struct sites *t = &run->modules[i].sites;

		for (size_t k = 0; k < t->n_functions; k++)
			add_file(f, t->functions[k].file, 0);
		for (size_t u = 0; u < t->n_units; u++) {
			for (uint32_t k = 0; k < t->units[u].n_calls; k++)
				add_file(f, t->units[u].calls[k].file, 0);
			for (uint32_t k = 0; k < t->units[u].n_mems; k++)
				add_file(f, t->units[u].mems[k].file, 0);
		}
	}
}

/* Is @name the last parts of @file, or the other way round? */
static bool ends_alike(const char *file, const char *name)
{
	size_t a = strlen(file), b = strlen(name);
	const char *longer = a > b ? file : name, *shorter = a > b ? name : file;
	size_t more = a > b ? a - b : b - a;

	return !strcmp(longer + more, shorter) && (!more || longer[more - 1] == '/' || *shorter == '/');
}

static int no_such_file(const struct files *f, const char *name, struct err *err)
{
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < f->n && i < NAMED_MAX; i++)
		strbuf_printf(&list, "%s%s", i ? ", " : "", f->at[i]);
	if (f->n > NAMED_MAX)
		strbuf_printf(&list, " and %zu more", f->n - NAMED_MAX);
	err_set(err, -EINVAL, "'%s' is no file of the run", name);
	err_advise(err, list.len ? "its files are: %s" : "it names none: was it built with the plugin?%s",
		   list.len ? list.s : "");
	strbuf_release(&list);
	return err->code;
}

static int find_file(struct annotate *a, const char *name, struct err *err)
{
	const char *second = NULL;
	struct files f = {0};
	int ret = 0;

	collect_files(&f, a->s);
	if (!strncmp(name, "./", 2))
		name += 2;
	for (size_t i = 0; i < f.n; i++) {
		const char *file = strncmp(f.at[i], "./", 2) ? f.at[i] : f.at[i] + 2;

		if (!strcmp(file, name)) {
			a->file = f.at[i];
			second = NULL;
			break;
		}
		if (ends_alike(file, name)) {
			second = a->file;
			a->file = f.at[i];
		}
	}
	if (second)
		ret = err_set(err, -EINVAL, "'%s' may be %s or %s\n  name more of the path", name, second,
			      a->file);
	else if (!a->file)
		ret = no_such_file(&f, name, err);
	free(f.at);
	free(f.ns);
	return ret;
}

int annotate_make(struct annotate *a, const struct report_summary *s, const char *name, const char *source,
		  struct err *err)
{
	int ret;

	*a = (struct annotate){.s = s};
	ret = find_file(a, name, err);
	if (ret)
		return ret;
	add_functions(a);
	add_calls(a);
	add_waits(a);
	if (s->sharing)
		add_accesses(a);
	annotate_source(a, name, source);
	return 0;
}

size_t annotate_denormals(struct annotate *a, const struct denormal_report *r)
{
	size_t n = 0;

	a->denormal = r;
	for (size_t i = 0; i < r->lines.n; i++) {
		const struct denormal_line *from = &r->lines.at[i];
		struct annotate_line *l;

		if (!from->line || !ends_alike(from->file, a->file))
			continue;
		l = line_of(a, from->line);
		l->births += from->n.births;
		l->denormals += from->n.results + from->n.loads + from->n.stores;
		l->cost_low_ps += from->n.low_ps;
		l->cost_high_ps += from->n.high_ps;
		n++;
	}
	return n;
}

void annotate_release(struct annotate *a)
{
	free(a->path);
	free(a->lines);
	free(a->text);
	free(a->at);
	*a = (struct annotate){0};
}
