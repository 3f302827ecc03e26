/* SPDX-License-Identifier: MIT */
#include "report/export/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/shown.h"
#include "record/names/names.h"

#define READY 65536u /* bytes */

int export_flush(struct export *e)
{
	if (e->out.len && !e->failed) {
		errno = 0;
		if (fwrite(e->out.s, 1, e->out.len, e->to) != e->out.len)
			e->failed = errno ? -errno : -EIO;
	}
	e->out.len = 0;
	return e->failed;
}

void export_ready(struct export *e)
{
	if (e->out.len >= READY)
		export_flush(e);
}

void export_name(struct strbuf *out, const char *name, const char * not )
{
	size_t n;

	if (!name)
		name = "?";
	for (; *name; name += n) {
		uint32_t c = shown_char(name, &n);

		if (shown_not(c) || (c < 0x80 && strchr(not, (int)c)))
			strbuf_puts(out, "?");
		else
			strbuf_add(out, name, n);
	}
}

/* ---- functions ---- */

static const char *key_of(const struct path_node *n)
{
	return n->asm_name ? n->asm_name : n->name;
}

static int by_function(const void *a, const void *b, void *paths)
{
	const struct path_node *nodes = ((const struct report_paths *)paths)->nodes;
	const struct path_node *x = &nodes[*(const uint32_t *)a], *y = &nodes[*(const uint32_t *)b];
	int order = strcmp(key_of(x), key_of(y));

	if (!order)
		order = (x->home > y->home) - (x->home < y->home);
	return order;
}

static struct export_function function_of(const struct report_paths *p, const struct path_node *n)
{
	struct export_function f = {.name = n->name};
	const struct run_function *known = NULL;

	if (n->asm_name && n->home)
		known = run_module_function(n->home, n->asm_name);
	if (n->asm_name && !known)
		known = run_function(p->s->run, n->asm_name);
	if (known && strcmp(known->file, "-")) {
		f.file = known->file;
		f.line = known->line;
	}
	return f;
}

void export_functions_make(struct export_functions *f, const struct report_paths *p)
{
	uint32_t *order = mem_new(p->n + 1, sizeof(*order));

	*f = (struct export_functions){.at = mem_new(p->n + 1, sizeof(*f->at)),
				       .of = mem_new(p->n + 1, sizeof(*f->of))};
	for (size_t i = 0; i < p->n; i++)
		order[i] = (uint32_t)i;
	if (p->n)
		qsort_r(order, p->n, sizeof(*order), by_function, (void *)(uintptr_t)p);
	for (size_t i = 0; i < p->n; i++) {
		if (!i || by_function(&order[i - 1], &order[i], (void *)(uintptr_t)p))
			f->at[f->n++] = function_of(p, &p->nodes[order[i]]);
		f->of[order[i]] = (uint32_t)f->n - 1;
	}
	free(order);
}

void export_functions_release(struct export_functions *f)
{
	free(f->at);
	free(f->of);
	*f = (struct export_functions){0};
}

/* ---- the table ---- */

const struct export_format export_formats[] = {
	{"folded", "stacks and nanoseconds, for flame graph tools", false, false, export_folded},
	{"speedscope", "JSON of speedscope: the tree of calls, or the trace", false, true, export_speedscope},
	{"callgrind", "functions, calls and cost, for callgrind_annotate and KCachegrind", false, false,
	 export_callgrind},
	{"perf-script", "stacks as `perf script` prints them", false, false, export_perf_script},
	{"perfetto", "TrackEvents for ui.perfetto.dev: what each thread did when", false, true,
	 export_perfetto},
	{"chrome", "the same as JSON, for chrome://tracing", false, true, export_chrome},
	{"csv", "functions, call sites, waits or threads as RFC 4180 has it", false, false, export_csv},
	{"markdown", "a comment for a pull request", true, false, export_markdown},
	{"quickfix", "file:line:column: message, for editors", true, false, export_quickfix},
	{"sarif", "findings of a sharing run, SARIF 2.1.0", true, false, export_sarif},
	{NULL, NULL, false, false, NULL},
};

const struct export_format *export_format(const char *name)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

int export_run(struct export *e, const struct export_format *format, struct err *err)
{
	int ret = format->write(e, err);

	if (!ret && export_flush(e))
		ret = err_set(err, e->failed, "cannot write: %s", strerror(-e->failed));
	return ret;
}
