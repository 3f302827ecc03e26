/* SPDX-License-Identifier: MIT */
/* How fast the cores were: counted cycles by the time that a thread was on a core. */
#include <math.h>

#include "analyzer/time/clock.h"
#include "lib/html/columns.h"
#include "lib/json.h"
#include "record/counters.h"
#include "report/page/tabs/tabs.h"
#include "report/trace/trace.h"

#define ROWS_MAX   200000u
#define SLICES_MAX 1000u /* of one thread */

struct speeds {
	struct columns c;
	const struct report_summary *s;
	uint64_t first_ns;
	double slice_ns; /* time on a core that a row has at least, but for the last of a thread */
	bool user_only;
	uint64_t without; /* threads of which nothing is known */
};

/* From reading @from, 0 being the start of the thread, to reading @to. */
static void speeds_add_row(struct speeds *v, const struct report_thread *t, size_t event, size_t from,
			   size_t to)
{
	const struct run_process *p = t->process;
	const struct run_counts *x = &p->counters->threads[t->index];
	size_t n = p->counters->n_events;
	double on = x->on_ns[to - 1] - (from ? x->on_ns[from - 1] : 0);
	double cycles = x->sums[(to - 1) * n + event] - (from ? x->sums[(from - 1) * n + event] : 0);
	uint64_t begin = from ? x->ticks[from - 1] : p->threads[t->index].raw->start_tsc;

	if (on <= 0)
		return;
	columns_add(&v->c, (const int64_t[]){t - v->s->threads,
					     (int64_t)(p->header->mono_start_ns - v->first_ns) +
						     (int64_t)run_ns(p, begin),
					     (int64_t)run_span_ns(p, x->ticks[to - 1] - begin), llround(on),
					     llround(1e6 * cycles / on)});
}

static void add_thread(struct speeds *v, const struct report_thread *t)
{
	const struct run_counters *c = t->process->counters;
	int event = counted_cycles(t->process);
	const struct run_counts *x = event < 0 ? NULL : &c->threads[t->index];
	size_t from = 0;

	if (!x || !x->n || !x->on_ns) {
		v->without++;
		return;
	}
	v->user_only |= c->events[event].user_only;
	for (size_t i = 1; i <= x->n; i++)
		if (i == x->n || x->on_ns[i - 1] - (from ? x->on_ns[from - 1] : 0) >= v->slice_ns) {
			speeds_add_row(v, t, (size_t)event, from, i);
			from = i;
		}
}

static void speeds_put_index(const struct speeds *v, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_bool(&j, "user_only", v->user_only);
	json_u64(&j, "threads_without", v->without);
	json_end(&j);
	page_document(out, "speeds", &sb);
}

void page_speeds(const struct report_summary *s, struct strbuf *out)
{
	static const char *const names[] = {"thread", "begin", "ns", "on_ns", "khz", NULL};
	struct speeds v = {.s = s};
	size_t slices = s->n_threads_listed ? ROWS_MAX / s->n_threads_listed : 1;

	if (!s->counters)
		return;
	v.first_ns = trace_start(s->run);
	v.slice_ns = s->wall_ns / (double)(slices > SLICES_MAX ? SLICES_MAX : slices ? slices : 1);
	columns_init(&v.c, names);
	for (size_t i = 0; i < s->n_threads_listed; i++)
		add_thread(&v, &s->threads[i]);
	if (v.c.rows) {
		speeds_put_index(&v, out);
		columns_write(&v.c, "speed_spans", out);
	}
	columns_release(&v.c);
}
