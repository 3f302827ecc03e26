/* SPDX-License-Identifier: MIT */
/* Who called what how often and for how long: a row for each thread, site and callee. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/html/columns.h"
#include "lib/html/html.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "report/counters/counters.h"
#include "report/page/parts.h"
#include "report/time/collect.h"
#include "report/time/order.h"

#define CALL_ROWS_MAX 100000u

/* What a row calls at which site; rows of one have one number. */
struct target {
	const struct run_call_site *site;
	const char *callee;
};
struct targets VEC(struct target);

static int by_weight(const void *a, const void *b)
{
	const struct call_row *x = *(const struct call_row *const *)a,
			      *y = *(const struct call_row *const *)b;

	if (x->self_ns != y->self_ns)
		return x->self_ns > y->self_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int by_target(const void *a, const void *b)
{
	const struct target *x = a, *y = b;
	int order = strcmp(x->callee ? x->callee : "", y->callee ? y->callee : "");

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return order;
}

/* The heaviest rows that are calls, @*n of them; the caller frees the array. */
static const struct call_row **heaviest(const struct report_summary *s, size_t *n, size_t *left_out)
{
	const struct call_row **rows = mem_new(s->n_rows + 1, sizeof(*rows));

	*n = 0;
	for (size_t i = 0; i < s->n_rows; i++)
		if (!s->rows[i].starts)
			rows[(*n)++] = &s->rows[i];
	qsort(rows, *n, sizeof(*rows), by_weight);
	*left_out = *n > CALL_ROWS_MAX ? *n - CALL_ROWS_MAX : 0;
	*n -= *left_out;
	return rows;
}

static void find_targets(struct targets *t, const struct call_row *const *rows, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		vec_push(t, ((struct target){rows[i]->site, rows[i]->callee}));
	if (t->n)
		qsort(t->at, t->n, sizeof(*t->at), by_target);
	for (size_t i = 0; i < t->n; i++)
		if (!kept || by_target(&t->at[kept - 1], &t->at[i]))
			t->at[kept++] = t->at[i];
	t->n = kept;
}

static int64_t target_of(const struct targets *t, const struct call_row *r)
{
	struct target key = {r->site, r->callee};
	const struct target *at = bsearch(&key, t->at, t->n, sizeof(*t->at), by_target);

	return at - t->at;
}

static void put_rows(const struct report_summary *s, const struct targets *t,
		     const struct call_row *const *rows, size_t n, struct strbuf *out)
{
	bool counted = s->counters && s->counters->cycles >= 0;
	const char *const names[] = {"thread", "target", "calls",
				     "timed",  "self",   "total",
				     "min_ps", "max_ps", counted ? "cycles" : NULL,
				     NULL};
	struct columns c;

	columns_init(&c, names);
	for (size_t i = 0; i < n; i++) {
		const struct call_row *r = rows[i];
		const int64_t v[] = {report_thread_at(s, r->process, r->thread),
				     target_of(t, r),
				     (int64_t)r->calls,
				     (int64_t)r->timed,
				     llround(r->self_ns),
				     llround(r->total_ns),
				     llround(1000 * r->min_ns),
				     llround(1000 * r->max_ns),
				     llround(r->cycles)};

		columns_add(&c, v);
	}
	columns_write(&c, "call_rows", out);
	columns_release(&c);
}

static void put_histograms(const struct call_row *const *rows, size_t n, struct strbuf *out)
{
	static const char *const names[] = {"row", "low_ps", "high_ps", "count", NULL};
	struct columns c;

	columns_init(&c, names);
	for (size_t i = 0; i < n; i++)
		for (uint32_t b = 0; rows[i]->call && b < PRS_HIST_BUCKETS; b++) {
			double ps = 1000 * rows[i]->process->ns_per_tick;
			const int64_t v[] = {(int64_t)i, llround((double)prs_hist_low(b) * ps),
					     llround((double)prs_hist_low(b + 1) * ps),
					     rows[i]->call->hist[b]};

			if (v[3])
				columns_add(&c, v);
		}
	columns_write(&c, "call_times", out);
	columns_release(&c);
}

static void put_target(struct json *j, struct report_summary *s, const struct target *t)
{
	json_object(j, NULL);
	json_string(j, "site", t->site ? t->site->id : NULL);
	json_string(j, "function", t->site ? t->site->pretty : NULL);
	json_string(j, "callee", t->callee ? pretty_name(s, t->callee) : NULL);
	json_string(j, "file", t->site ? t->site->file : NULL);
	json_u64(j, "line", t->site ? t->site->line : 0);
	json_end(j);
}

static void put_index(struct report_summary *s, const struct targets *t, size_t left_out, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_array(&j, "threads");
	for (size_t i = 0; i < s->n_threads_listed; i++)
		json_string(&j, NULL, s->threads[i].full);
	json_end(&j);
	json_array(&j, "targets");
	for (size_t i = 0; i < t->n; i++)
		put_target(&j, s, &t->at[i]);
	json_end(&j);
	json_u64(&j, "left_out", left_out);
	json_end(&j);
	strbuf_puts(out, "<script type=\"application/json\" id=\"calls\">");
	html_json(out, sb.s);
	strbuf_puts(out, "</script>\n");
	strbuf_release(&sb);
}

void page_calls(struct report_summary *s, struct strbuf *out)
{
	struct targets t = VEC_INIT;
	size_t n, left_out;
	const struct call_row **rows = heaviest(s, &n, &left_out);

	find_targets(&t, rows, n);
	put_index(s, &t, left_out, out);
	put_rows(s, &t, rows, n, out);
	put_histograms(rows, n, out);
	vec_release(&t);
	free(rows);
}
