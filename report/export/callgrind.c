/* SPDX-License-Identifier: MIT */
/*
 * The profile format of callgrind: functions with what they cost themselves,
 * and their calls with what those cost with all inside.  Names are numbered
 * throughout, so that one which begins with a bracket is no number.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "report/export/out.h"

/* What a subtree costs, nanoseconds; of its own or waiting. */
struct cost {
	unsigned long long self, wait;
};

/* Calls of one function from one line of another. */
struct arc {
	uint32_t from, to;
	const char *file; /* of the call */
	uint32_t line;
	uint64_t calls;
	struct cost cost;
};

struct graph {
	const struct report_paths *p;
	struct export_functions f;
	struct cost *own, *below; /* by function; by node */
	struct arc *arcs;
	size_t n_arcs;
	const char **files; /* with a number already: their place + 1 */
	size_t n_files;
	bool *named; /* by function: its number is known */
};

static int callgrind_by_place(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	int order = (x->from > y->from) - (x->from < y->from);

	if (!order)
		order = (x->to > y->to) - (x->to < y->to);
	if (!order)
		order = strcmp(x->file ? x->file : "", y->file ? y->file : "");
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void merge_arcs(struct graph *g)
{
	size_t n = 0;

	if (g->n_arcs)
		qsort(g->arcs, g->n_arcs, sizeof(*g->arcs), callgrind_by_place);
	for (size_t i = 0; i < g->n_arcs; i++) {
		if (n && !callgrind_by_place(&g->arcs[n - 1], &g->arcs[i])) {
			g->arcs[n - 1].calls += g->arcs[i].calls;
			g->arcs[n - 1].cost.self += g->arcs[i].cost.self;
			g->arcs[n - 1].cost.wait += g->arcs[i].cost.wait;
		} else {
			g->arcs[n++] = g->arcs[i];
		}
	}
	g->n_arcs = n;
}

/* Callers come before their callees, so going backwards a node is complete when it is met. */
static void graph_make(struct graph *g, const struct report_paths *p)
{
	*g = (struct graph){.p = p};
	export_functions_make(&g->f, p);
	g->own = mem_new(g->f.n + 1, sizeof(*g->own));
	g->below = mem_new(p->n + 1, sizeof(*g->below));
	g->arcs = mem_new(p->n + 1, sizeof(*g->arcs));
	g->files = mem_new(p->n + g->f.n + 1, sizeof(*g->files));
	g->named = mem_new(g->f.n + 1, sizeof(*g->named));
	for (size_t i = p->n; i-- > 0;) {
		const struct path_node *n = &p->nodes[i];
		struct cost mine = {export_ns(n->self_ns), export_ns(n->wait_ns)};
		uint32_t f = g->f.of[i];

		g->own[f].self += mine.self;
		g->own[f].wait += mine.wait;
		g->below[i].self += mine.self;
		g->below[i].wait += mine.wait;
		if (n->parent == PATH_NONE)
			continue;
		g->below[n->parent].self += g->below[i].self;
		g->below[n->parent].wait += g->below[i].wait;
		g->arcs[g->n_arcs++] =
			(struct arc){g->f.of[n->parent], f, n->file, n->line, n->calls, g->below[i]};
	}
	merge_arcs(g);
}

static void graph_release(struct graph *g)
{
	export_functions_release(&g->f);
	free(g->own);
	free(g->below);
	free(g->arcs);
	free(g->files);
	free(g->named);
}

/* "fl=(3) name", and without the name from the second time on. */
static void put_file(struct export *e, struct graph *g, const char *key, const char *file)
{
	size_t i = 0;

	if (!file)
		file = "???";
	while (i < g->n_files && strcmp(g->files[i], file))
		i++;
	strbuf_printf(&e->out, "%s=(%zu)", key, i + 1);
	if (i == g->n_files) {
		g->files[g->n_files++] = file;
		strbuf_puts(&e->out, " ");
		export_name(&e->out, file, "");
	}
	strbuf_puts(&e->out, "\n");
}

static void put_function(struct export *e, struct graph *g, const char *key, uint32_t f)
{
	strbuf_printf(&e->out, "%s=(%u)", key, f + 1);
	if (!g->named[f]) {
		g->named[f] = true;
		strbuf_puts(&e->out, " ");
		export_name(&e->out, g->f.at[f].name, "");
	}
	strbuf_puts(&e->out, "\n");
}

static void put_cost(struct export *e, uint32_t line, struct cost c)
{
	strbuf_printf(&e->out, "%u %llu %llu\n", line, c.self, c.wait);
}

static void put_arc(struct export *e, struct graph *g, const struct arc *a)
{
	const char *home = g->f.at[a->from].file;
	bool elsewhere = a->file && (!home || strcmp(home, a->file));

	if (elsewhere)
		put_file(e, g, "fi", a->file);
	put_file(e, g, "cfi", g->f.at[a->to].file);
	put_function(e, g, "cfn", a->to);
	/* What was called no time is taken for a cost of the caller. */
	strbuf_printf(&e->out, "calls=%llu %u\n", (unsigned long long)(a->calls ? a->calls : 1),
		      g->f.at[a->to].line);
	put_cost(e, a->line, a->cost);
	if (elsewhere)
		put_file(e, g, "fe", home);
}

static void put_graph(struct export *e, struct graph *g)
{
	struct cost whole = {0, 0};
	size_t at = 0;

	for (size_t i = 0; i < g->f.n; i++) {
		whole.self += g->own[i].self;
		whole.wait += g->own[i].wait;
	}
	strbuf_puts(&e->out, "# callgrind format\nversion: 1\ncreator: perseus " PERSEUS_VERSION "\ncmd: ");
	export_name(&e->out, e->run->manifest.program, "");
	strbuf_puts(&e->out, "\npositions: line\nevent: Self : own time in ns\nevent: Wait : waiting in ns\n"
			     "events: Self Wait\n");
	strbuf_printf(&e->out, "summary: %llu %llu\n", whole.self, whole.wait);
	for (uint32_t i = 0; i < g->f.n; i++) {
		strbuf_puts(&e->out, "\n");
		put_file(e, g, "fl", g->f.at[i].file);
		put_function(e, g, "fn", i);
		put_cost(e, g->f.at[i].line, g->own[i]);
		for (; at < g->n_arcs && g->arcs[at].from == i; at++)
			put_arc(e, g, &g->arcs[at]);
		export_ready(e);
	}
	strbuf_printf(&e->out, "\ntotals: %llu %llu\n", whole.self, whole.wait);
}

int export_callgrind(struct export *e, struct err *err)
{
	struct report_paths p;
	struct graph g;
	int ret;

	ret = report_paths_make(&p, e->s, err);
	if (ret)
		return ret;
	graph_make(&g, &p);
	put_graph(e, &g);
	graph_release(&g);
	report_paths_release(&p);
	return 0;
}
