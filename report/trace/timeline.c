/* SPDX-License-Identifier: MIT */
/* `perseus report --timeline`: the calls of a trace in the order in which they began. */
#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "report/time/words.h"
#include "report/trace/trace.h"

struct moment {
	uint64_t start, ticks; /* start: ns since the run began, so that processes can be compared */
	uint64_t order;        /* in its stream: of two that began together the outer returned later */
	uint32_t site, stream;
	const struct run_process *process;
};

/* The earliest calls so far: twice as many as asked for, thrown out by halves. */
struct earliest {
	struct moment *at;
	size_t n, want;
	uint64_t bar; /* what begins later need not be looked at */
};

static int by_start(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->order < y->order) - (x->order > y->order);
}

static void thin(struct earliest *e)
{
	if (e->n)
		qsort(e->at, e->n, sizeof(*e->at), by_start);
	if (e->n > e->want)
		e->n = e->want;
	if (e->n == e->want)
		e->bar = e->at[e->n - 1].start;
}

static void timeline_add(struct earliest *e, const struct moment *m)
{
	if (m->start > e->bar)
		return;
	e->at[e->n++] = *m;
	if (e->n == 2 * e->want)
		thin(e);
}

static bool read_stream(struct earliest *e, const struct ctf *ctf, uint32_t number,
			const struct run_process *p, uint64_t base_ns)
{
	struct moment m = {.stream = number, .process = p};
	struct err err = ERR_INIT;
	struct ctf_cursor c;
	const uint64_t *unit;
	bool whole;
	size_t n;

	if (ctf_cursor_open(&c, ctf, &ctf->streams[number], &err)) {
		ctf_cursor_close(&c);
		return false;
	}
	while ((n = ctf_read(&c, &unit)) > 0) {
		for (size_t i = 0; i < n; i += ctf_units(unit + 2 * i)) {
			uint64_t end = ctf_time(unit + 2 * i);

			m.order++;
			if (ctf_class(unit + 2 * i) != PRS_CLASS_CALL)
				continue;
			m.ticks = ctf_length(unit + 2 * i);
			m.start = base_ns + run_ns(p, end > m.ticks ? end - m.ticks : 0);
			m.site = ctf_call_site(unit + 2 * i);
			timeline_add(e, &m);
		}
	}
	whole = !c.damage[0] && !c.discarded;
	ctf_cursor_close(&c);
	return whole;
}

const struct run_process *trace_process(const struct run *run, const struct ctf_stream *s)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].header->pid == s->pid && run->processes[i].header->epoch == s->epoch)
			return &run->processes[i];
	return NULL;
}

uint64_t trace_start(const struct run *run)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].header->mono_start_ns < first)
			first = run->processes[i].header->mono_start_ns;
	return first;
}

static void put_line(const struct run *run, const struct moment *m, size_t depth, const struct ctf_stream *s,
		     struct strbuf *out)
{
	const struct run_call_site *site = run_call_site(m->process, m->site);
	char at[32], took[32];
	struct run_place place;

	strbuf_printf(out, "%12s %9s  %u.%u  %*s", num_time(at, sizeof(at), (double)m->start * 1e-9),
		      num_time(took, sizeof(took), (double)run_span_ns(m->process, m->ticks) * 1e-9), s->pid,
		      s->thread, (int)(2 * depth), "");
	if (!site) {
		strbuf_printf(out, "site %u\n", m->site);
		return;
	}
	trace_put_name(run, site->callee, out);
	run_site_place(run, site, &place);
	strbuf_puts(out, " (");
	text_place(place.file, place.line, out);
	strbuf_puts(out, ")\n");
}

#define DEPTH_MAX 32u /* indented so far, and no further */

/* Ends of the calls of a stream that are round the one printed next. */
struct nest {
	uint64_t end[DEPTH_MAX];
	size_t depth;
};

static void timeline_print(const struct run *run, const struct ctf *ctf, const struct earliest *e,
			   struct strbuf *out)
{
	struct nest *nests = mem_new(ctf->n_streams + 1, sizeof(*nests));

	strbuf_printf(out, "%12s %9s  thread  call\n", "began", "took");
	for (size_t i = 0; i < e->n; i++) {
		const struct moment *m = &e->at[i];
		struct nest *n = &nests[m->stream];

		while (n->depth && n->end[n->depth - 1] <= m->start)
			n->depth--;
		put_line(run, m, n->depth, &ctf->streams[m->stream], out);
		if (n->depth < DEPTH_MAX)
			n->end[n->depth++] = m->start + run_span_ns(m->process, m->ticks);
	}
	free(nests);
}

int trace_timeline(const struct run *run, size_t n, struct strbuf *out, bool *whole, struct err *err)
{
	struct earliest e = {.want = n, .bar = UINT64_MAX};
	uint64_t first = trace_start(run);
	struct ctf ctf;
	int ret;

	ret = ctf_open(&ctf, run->path, err);
	if (ret)
		return ret;
	*whole = !strcmp(ctf.state, "complete") && !ctf.unreadable;
	e.at = mem_new(2 * n, sizeof(*e.at));
	for (size_t i = 0; i < ctf.n_streams; i++) {
		const struct run_process *p = trace_process(run, &ctf.streams[i]);

		if (!p || !read_stream(&e, &ctf, (uint32_t)i, p, p->header->mono_start_ns - first))
			*whole = false;
	}
	thin(&e);
	timeline_print(run, &ctf, &e, out);
	free(e.at);
	ctf_close(&ctf);
	return 0;
}

void trace_put_name(const struct run *run, const char *asm_name, struct strbuf *out)
{
	const struct run_function *f = run_function(run, asm_name);
	char *name = f ? NULL : demangle_short(asm_name);

	strbuf_puts(out, f ? f->pretty : name ? name : asm_name);
	free(name);
}
