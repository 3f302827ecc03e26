/* SPDX-License-Identifier: MIT */
/* The tree of calls as text, JSON and folded stacks. */
#include "report/time/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/shown.h"
#include "report/text.h"
#include "report/time/words.h"

#define PATHS_SCHEMA 1
#define INDENT_MAX   24  /* levels that are indented; deeper ones get a number */
#define SHARE_MIN    0.1 /* percent: less is not worth a line */
#define SWITCHED_MAX 5   /* lines about interrupted calls */

/* What a node is ranked by: the time of the whole subtree, or what is charged to the function at its root. */
static double weight(const struct path_node *n)
{
	return n->total_ns;
}

static int falling(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* Weight from which on nodes are shown, so that about as many are as the view wants. */
static double threshold(const struct report_paths *p, const struct report_view *view)
{
	double *all = mem_new(p->n + 1, sizeof(*all)), at = 0;
	double least = view->asked ? 0 : p->s->thread_ns * SHARE_MIN / 100;

	for (size_t i = 0; i < p->n; i++)
		all[i] = weight(&p->nodes[i]);
	qsort(all, p->n, sizeof(*all), falling);
	if (p->n > view->rows)
		at = all[view->rows - 1];
	free(all);
	return at > least ? at : least;
}

struct order {
	const struct report_paths *p;
	uint32_t *at; /* nodes in the order of printing */
	unsigned *depth;
	size_t n;
	double least;
};

static int heavier(const void *a, const void *b, void *paths)
{
	const struct report_paths *p = paths;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	double x = weight(&p->nodes[i]), y = weight(&p->nodes[k]);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(p->nodes[i].name, p->nodes[k].name);
}

/* The nodes of the list that begins with @first and what is below them, the heaviest first. */
static void paths_print_walk(struct order *o, uint32_t first, unsigned depth)
{
	const struct path_node *nodes = o->p->nodes;
	uint32_t *list;
	size_t n = 0;

	for (uint32_t i = first; i != PATH_NONE; i = nodes[i].next)
		n++;
	list = mem_new(n + 1, sizeof(*list));
	n = 0;
	for (uint32_t i = first; i != PATH_NONE; i = nodes[i].next)
		list[n++] = i;
	qsort_r(list, n, sizeof(*list), heavier, (void *)(uintptr_t)o->p);
	for (size_t i = 0; i < n && weight(&nodes[list[i]]) >= o->least; i++) {
		o->at[o->n] = list[i];
		o->depth[o->n++] = depth;
		paths_print_walk(o, nodes[list[i]].first, depth + 1);
	}
	free(list);
}

static void order_make(struct order *o, const struct report_paths *p, double least)
{
	*o = (struct order){.p = p,
			    .least = least,
			    .at = mem_new(p->n + 1, sizeof(*o->at)),
			    .depth = mem_new(p->n + 1, sizeof(*o->depth))};
	paths_print_walk(o, p->root, 0);
}

static void order_release(struct order *o)
{
	free(o->at);
	free(o->depth);
}

static double quantile(const struct report_paths *p, const struct path_node *n, double q)
{
	double tick = p->s->run->processes[0].ns_per_tick;

	return tick * report_quantile(n->hist, q, n->min_ns / tick, n->max_ns / tick);
}

static const char *paths_print_cell(const struct report_paths *p, const struct path_node *n, double q,
				    char *buf, size_t size)
{
	if (!n->timed)
		return "-";
	return text_duration(buf, size, quantile(p, n, q), p->s->resolution_ns);
}

static void text_columns(const struct report_paths *p, const struct path_node *n, struct strbuf *out)
{
	double whole = p->s->thread_ns;
	char time[32], calls[32], q[3][32];

	if (!p->bottom_up)
		strbuf_printf(out, "%6.1f %%", text_percent(n->total_ns, whole));
	strbuf_printf(out, "%6.1f %%", text_percent(n->self_ns, whole));
	strbuf_printf(out, " %9s %13s %8s %8s %8s  ",
		      num_time(time, sizeof(time), (p->bottom_up ? n->self_ns : n->total_ns) * 1e-9),
		      n->calls ? text_calls(calls, sizeof(calls), n->calls, n->about) : "-",
		      paths_print_cell(p, n, 0.5, q[0], sizeof(q[0])),
		      paths_print_cell(p, n, 0.9, q[1], sizeof(q[1])),
		      paths_print_cell(p, n, 0.99, q[2], sizeof(q[2])));
}

static void text_node(const struct report_paths *p, const struct path_node *n, unsigned depth,
		      struct strbuf *out)
{
	text_columns(p, n, out);
	strbuf_printf(out, "%*s", 2 * (int)(depth < INDENT_MAX ? depth : INDENT_MAX), "");
	if (depth > INDENT_MAX)
		strbuf_printf(out, "(%u) ", depth);
	strbuf_puts(out, n->name);
	text_beside(n->name, "", n->file, n->line, out);
	if (text_percent(n->wait_ns, p->s->thread_ns) >= SHARE_MIN)
		strbuf_printf(out, ", %.1f %% waiting", text_percent(n->wait_ns, p->s->thread_ns));
	if (n->open)
		strbuf_printf(out, ", %llu not returned", (unsigned long long)n->open);
	strbuf_puts(out, "\n");
}

static bool any_about(const struct report_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->nodes[i].about)
			return true;
	return false;
}

