/* SPDX-License-Identifier: MIT */
#include "report/counters/counters.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "report/counters/spread.h"

struct counted_list VEC(struct report_counted);

/* ---- one thread ---------------------------------------------------------------- */

static int counters_by_site(const void *a, const void *b)
{
	const struct spread_row *x = a, *y = b;

	return (x->site > y->site) - (x->site < y->site);
}

/* One row per site with the self times of all its rows; what the rows do not hold is the last one's. */
static struct spread_row *sites_of(const struct run_process *p, const struct run_thread *t,
				   const struct call_row *rows, size_t n, size_t *n_out)
{
	struct spread_row *out = mem_new(n + 2, sizeof(*out));
	double rest = (double)thread_life(p, t);
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		out[i].site = rows[i].number;
		out[i].self = rows[i].span_ns / p->ns_per_tick;
		rest -= out[i].self;
	}
	for (size_t i = 0; i < t->n_events; i++)
		if (is_wait(t->events[i].kind))
			rest -= (double)(t->events[i].end - t->events[i].begin);
	out[n].site = PRS_NO_SITE; /* a start routine has a row of its own by that number */
	out[n].self = rest > 0 ? rest : 0;
	qsort(out, n + 1, sizeof(*out), counters_by_site);
	for (size_t i = 1; i <= n; i++)
		if (out[i].site == out[m].site)
			out[m].self += out[i].self;
		else
			out[++m] = out[i];
	*n_out = m + 1;
	return out;
}

static const struct spread_row *site_row(const struct spread_row *sites, size_t n, uint32_t site)
{
	struct spread_row key = {.site = site};

	return bsearch(&key, sites, n, sizeof(*sites), counters_by_site);
}

static void add_counts(struct report_counted *to, const struct spread_row *from, double part, size_t n_events)
{
	for (size_t e = 0; e < n_events; e++)
		to->counts[e] += part * from->counts[e];
}

/* What a site counted goes to its callees by their self time; the remainder is nobody's. */
static void deal_rows(const struct report_counters *rc, const struct run_counters *c,
		      const struct spread_row *sites, size_t n_sites, struct call_row *rows, size_t n,
		      double ns_per_tick, struct counted_list *out)
{
	double *dealt = mem_new(n_sites + 1, sizeof(*dealt));

	for (size_t i = 0; i < n; i++) {
		const struct spread_row *site = site_row(sites, n_sites, rows[i].number);
		double part = site && site->self > 0 ? rows[i].span_ns / ns_per_tick / site->self : 0;
		struct report_counted f = {.name = rows[i].callee, .self_ns = rows[i].self_ns};

		if (!site)
			continue;
		dealt[site - sites] += part;
		add_counts(&f, site, part, c->n_events);
		rows[i].cycles = rc->cycles < 0 ? 0 : f.counts[rc->cycles];
		vec_push(out, f);
	}
	for (size_t i = 0; i < n_sites; i++) {
		struct report_counted f = {.name = NULL};

		if (dealt[i] >= 1)
			continue;
		add_counts(&f, &sites[i], 1 - dealt[i], c->n_events);
		f.self_ns = (1 - dealt[i]) * sites[i].self * ns_per_tick;
		vec_push(out, f);
	}
	free(dealt);
}

static void counters_add_thread(struct report_counters *rc, const struct run_process *p,
				const struct run_thread *t, struct call_row *rows, size_t n,
				struct counted_list *out)
{
	const struct run_counters *c = p->counters;
	const struct run_counts *x = &c->threads[t->raw->index];
	double life = (double)thread_life(p, t) * p->ns_per_tick;
	size_t n_sites;
	struct spread_row *sites = sites_of(p, t, rows, n, &n_sites);
	bool refused = false;

