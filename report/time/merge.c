/* SPDX-License-Identifier: MIT */
/* Rows of threads to functions and call sites. */
#include <stdlib.h>
#include <string.h>

#include "report/time/collect.h"

double report_quantile(const uint64_t hist[PRS_HIST_BUCKETS], double q, double min, double max)
{
	uint64_t n = 0, below = 0;
	uint32_t b = 0;
	double x;

	for (uint32_t i = 0; i < PRS_HIST_BUCKETS; i++)
		n += hist[i];
	if (!n)
		return 0;
	while (b < PRS_HIST_BUCKETS - 1 && (double)(below + hist[b]) < q * (double)n)
		below += hist[b++];
	x = 0.5 * (double)(prs_hist_low(b) + prs_hist_low(b + 1));
	return x < min ? min : x > max ? max : x;
}

/* Place in the tables: the same for every thread and process. */
static int merge_by_site(const void *a, const void *b)
{
	const struct call_row *x = a, *y = b;

	if (x->starts != y->starts)
		return x->starts - y->starts;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (!x->site && x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (!x->site && x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->callee, y->callee);
}

static int by_thread(const void *a, const void *b)
{
	const struct call_row *x = a, *y = b;
	int order = merge_by_site(a, b);

	if (order)
		return order;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Programs of one run may have functions of one name, and surely each has a main. */
static int by_callee(const void *a, const void *b)
{
	const struct call_row *x = a, *y = b;
	int order = strcmp(x->callee, y->callee);

	return order ? order : (x->home > y->home) - (x->home < y->home);
}

static void add_hist(uint64_t to[PRS_HIST_BUCKETS], const struct rec_call *c)
{
	for (int i = 0; c && i < PRS_HIST_BUCKETS; i++)
		to[i] += c->hist[i];
}

static void add_to_site(struct report_site *f, const struct call_row *r, bool new_thread)
{
	f->calls += r->calls;
	f->least += r->least;
	f->most += r->most;
	f->timed += r->timed;
	f->self_ns += r->self_ns;
	f->total_ns += r->total_ns;
	if (r->timed && (!f->min_ns || r->min_ns < f->min_ns))
		f->min_ns = r->min_ns;
	if (r->max_ns > f->max_ns)
		f->max_ns = r->max_ns;
	f->threads += new_thread;
	f->about |= r->about;
	if (r->call) {
		f->sum_ns += (double)r->call->sum * r->process->ns_per_tick;
		if (r->call->period > f->period)
			f->period = r->call->period;
		f->switched += r->call->switched;
		f->switched_ns += (double)r->call->switched_ticks * r->process->ns_per_tick;
	}
	add_hist(f->hist, r->call);
}

/* Ticks to nanoseconds; all processes of a run share one counter. */
static double tick_ns(const struct run *run)
{
	return run->processes[0].ns_per_tick;
}

static void site_quantiles(const struct run *run, struct report_site *f)
{
	double ns = tick_ns(run);

	f->p50_ns = ns * report_quantile(f->hist, 0.50, f->min_ns / ns, f->max_ns / ns);
	f->p90_ns = ns * report_quantile(f->hist, 0.90, f->min_ns / ns, f->max_ns / ns);
	f->p99_ns = ns * report_quantile(f->hist, 0.99, f->min_ns / ns, f->max_ns / ns);
}

static int site_by_self(const void *a, const void *b)
{
	const struct report_site *x = a, *y = b;

	if (x->self_ns != y->self_ns)
		return x->self_ns > y->self_ns ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return strcmp(x->callee, y->callee);
}

static void merge_sites(struct report_summary *s, struct row_list *rows)
{
	struct VEC(struct report_site) v = VEC_INIT;

	qsort(rows->at, rows->n, sizeof(*rows->at), by_thread);
	for (size_t i = 0; i < rows->n && !rows->at[i].starts; i++) {
		const struct call_row *r = &rows->at[i];
		bool new_site = !i || merge_by_site(r - 1, r);

		if (new_site) {
			struct report_site *f = vec_add(&v);

			f->site = r->site;
			f->callee = pretty_name(s, r->callee);
		}
		add_to_site(&v.at[v.n - 1], r, new_site || by_thread(r - 1, r));
	}
	for (size_t i = 0; i < v.n; i++)
		site_quantiles(s->run, &v.at[i]);
	if (v.n)
		qsort(v.at, v.n, sizeof(*v.at), site_by_self);
	s->sites = v.at;
	s->n_sites = v.n;
}

static int function_by_self(const void *a, const void *b)
{
	const struct report_function *x = a, *y = b;

	if (x->self_ns != y->self_ns)
		return x->self_ns > y->self_ns ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return strcmp(x->asm_name, y->asm_name);
}

static struct report_function new_function(struct report_summary *s, const struct call_row *r)
{
	const struct run_function *known = collect_function(s->run, r->home, r->callee);
	struct report_function f = {.name = pretty_name(s, r->callee), .asm_name = r->callee};

	if (known && strcmp(known->file, "-")) {
		f.file = known->file;
		f.line = known->line;
	}
	return f;
}

/* Without a definition in the tables the busiest call tells where to look. */
static void locate(const struct run *run, struct report_function *f, const struct call_row *r, double *most)
{
	struct run_place place;

	if (f->file && *most < 0)
		return;
	if (!r->site || !strcmp(r->site->file, "-") || r->total_ns < *most)
		return;
	*most = r->total_ns;
	run_site_place(run, r->site, &place);
	if (!strncmp(place.file, "/usr/", 5))
		return;
	f->file = place.file;
	f->line = place.line;
}

static void add_to_function(struct report_function *f, const struct call_row *r, double *min_ns)
{
	f->calls += r->calls;
	f->least += r->least;
	f->most += r->most;
	f->timed += r->timed;
	f->self_ns += r->self_ns;
	f->total_ns += r->total_ns;
	f->starts |= r->starts;
	f->about |= r->about;
	if (r->timed && (*min_ns == 0 || r->min_ns < *min_ns))
		*min_ns = r->min_ns;
	if (r->max_ns > f->max_ns)
		f->max_ns = r->max_ns;
	add_hist(f->hist, r->call);
}

/* The rows [from, to) have one callee. */
static struct report_function merge_function(struct report_summary *s, const struct call_row *from,
					     const struct call_row *to)
{
	struct report_function f = new_function(s, from);
	double ns = tick_ns(s->run), min_ns = 0, most = f.file ? -1 : 0;

	f.at_call = !f.file;
	for (; from < to; from++) {
		add_to_function(&f, from, &min_ns);
		locate(s->run, &f, from, &most);
	}
	f.p50_ns = ns * report_quantile(f.hist, 0.50, min_ns / ns, f.max_ns / ns);
	f.p90_ns = ns * report_quantile(f.hist, 0.90, min_ns / ns, f.max_ns / ns);
	f.p99_ns = ns * report_quantile(f.hist, 0.99, min_ns / ns, f.max_ns / ns);
	return f;
}

static void merge_functions(struct report_summary *s, struct row_list *rows)
{
	struct VEC(struct report_function) v = VEC_INIT;

	qsort(rows->at, rows->n, sizeof(*rows->at), by_callee);
	for (size_t i = 0, k; i < rows->n; i = k) {
		for (k = i + 1; k < rows->n && !by_callee(&rows->at[i], &rows->at[k]);)
			k++;
		vec_push(&v, merge_function(s, &rows->at[i], &rows->at[k]));
		s->function_ns += v.at[v.n - 1].self_ns;
	}
	if (v.n)
		qsort(v.at, v.n, sizeof(*v.at), function_by_self);
	s->functions = v.at;
	s->n_functions = v.n;
}

void merge_rows(struct report_summary *s, struct row_list *rows)
{
	if (!rows->n)
		return;
	merge_sites(s, rows);
	merge_functions(s, rows);
}