static void notes(const struct report_paths *p, const struct order *o, struct strbuf *out)
{
	unsigned lines = 0;
	char n[32];

	strbuf_puts(
		out,
		p->bottom_up
			? "\nself is the share of thread time without calls inside and without waiting; "
			  "below a\nfunction stand its callers, each with what it had the function do\n"
			: "\ntotal is the share of thread time with the calls inside, self without them and "
			  "without\nwaiting; a call inside one of the same site is charged to that one; "
			  "probes are taken off\n");
	if (any_about(p))
		strbuf_puts(out, "~: a sampled site's calls are exact in sum, and dealt to its paths by the "
				 "samples\n");
	if (p->lost)
		strbuf_printf(out,
			      "%s calls came by more paths than are kept: they stand as [path not kept]\n",
			      num_group(n, sizeof(n), p->lost));
	for (size_t i = 0; i < o->n && lines < SWITCHED_MAX; i++) {
		const struct path_node *x = &p->nodes[o->at[i]];

		lines += text_interrupted(p->s,
					  &(struct text_interrupted){.name = x->name,
								     .file = x->file,
								     .line = x->line,
								     .timed = x->timed,
								     .switched = x->switched,
								     .sum_ns = x->sum_ns,
								     .switched_ns = x->switched_ns},
					  out);
	}
}

void report_paths_text(const struct report_paths *p, const struct report_view *view, struct strbuf *out)
{
	struct order o;

	text_head(p->s, out);
	text_time(p->s, out);
	order_make(&o, p, threshold(p, view));
	strbuf_printf(out, "\n%s%8s %9s %13s %8s %8s %8s  %s\n", p->bottom_up ? "" : "   total", "self",
		      "time", "calls", "p50", "p90", "p99", p->bottom_up ? "function, called by" : "path");
	for (size_t i = 0; i < o.n; i++)
		text_node(p, &p->nodes[o.at[i]], o.depth[i], out);
	if (o.n < p->n)
		strbuf_printf(out, "  %zu more below %.1f %%: --calls %zu\n", p->n - o.n,
			      text_percent(o.least, p->s->thread_ns), p->n);
	notes(p, &o, out);
	order_release(&o);
}

/* ---- JSON ---- */

/* A time that the clock can tell from nothing, else null. */
static double told(const struct report_paths *p, double ns, bool known)
{
	return known && ns >= p->s->resolution_ns ? ns : NAN;
}