	spread_counts(p, t, sites, n_sites);
	deal_rows(rc, c, sites, n_sites, rows, n, p->ns_per_tick, out);
	for (size_t e = 0; e < c->n_events; e++) {
		rc->totals[e] += run_count_total(c, t->raw->index, e);
		rc->wanted_ns[e] += life;
		rc->counted_ns[e] += life * x->share[e];
		refused |= x->refused[e] != 0;
	}
	rc->threads_without += refused;
	free(sites);
}

/* ---- the run -------------------------------------------------------------------- */

/* Events of two processes are the same list unless somebody changed the environment between them. */
static bool same_events(const struct run_counters *a, const struct run_counters *b)
{
	if (a->n_events != b->n_events)
		return false;
	for (size_t i = 0; i < a->n_events; i++)
		if (strcmp(a->events[i].name, b->events[i].name))
			return false;
	return true;
}

static const struct run_counters *first_counters(const struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].counters && run->processes[i].counters->n_events)
			return run->processes[i].counters;
	return NULL;
}

static int counters_by_name(const void *a, const void *b)
{
	const struct report_counted *x = a, *y = b;

	if (!x->name || !y->name)
		return (y->name != NULL) - (x->name != NULL);
	return strcmp(x->name, y->name);
}

static int by_self(const void *a, const void *b)
{
	const struct report_counted *x = a, *y = b;

	if (x->self_ns != y->self_ns)
		return x->self_ns > y->self_ns ? -1 : 1;
	return counters_by_name(a, b);
}

static void merge(struct report_summary *s, struct report_counters *c, struct counted_list *v)
{
	size_t n = 0;

	if (v->n)
		qsort(v->at, v->n, sizeof(*v->at), counters_by_name);
	for (size_t i = 0; i < v->n; i++) {
		if (!n || counters_by_name(&v->at[n - 1], &v->at[i])) {
			v->at[n++] = v->at[i];
			continue;
		}
		v->at[n - 1].self_ns += v->at[i].self_ns;
		for (size_t e = 0; e < c->how->n_events; e++)
			v->at[n - 1].counts[e] += v->at[i].counts[e];
	}
	for (size_t i = 0; i < n; i++)
		if (v->at[i].name)
			v->at[i].name = pretty_name(s, v->at[i].name);
	if (n)
		qsort(v->at, n, sizeof(*v->at), by_self);
	c->functions = v->at;
	c->n_functions = n;
}

/* End of the rows of one thread, which lie together. */
static size_t thread_rows(const struct row_list *rows, size_t from)
{
	size_t i = from;

	while (i < rows->n && rows->at[i].process == rows->at[from].process &&
	       rows->at[i].thread == rows->at[from].thread)
		i++;
	return i;
}

static void counters_add_process(struct report_counters *c, const struct run_process *p,
				 struct row_list *rows, struct counted_list *out)
{
	size_t at = 0, end;

	while (at < rows->n && rows->at[at].process != p)
		at++;
	for (size_t i = 0; i < p->n_threads; i++) {
		end = at;
		if (at < rows->n && rows->at[at].process == p && rows->at[at].thread == i)
			end = thread_rows(rows, at);
		counters_add_thread(c, p, &p->threads[i], &rows->at[at], end - at, out);
		at = end;
	}
}

struct report_counters *counters_collect(struct report_summary *s, struct row_list *rows)
{
	const struct run_counters *how = first_counters(s->run);
	struct counted_list functions = VEC_INIT;
	struct report_counters *c;

	if (!how)
		return NULL;
	c = mem_new(1, sizeof(*c));
	c->how = how;
	c->cycles = run_event_find(how, "cycles");
	if (c->cycles < 0)
		c->cycles = run_event_find(how, "cpu-cycles");
	c->instructions = run_event_find(how, "instructions");
	for (size_t i = 0; i < s->run->n_processes; i++) {
		const struct run_process *p = &s->run->processes[i];

		if (p->counters && same_events(how, p->counters))
			counters_add_process(c, p, rows, &functions);
	}
	merge(s, c, &functions);
	return c;
}

void counters_free(struct report_counters *c)
{
	if (c)
		free(c->functions);
	free(c);
}
