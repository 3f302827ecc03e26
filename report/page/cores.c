/* SPDX-License-Identifier: MIT */
/* On which core each thread was seen: the document and the table `cores`. */
#include <stdlib.h>

#include "lib/html/columns.h"
#include "lib/html/html.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/search.h"
#include "record/cores/cores.h"
#include "report/page/parts.h"
#include "report/trace/trace.h"

/* A thread of the run, and its row in the page; kernel ids come again. */
struct owner {
	uint32_t pid, tid;
	uint64_t start_ns; /* as looks have it */
	int64_t row;
};

static int by_id(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static struct owner *owners_of(const struct report_summary *s)
{
	struct owner *out = mem_new(s->n_threads_listed + 1, sizeof(*out));

	for (size_t i = 0; i < s->n_threads_listed; i++) {
		const struct report_thread *t = &s->threads[i];
		const struct prs_rec_header *h = t->process->header;
		const struct prs_thread *raw = t->process->threads[t->index].raw;

		out[i] = (struct owner){h->pid, raw->tid,
					h->mono_start_ns + run_ns(t->process, raw->start_tsc), (int64_t)i};
	}
	qsort(out, s->n_threads_listed, sizeof(*out), by_id);
	return out;
}

/* The thread that had these ids at that time; -1: it is not in the page. */
static int64_t row_of(const struct owner *owners, size_t n, const struct core_look *l)
{
	const struct owner key = {l->pid, l->tid, l->ns, 0};
	size_t low = search_first(n, i, by_id(&owners[i], &key) <= 0);

	if (!low || owners[low - 1].pid != l->pid || owners[low - 1].tid != l->tid)
		return -1;
	return owners[low - 1].row;
}

/* Looks at a thread that found it on one core one after the other. */
struct span {
	int64_t row, begin, end, core, looks;
};

static void add_span(struct columns *c, const struct span *s)
{
	if (s->looks)
		columns_add(c, (const int64_t[]){s->row, s->begin, s->end - s->begin, s->core, s->looks});
}

/* Returns how many looks are of no thread of the page: of the time before the run, above all. */
static size_t put_spans(const struct report_summary *s, const struct core_looks *looks, struct columns *c)
{
	struct owner *owners = owners_of(s);
	uint64_t first_ns = trace_start(s->run);
	struct span now = {.looks = 0};
	size_t others = 0;

	for (size_t i = 0; i < looks->n; i++) {
		const struct core_look *l = &looks->at[i];
		int64_t row = l->ns < first_ns ? -1 : row_of(owners, s->n_threads_listed, l);
		int64_t at = (int64_t)(l->ns - first_ns);

		others += row < 0;
		if (row < 0)
			continue;
		if (now.row != row || now.core != l->core || !now.looks) {
			add_span(c, &now);
			now = (struct span){row, at, at, l->core, 0};
		}
		now.end = at;
		now.looks++;
	}
	add_span(c, &now);
	free(owners);
	return others;
}

void page_cores(const struct report_summary *s, struct strbuf *out)
{
	static const char *const names[] = {"thread", "begin", "ns", "core", "looks", NULL};
	struct core_looks looks;
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct columns c;
	struct json j;
	size_t others;
	int ret = cores_read(s->run->path, &looks, &err);

	columns_init(&c, names);
	others = put_spans(s, &looks, &c);
	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_u64(&j, "looks", looks.n);
	json_u64(&j, "elsewhere", others);
	json_string(&j, "damage", ret ? err.msg : NULL);
	json_end(&j);
	if (looks.n || ret) {
		strbuf_puts(out, "<script type=\"application/json\" id=\"cores\">");
		html_json(out, sb.s);
		strbuf_puts(out, "</script>\n");
		columns_write(&c, "core_spans", out);
	}
	strbuf_release(&sb);
	columns_release(&c);
	vec_release(&looks);
}