static void json_node(const struct report_paths *p, uint32_t i, const uint32_t *number, struct json *j)
{
	const struct path_node *n = &p->nodes[i];

	json_object(j, NULL);
	json_u64(j, "node", number[i]);
	if (n->parent == PATH_NONE)
		json_double(j, "parent", NAN);
	else
		json_u64(j, "parent", number[n->parent]);
	json_string(j, "name", n->name);
	json_string(j, "assembler_name", n->asm_name);
	json_string(j, "site", n->site ? n->site->id : NULL);
	json_string(j, "file", n->file);
	if (n->file)
		json_u64(j, "line", n->line);
	json_double(j, "total_ns", n->total_ns);
	json_double(j, "self_ns", n->self_ns);
	json_double(j, "wait_ns", n->wait_ns);
	json_u64(j, "calls", n->calls);
	json_bool(j, "calls_estimated", n->about);
	json_u64(j, "timed", n->timed);
	json_u64(j, "open", n->open);
	json_u64(j, "switched", n->switched);
	json_double(j, "switched_ns", n->switched_ns);
	json_double(j, "min_ns", told(p, n->min_ns, n->timed));
	json_double(j, "p50_ns", told(p, quantile(p, n, 0.5), n->timed));
	json_double(j, "p90_ns", told(p, quantile(p, n, 0.9), n->timed));
	json_double(j, "p99_ns", told(p, quantile(p, n, 0.99), n->timed));
	json_double(j, "max_ns", told(p, n->max_ns, n->timed));
	json_end(j);
}

void report_paths_json(const struct report_paths *p, const struct report_view *view, struct strbuf *out)
{
	uint32_t *number = mem_new(p->n + 1, sizeof(*number));
	struct order o;
	struct json j;

	order_make(&o, p, p->n > view->rows ? threshold(p, view) : 0);
	for (size_t i = 0; i < o.n; i++)
		number[o.at[i]] = (uint32_t)i;
	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", PATHS_SCHEMA);
	json_string(&j, "run", p->s->run->path);
	json_string(&j, "trial", p->s->run->manifest.trial);
	json_bool(&j, "complete", p->s->run->complete);
	json_bool(&j, "times_inflated", p->s->sharing);
	json_string(&j, "direction", p->bottom_up ? "bottom-up" : "top-down");
	json_double(&j, "thread_ns", p->s->thread_ns);
	json_double(&j, "resolution_ns", p->s->resolution_ns);
	json_u64(&j, "calls_without_path", p->lost);
	json_u64(&j, "nodes_in_all", p->n);
	json_array(&j, "nodes");
	for (size_t i = 0; i < o.n; i++)
		json_node(p, o.at[i], number, &j);
	json_end(&j);
	json_end(&j);
	strbuf_puts(out, out->len && out->s[out->len - 1] == '\n' ? "" : "\n");
	order_release(&o);
	free(number);
}

/* ---- folded ---- */

/* Frames are parted by semicolons and lines end in a number. */
static void add_frame(const char *name, struct strbuf *out)
{
	size_t n;

	for (; *name; name += n) {
		uint32_t c = shown_char(name, &n);

		if (c == ';' || shown_not(c))
			strbuf_puts(out, c == ';' ? "," : " ");
		else
			strbuf_add(out, name, n);
	}
}

static void add_frames(const struct report_paths *p, const struct path_node *n, struct strbuf *out)
{
	if (n->parent != PATH_NONE) {
		add_frames(p, &p->nodes[n->parent], out);
		strbuf_puts(out, ";");
	}
	add_frame(n->name, out);
}

static void add_stack(const struct report_paths *p, const struct path_node *n, const char *leaf, double ns,
		      struct strbuf *out)
{
	unsigned long long whole = (unsigned long long)(ns + 0.5);

	if (!whole)
		return;
	add_frames(p, n, out);
	strbuf_printf(out, "%s %llu\n", leaf, whole);
}

void report_paths_folded(const struct report_paths *p, struct strbuf *out)
{
	struct order o;

	order_make(&o, p, 0);
	for (size_t i = 0; i < o.n; i++) {
		const struct path_node *n = &p->nodes[o.at[i]];

		add_stack(p, n, "", n->self_ns, out);
		add_stack(p, n, ";[waiting]", n->wait_ns, out);
	}
	order_release(&o);
}
