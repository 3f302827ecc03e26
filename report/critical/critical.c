/* SPDX-License-Identifier: MIT */
/* The parts of a critical path: threads, functions, waits. */
#include "report/critical/critical.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/search.h"
#include "lib/vec.h"
#include "record/run.h"
#include "report/critical/parts.h"
#include "report/time/collect.h"
#include "report/waits/waits.h"

struct part_vec VEC(struct crit_part);

const char *crit_wait_name(struct report_summary *s, const struct run_process *p, uint32_t kind,
			   uint64_t object)
{
	const char *name = kind == PRS_EV_JOIN ? NULL : wait_object_name(s, p, kind, object, -1);
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s%s%s", report_wait_kind(kind), name ? " " : "", name ? name : "");
	name = summary_name(s, sb.s);
	strbuf_release(&sb);
	return name;
}

const char *crit_thread_name(const struct report_critical *c, uint32_t thread, bool numbered)
{
	size_t low = 0, high = c->s->n_threads_listed;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct report_thread *t = &c->s->threads[mid];

		if (t->process == c->process && t->index == thread)
			return numbered ? t->full : t->name;
		if (t->process < c->process || (t->process == c->process && t->index < thread))
			low = mid + 1;
		else
			high = mid;
	}
	return "not known";
}

/* ---- rows that become one --------------------------------------------------------------- */

static int string_order(const void *a, const void *b)
{
	return (a > b) - (a < b); /* equal names are one string */
}

static int critical_by_key(const void *a, const void *b)
{
	const struct crit_part *x = a, *y = b;
	int order = string_order(x->name, y->name);

	if (!order)
		order = string_order(x->who, y->who);
	if (!order)
		order = string_order(x->whom, y->whom);
	if (!order)
		order = string_order(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int critical_by_time(const void *a, const void *b)
{
	const struct crit_part *x = a, *y = b;
	double p = x->ns + x->behind_ns, q = y->ns + y->behind_ns;

	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void fold(struct part_vec *list, struct crit_part **out, size_t *count)
{
	size_t n = 0;

	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), critical_by_key);
	for (size_t i = 0; i < list->n; i++) {
		const struct crit_part *from = &list->at[i];
		struct crit_part *to = n ? &list->at[n - 1] : NULL;

		if (!to || critical_by_key(to, from)) {
			list->at[n++] = *from;
			continue;
		}
		to->ns += from->ns;
		to->behind_ns += from->behind_ns;
		to->count += from->count;
	}
	if (n)
		qsort(list->at, n, sizeof(*list->at), critical_by_time);
	*out = list->at;
	*count = n;
}

/* ---- the three tables --------------------------------------------------------------------- */

static void part_threads(struct report_critical *c)
{
	struct part_vec list = VEC_INIT;

	for (size_t i = 0; i < c->n_steps; i++) {
		const struct crit_step *s = &c->steps[i];

		vec_push(&list, ((struct crit_part){.name = crit_thread_name(c, s->thread, true),
						    .ns = s->end - s->begin,
						    .count = 1}));
	}
	fold(&list, &c->threads, &c->n_threads);
}

/* The long calls of a stretch of work; what is left over is the thread's own, or in short calls. */
static void part_work(struct report_critical *c, struct report_summary *sum, const struct crit_graph *g,
		      const struct crit_step *s, struct part_vec *list)
{
	const struct crit_thread *t = &g->threads[s->thread];
	size_t low = search_first(t->n_spans, i, t->spans[i].end <= s->begin);
	double rest = s->end - s->begin;

	for (; low < t->n_spans && t->spans[low].begin < s->end; low++) {
		const struct crit_span *x = &t->spans[low];
		double begin = x->begin > s->begin ? x->begin : s->begin,
		       end = x->end < s->end ? x->end : s->end;

		if (!x->site || end <= begin)
			continue;
		vec_push(list, ((struct crit_part){.name = pretty_name(sum, x->site->callee),
						   .ns = end - begin,
						   .count = 1,
						   .file = x->site->file,
						   .line = x->site->line}));
		rest -= end - begin;
	}
	if (rest > 0)
		vec_push(list, ((struct crit_part){.name = "outside of long calls",
						   .ns = rest,
						   .who = crit_thread_name(c, s->thread, false)}));
}

static void part_functions(struct report_critical *c, struct report_summary *s, const struct crit_graph *g)
{
	struct part_vec list = VEC_INIT;

	for (size_t i = 0; i < c->n_steps; i++)
		if (c->steps[i].kind == CRIT_WORK)
			part_work(c, s, g, &c->steps[i], &list);
	fold(&list, &c->functions, &c->n_functions);
}

static void part_waits(struct report_critical *c)
{
	struct part_vec list = VEC_INIT;
	double before = 0; /* when the path came to a thread last: what was before is another wait's */

	for (size_t i = 0; i < c->n_steps; i++) {
		const struct crit_step *s = &c->steps[i];
		const struct run_call_site *site =
			s->wait.event ? run_call_site(c->process, s->wait.event->site) : NULL;
		struct crit_part p = {.name = s->wait.name, .ns = s->end - s->begin, .count = 1};

		if (s->kind != CRIT_WAIT && s->kind != CRIT_HAND)
			continue;
		p.kind = s->wait.event->kind;
		p.who = crit_thread_name(c, s->thread, false);
		if (s->kind == CRIT_HAND && s->wait.by != PRS_NO_THREAD) {
			p.whom = crit_thread_name(c, s->wait.by, false);
			p.behind_ns = s->begin - (before > s->wait.begin ? before : s->wait.begin);
			before = s->end;
		}
		if (site) {
			p.file = site->file;
			p.line = site->line;
		}
		vec_push(&list, p);
	}
	fold(&list, &c->waits, &c->n_waits);
}

static const char *limit_of(const struct report_critical *c)
{
	if (c->s->run->n_processes > 1)
		return "only the program's first process is followed";
	if (c->process->header->lost_events)
		return "events are missing in the record: what is not there is work here";
	if (!c->s->run->complete)
		return "the run is incomplete: the path begins where the record ends";
	return NULL;
}

int report_critical_make(struct report_critical *c, struct report_summary *s, struct err *err)
{
	const struct run_process *p = &s->run->processes[0];
	struct crit_graph g;

	*c = (struct report_critical){.s = s, .process = p};
	if (!p->n_threads || (p->header->minor && !(p->header->seen & PRS_SEEN_WAITS)))
		return err_set(err, -ENODATA, "run '%s' holds no waits", s->run->path);
	crit_graph_make(&g, s, p);
	crit_walk(c, &g);
	part_threads(c);
	part_functions(c, s, &g);
	part_waits(c);
	crit_what_if(c, &g, s);
	c->limit = limit_of(c);
	crit_graph_release(&g);
	return 0;
}

void report_critical_release(struct report_critical *c)
{
	free(c->steps);
	free(c->threads);
	free(c->functions);
	free(c->waits);
	free(c->gains);
	*c = (struct report_critical){0};
}
