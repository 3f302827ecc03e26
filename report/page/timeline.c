/* SPDX-License-Identifier: MIT */
/* What happened when: lives, waits, long calls, and out of a trace every call in levels of detail. */
#include <math.h>
#include <stdlib.h>

#include "lib/html/columns.h"
#include "lib/html/html.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "report/critical/graph.h"
#include "report/page/parts.h"
#include "report/time/collect.h"
#include "report/time/order.h"
#include "report/trace/levels.h"
#include "report/waits/waits.h"

#define EVENTS_MAX  100000u
#define LONG_MAX    100000u /* of the block log */
#define TRACED_MAX  200000u /* calls in windows */
#define MOMENTS_MAX 8u      /* waits that have a window */

/* Something of one thread; times in ns since the run began. */
struct piece {
	double begin, ns;
	const struct run_process *process;
	const struct run_call_site *site;
	int64_t thread, other;
	uint64_t object;
	uint32_t kind, depth, bin;
};
struct pieces VEC(struct piece);

struct places VEC(const struct run_call_site *);

struct timeline {
	struct report_summary *s;
	uint64_t first_ns;
	struct pieces events, calls;
	size_t events_left_out, calls_left_out;
	struct places places;
	struct trace_levels levels;
	bool traced;
};

static int longest(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int first(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* The longest @max of them, in order of time; what is left over is counted. */
static size_t keep_longest(struct pieces *p, size_t max)
{
	size_t over = p->n > max ? p->n - max : 0;

	if (over)
		qsort(p->at, p->n, sizeof(*p->at), longest);
	p->n -= over;
	if (p->n)
		qsort(p->at, p->n, sizeof(*p->at), first);
	return over;
}

static double moment(const struct timeline *t, const struct run_process *p, uint64_t ticks)
{
	return (double)(p->header->mono_start_ns - t->first_ns) + (double)run_ns(p, ticks);
}

/* Who ended the waits of @thread, as the critical path has it: one who came last to a barrier, ... */
static void take_enders(struct timeline *t, const struct crit_graph *g, uint32_t thread, size_t first)
{
	const struct crit_thread *c = &g->threads[thread];
	const struct run_thread *r = &g->process->threads[thread];

	for (size_t i = 0; first < t->events.n && i < c->n_waits; i++)
		if (c->waits[i].by != PRS_NO_THREAD)
			t->events.at[first + (size_t)(c->waits[i].event - r->events)].other =
				report_thread_at(t->s, g->process, c->waits[i].by);
}

static void take_thread(struct timeline *t, const struct run_process *p, const struct crit_graph *g,
			uint32_t thread)
{
	size_t before = t->events.n;
	const struct run_thread *r = &p->threads[thread];
	int64_t line = report_thread_at(t->s, p, thread);

	for (size_t i = 0; line >= 0 && i < r->n_events; i++) {
		const struct prs_event *e = &r->events[i];

		vec_push(&t->events, ((struct piece){.begin = moment(t, p, e->begin),
						     .ns = (double)(e->end - e->begin) * p->ns_per_tick,
						     .process = p,
						     .site = run_call_site(p, e->site),
						     .thread = line,
						     .other = report_thread_at(t->s, p, e->other),
						     .object = e->object,
						     .kind = e->kind}));
	}
	take_enders(t, g, thread, before);
	for (size_t i = 0; line >= 0 && i < r->n_log; i++) {
		const struct prs_log *c = &r->log[i];
		double ns = (double)c->ticks * p->ns_per_tick;

		vec_push(&t->calls, ((struct piece){.begin = moment(t, p, c->end) - ns,
						    .ns = ns,
						    .process = p,
						    .site = run_call_site(p, c->site),
						    .thread = line,
						    .depth = c->depth}));
	}
}

static void take_process(struct timeline *t, const struct run_process *p)
{
	struct crit_graph g;

	crit_graph_make(&g, t->s, p);
	for (uint32_t k = 0; k < p->n_threads; k++)
		take_thread(t, p, &g, k);
	crit_graph_release(&g);
}

/* Windows lie where the longest waits of the program's threads for each other ended. */
static void take_trace(struct timeline *t)
{
	struct err err = ERR_INIT;
	double at[MOMENTS_MAX];
	size_t n = 0;

	if (t->events.n)
		qsort(t->events.at, t->events.n, sizeof(*t->events.at), longest);
	for (size_t i = 0; i < t->events.n && n < MOMENTS_MAX; i++)
		if (run_is_wait(t->events.at[i].kind) && t->events.at[i].other >= 0)
			at[n++] = t->events.at[i].begin + t->events.at[i].ns;
	t->traced = !trace_levels_read(&t->levels, t->s->run, at, n, TRACED_MAX, &err);
}

/* ---- places ------------------------------------------------------------------------------ */

static int by_site(const void *a, const void *b)
{
	const struct run_call_site *x = *(const struct run_call_site *const *)a,
				   *y = *(const struct run_call_site *const *)b;

	return (x > y) - (x < y);
}

static void find_places(struct timeline *t)
{
	struct places *p = &t->places;
	size_t n = 0;

	for (size_t i = 0; i < t->events.n; i++)
		vec_push(p, t->events.at[i].site);
	for (size_t i = 0; i < t->calls.n; i++)
		vec_push(p, t->calls.at[i].site);
	for (size_t i = 0; i < t->levels.n_bins; i++)
		vec_push(p, t->levels.bins[i].site);
	for (size_t i = 0; i < t->levels.n_calls; i++)
		vec_push(p, t->levels.calls[i].site);
	for (size_t i = 0; i < t->levels.n_slow; i++)
		vec_push(p, t->levels.slow[i].site);
	if (p->n)
		qsort(p->at, p->n, sizeof(*p->at), by_site);
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i] && (!n || p->at[n - 1] != p->at[i]))
			p->at[n++] = p->at[i];
	p->n = n;
}

static int64_t place_of(const struct timeline *t, const struct run_call_site *site)
{
	const struct run_call_site **at =
		site ? bsearch(&site, t->places.at, t->places.n, sizeof(*t->places.at), by_site) : NULL;

	return at ? at - t->places.at : -1;
}

static void put_place(struct json *j, struct timeline *t, const struct run_call_site *site)
{
	struct run_place place;

	run_site_place(t->s->run, site, &place);
	json_object(j, NULL);
	json_string(j, "site", site->id);
	json_string(j, "callee", pretty_name(t->s, site->callee));
	json_string(j, "function", pretty_name(t->s, summary_name(t->s, place.function)));
	json_string(j, "file", place.file);
	json_u64(j, "line", place.line);
	json_end(j);
}

/* ---- objects ------------------------------------------------------------------------------- */

static int by_object(const void *a, const void *b)
{
	const struct piece *x = *(const struct piece *const *)a, *y = *(const struct piece *const *)b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static bool has_object(const struct piece *e)
{
	return e->object && e->kind != PRS_EV_JOIN && e->kind != PRS_EV_FORK;
}

/* Write the names of what was waited at; the objects of events become indices of them. */
static void put_objects(struct timeline *t, struct json *j)
{
	struct piece **order = mem_new(t->events.n + 1, sizeof(*order));
	uint64_t n = 0, before = 0;
	struct piece last = {0};
	const char *name = NULL;

	for (size_t i = 0; i < t->events.n; i++)
		order[i] = &t->events.at[i];
	qsort(order, t->events.n, sizeof(*order), by_object);
	json_array(j, "objects");
	for (size_t i = 0; i < t->events.n; i++) {
		const struct piece *old = &last;

		if (!has_object(order[i])) {
			order[i]->object = 0;
			continue;
		}
		if (!i || by_object(&old, &order[i])) {
			last = *order[i];
			name = wait_object_name(t->s, last.process, last.kind, last.object, -1);
			before = name ? ++n : 0;
			if (name)
				json_string(j, NULL, name);
		}
		order[i]->object = before;
	}
	json_end(j);
	free(order);
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void put_table(const char *id, const char *const *names, const struct timeline *t, const void *list,
		      size_t n, void (*row)(const struct timeline *, const void *, size_t, int64_t *),
		      struct strbuf *out)
{
	struct columns c;
	int64_t v[8];

	columns_init(&c, names);
	for (size_t i = 0; i < n; i++) {
		row(t, list, i, v);
		columns_add(&c, v);
	}
	columns_write(&c, id, out);
	columns_release(&c);
}

static void life_row(const struct timeline *t, const void *list, size_t i, int64_t *v)
{
	const struct report_thread *x = (const struct report_thread *)list + i;
	const struct prs_thread *raw = x->process->threads[x->index].raw;
	uint64_t end = raw->end_tsc ? raw->end_tsc : x->process->end;

	v[0] = llround(moment(t, x->process, raw->start_tsc));
	v[1] = llround(moment(t, x->process, end));
	v[2] = report_thread_at(t->s, x->process, raw->creator);
	v[3] = x->alive;
	v[4] = llround(x->wait_ns);
	v[5] = x->process - t->s->run->processes;
}

static void event_row(const struct timeline *t, const void *list, size_t i, int64_t *v)
{
	const struct piece *e = (const struct piece *)list + i;
	const int64_t row[] = {e->thread,           e->kind,  llround(e->begin),
			       llround(e->ns),      e->other, (int64_t)e->object - 1,
			       place_of(t, e->site)};

	for (size_t k = 0; k < sizeof(row) / sizeof(row[0]); k++)
		v[k] = row[k];
}

static void call_row(const struct timeline *t, const void *list, size_t i, int64_t *v)
{
	const struct piece *c = (const struct piece *)list + i;

	v[0] = c->thread;
	v[1] = llround(c->begin);
	v[2] = llround(c->ns);
	v[3] = place_of(t, c->site);
	v[4] = c->depth;
}

static void bin_row(const struct timeline *t, const void *list, size_t i, int64_t *v)
{
	const struct level_bin *b = (const struct level_bin *)list + i;

	v[0] = report_thread_at(t->s, b->process, b->thread);
	v[1] = b->bin;
	v[2] = place_of(t, b->site);
	v[3] = llround(b->ns);
}

static void traced_row(const struct timeline *t, const void *list, size_t i, int64_t *v)
{
	const struct level_call *c = (const struct level_call *)list + i;

	v[0] = report_thread_at(t->s, c->process, c->thread);
	v[1] = llround(c->begin);
	v[2] = llround(c->ns);
	v[3] = place_of(t, c->site);
}

static void put_trace(const struct timeline *t, struct json *j)
{
	const struct trace_levels *l = &t->levels;

	json_object(j, "trace");
	json_u64(j, "calls", l->n_total);
	json_u64(j, "calls_in_windows", l->n_calls);
	json_u64(j, "slices", l->n_slices);
	json_u64(j, "threads_left_out", l->n_left_out);
	json_bool(j, "whole", l->whole);
	json_array(j, "windows");
	for (size_t i = 0; i < l->n_windows; i++) {
		json_object(j, NULL);
		json_double(j, "begin", l->windows[i].begin);
		json_double(j, "end", l->windows[i].end);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

/* Shorter calls are not in the block log. */
static double logged_from(const struct run *run)
{
	double most = 0;

	for (size_t i = 0; i < run->n_processes; i++)
		most = fmax(most,
			    (double)run->processes[i].header->block_ticks * run->processes[i].ns_per_tick);
	return most;
}

static void put_index(struct timeline *t, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_array(&j, "kinds");
	for (uint32_t k = 0; k <= PRS_EV_SIGWAIT; k++)
		json_string(&j, NULL, run_is_wait(k) ? report_wait_kind(k) : NULL);
	json_end(&j);
	put_objects(t, &j);
	json_array(&j, "places");
	for (size_t i = 0; i < t->places.n; i++)
		put_place(&j, t, t->places.at[i]);
	json_end(&j);
	json_double(&j, "logged_from_ns", logged_from(t->s->run));
	json_u64(&j, "events_left_out", t->events_left_out);
	json_u64(&j, "events_lost", t->s->lost_events);
	json_u64(&j, "calls_left_out", t->calls_left_out);
	if (t->traced)
		put_trace(t, &j);
	json_end(&j);
	strbuf_puts(out, "<script type=\"application/json\" id=\"timeline\">");
	html_json(out, sb.s);
	strbuf_puts(out, "</script>\n");
	strbuf_release(&sb);
}

static void put_tables(const struct timeline *t, struct strbuf *out)
{
	static const char *const lives[] = {"begin", "end", "creator", "alive", "wait_ns", "process", NULL};
	static const char *const events[] = {"thread", "kind",   "begin", "ns",
					     "other",  "object", "place", NULL};
	static const char *const calls[] = {"thread", "begin", "ns", "place", "depth", NULL};
	static const char *const bins[] = {"thread", "bin", "place", "ns", NULL};
	static const char *const traced[] = {"thread", "begin", "ns", "place", NULL};
	const struct trace_levels *l = &t->levels;

	put_table("lives", lives, t, t->s->threads, t->s->n_threads_listed, life_row, out);
	put_table("events", events, t, t->events.at, t->events.n, event_row, out);
	put_table("long_calls", calls, t, t->calls.at, t->calls.n, call_row, out);
	if (!t->traced)
		return;
	put_table("trace_bins", bins, t, l->bins, l->n_bins, bin_row, out);
	put_table("trace_calls", traced, t, l->calls, l->n_calls, traced_row, out);
	put_table("slow_calls", traced, t, l->slow, l->n_slow, traced_row, out);
}

void page_timeline(struct report_summary *s, struct strbuf *out)
{
	struct timeline t = {.s = s, .first_ns = trace_start(s->run)};

	for (size_t i = 0; i < s->run->n_processes; i++)
		take_process(&t, &s->run->processes[i]);
	take_trace(&t);
	t.events_left_out = keep_longest(&t.events, EVENTS_MAX);
	t.calls_left_out = keep_longest(&t.calls, LONG_MAX);
	find_places(&t);
	put_index(&t, out);
	put_tables(&t, out);
	if (t.traced)
		trace_levels_release(&t.levels);
	vec_release(&t.events);
	vec_release(&t.calls);
	vec_release(&t.places);
}
