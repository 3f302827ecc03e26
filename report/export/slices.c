/* SPDX-License-Identifier: MIT */
/*
 * A trace has calls in the order of their ends, and viewers want begins and
 * ends in the order of time.  Inside of a chunk of calls a stack finds the call
 * round each; calls that began in an earlier chunk, at most as many for each
 * chunk as calls were nested, are found by reading the trace once before.  So
 * the memory needed does not grow with the trace.
 */
#include "report/export/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "record/blocks/ctf.h"
#include "report/trace/trace.h"
#include "report/waits/waits.h"

#define NONE  UINT32_MAX
#define BEGUN UINT32_MAX /* in place of a first span: it began in an earlier chunk */

uint32_t slices_chunk = 262144;

struct span {
	uint64_t start, end; /* ticks */
	uint32_t what;
	uint32_t number; /* of those that began earlier: in the order of their ends */
};

/* The spans of one thread in the order of their ends. */
struct spans {
	const struct ctf *ctf; /* NULL: of the record */
	const struct ctf_stream *stream;
	struct ctf_cursor cursor;
	const uint64_t *unit;
	size_t n, at;
	const struct run_process *process;
	const struct run_thread *thread;
	size_t log, event;
	bool life; /* was given */
};

struct slicing {
	struct export *e;
	const struct slice_writer *w;
	struct ctf ctf;
	bool traced, damaged, accesses;
	struct span *chunk, *later;
	uint32_t *up, *first; /* of chunk: the span round each, the first span inside */
	uint32_t *chain;
	size_t n_later, opened;
	uint64_t base; /* ns of tick 0 of this process's clock reading run_ns() */
	uint64_t now;  /* ns */
	const struct run_process *process;
	uint32_t threads;
};

/* ---- sources ---- */

static bool next_traced(struct slicing *g, struct spans *s, struct span *out)
{
	for (;;) {
		const uint64_t *u;

		if (s->at >= s->n) {
			s->n = ctf_read(&s->cursor, &s->unit);
			s->at = 0;
			if (!s->n)
				return false;
		}
		u = s->unit + 2 * s->at;
		s->at += ctf_units(u);
		if (ctf_class(u) == PRS_CLASS_CALL && ctf_call_site(u) >= s->process->header->n_calls) {
			g->damaged = true;
		} else if (ctf_class(u) == PRS_CLASS_CALL) {
			out->end = ctf_time(u);
			out->start = out->end > ctf_length(u) ? out->end - ctf_length(u) : 0;
			out->what = ctf_call_site(u);
			return true;
		} else if (ctf_class(u) == PRS_CLASS_MEMORY) {
			g->accesses = true;
		}
	}
}

/* The next event in which the thread waited; NULL: none is left. */
static const struct prs_event *next_wait(struct spans *s)
{
	const struct run_thread *t = s->thread;

	while (s->event < t->n_events && (!run_is_wait(t->events[s->event].kind) ||
					  t->events[s->event].end <= t->events[s->event].begin))
		s->event++;
	return s->event < t->n_events ? &t->events[s->event] : NULL;
}

/* Long calls and waits by their ends; a wait stands inside a call that ended with it. */
static bool next_recorded(struct spans *s, struct span *out)
{
	const struct run_thread *t = s->thread;
	const struct prs_event *wait = next_wait(s);
	const struct prs_log *log;

	while (s->log < t->n_log && t->log[s->log].site >= s->process->header->n_calls)
		s->log++;
	log = s->log < t->n_log ? &t->log[s->log] : NULL;
	if (wait && (!log || wait->end <= log->end)) {
		*out = (struct span){wait->begin, wait->end, SLICE_WAITS + wait->kind, 0};
		s->event++;
		return true;
	}
	if (log) {
		*out = (struct span){log->end > log->ticks ? log->end - log->ticks : 0, log->end, log->site,
				     0};
		s->log++;
		return true;
	}
	if (s->life)
		return false;
	s->life = true;
	*out = (struct span){t->raw->start_tsc, t->raw->end_tsc ? t->raw->end_tsc : s->process->end,
			     SLICE_LIFE, 0};
	return out->start && out->end >= out->start;
}

static bool next_span(struct slicing *g, struct spans *s, struct span *out)
{
	return s->ctf ? next_traced(g, s, out) : next_recorded(s, out);
}

static bool rewind_spans(struct slicing *g, struct spans *s)
{
	struct err err = ERR_INIT;

	s->n = s->at = s->log = s->event = 0;
	s->life = false;
	if (!s->ctf || !ctf_cursor_open(&s->cursor, s->ctf, s->stream, &err))
		return true;
	ctf_cursor_close(&s->cursor);
	g->damaged = true;
	return false;
}

static void end_spans(struct slicing *g, struct spans *s)
{
	if (!s->ctf)
		return;
	g->damaged |= s->cursor.damage[0] || s->cursor.discarded;
	ctf_cursor_close(&s->cursor);
}

/* ---- order ---- */

/*
 * @in ended first.  Lengths of long calls are rounded down, so that what a call
 * did first may seem to begin before it.
 */
static bool slices_inside(const struct span *in, const struct span *round)
{
	return in->start >= round->start || in->end > round->start;
}

static int outer_first(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number < y->number) - (x->number > y->number);
}

static void add_later(struct slicing *g, struct span s)
{
	for (size_t i = g->n_later; i-- > 0 && slices_inside(&g->later[i], &s);)
		if (g->later[i].start < s.start)
			s.start = g->later[i].start;
	if (!(g->n_later & (g->n_later - 1)))
		g->later = mem_resize(g->later, 2 * g->n_later + 1, sizeof(*g->later));
	s.number = (uint32_t)g->n_later;
	g->later[g->n_later++] = s;
}

/* The spans that began in a chunk before the one they end in. */
static void find_later(struct slicing *g, struct spans *s)
{
	struct span span, last = {0}, before = {0};

	g->n_later = g->opened = 0;
	for (uint64_t i = 0; next_span(g, s, &span); i++) {
		if (i && i % slices_chunk == 0)
			last = before;
		if (i >= slices_chunk && slices_inside(&last, &span)) {
			add_later(g, span);
			last = span;
		}
		before = span;
	}
	if (g->n_later)
		qsort(g->later, g->n_later, sizeof(*g->later), outer_first);
}

static void slices_put(struct slicing *g, void (*how)(void *, uint64_t, uint32_t), uint64_t ticks,
		       uint32_t what)
{
	uint64_t ns = g->base + run_ns(g->process, ticks);

	if (ns > g->now)
		g->now = ns;
	how(g->w->to, g->now, what);
}

/* The outermost span of the chunk round @k that began in it. */
static uint32_t outermost(const struct slicing *g, uint32_t k)
{
	while (g->up[k] != NONE && g->first[g->up[k]] != BEGUN)
		k = g->up[k];
	return k;
}

/* Begin what begins with span @k, which holds no other: the outermost first. */
static void put_begins(struct slicing *g, uint32_t k)
{
	uint64_t start = g->chunk[k].start;
	uint32_t top = outermost(g, k);
	size_t n = 0;

	for (uint32_t i = k; i != NONE && g->first[i] == k; i = g->up[i]) {
		g->chain[n++] = i;
		if (g->chunk[i].start < start)
			start = g->chunk[i].start;
	}
	while (g->opened < g->n_later && slices_inside(&g->chunk[top], &g->later[g->opened])) {
		const struct span *s = &g->later[g->opened++];

		slices_put(g, g->w->begin, s->start < start ? s->start : start, s->what);
	}
	while (n-- > 0) {
		const struct span *s = &g->chunk[g->chain[n]];

		/* What is inside may not begin before it. */
		slices_put(g, g->w->begin, n && s->start > g->chunk[k].start ? g->chunk[k].start : s->start,
			   s->what);
	}
}

/* @last: the last span of the chunk before, NULL: there is none. */
static void put_chunk(struct slicing *g, uint32_t n, const struct span *last)
{
	size_t depth = 0;

	for (uint32_t k = 0; k < n; k++) {
		g->first[k] = k;
		g->up[k] = NONE;
		while (depth && slices_inside(&g->chunk[g->chain[depth - 1]], &g->chunk[k])) {
			g->up[g->chain[--depth]] = k;
			g->first[k] = g->first[g->chain[depth]];
		}
		g->chain[depth++] = k;
		if (last && slices_inside(last, &g->chunk[k])) {
			g->first[k] = BEGUN;
			last = &g->chunk[k];
		}
	}
	for (uint32_t k = 0; k < n; k++) {
		if (g->first[k] == k)
			put_begins(g, k);
		slices_put(g, g->w->end, g->chunk[k].end, g->chunk[k].what);
	}
}

static void put_spans(struct slicing *g, struct spans *s)
{
	struct span last, *known = NULL;
	uint32_t n;

	do {
		for (n = 0; n < slices_chunk && next_span(g, s, &g->chunk[n]);)
			n++;
		put_chunk(g, n, known);
		if (n) {
			last = g->chunk[n - 1];
			known = &last;
		}
	} while (n == slices_chunk);
}

/* ---- threads ---- */

static const char *slices_name_of(const struct report_summary *s, const struct run_process *p, uint32_t index)
{
	for (size_t i = 0; i < s->n_threads_listed; i++)
		if (s->threads[i].process == p && s->threads[i].index == index)
			return s->threads[i].full;
	return "thread";
}

static void put_thread(struct slicing *g, struct spans *s, uint32_t index, uint32_t tid)
{
	struct slice_thread t = {s->process, index, tid, g->threads++, NULL};

	t.name = slices_name_of(g->e->s, s->process, index);
	g->process = s->process;
	g->base = s->process->header->mono_start_ns - slices_start(g->e->run);
	g->now = 0;
	if (!rewind_spans(g, s))
		return;
	find_later(g, s);
	end_spans(g, s);
	if (!rewind_spans(g, s))
		return;
	g->w->thread(g->w->to, &t);
	put_spans(g, s);
	g->w->done(g->w->to);
	end_spans(g, s);
}

static const struct run_process *process_of(const struct run *run, const struct ctf_stream *s)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].header->pid == s->pid && run->processes[i].header->epoch == s->epoch)
			return &run->processes[i];
	return NULL;
}

static void put_traced(struct slicing *g)
{
	for (size_t i = 0; i < g->ctf.n_streams; i++) {
		const struct ctf_stream *stream = &g->ctf.streams[i];
		struct spans s = {.ctf = &g->ctf, .stream = stream};

		s.process = process_of(g->e->run, stream);
		if (s.process)
			put_thread(g, &s, stream->thread, stream->tid);
		else
			g->damaged = true;
	}
}

static void put_recorded(struct slicing *g)
{
	const struct run *run = g->e->run;

	for (size_t i = 0; i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_threads; k++) {
			struct spans s = {.process = &run->processes[i],
					  .thread = &run->processes[i].threads[k]};

			put_thread(g, &s, (uint32_t)k, s.thread->raw->tid);
		}
}

static void say_missing(struct slicing *g)
{
	struct strbuf *out = &g->e->notes;

	if (!g->traced)
		strbuf_printf(out,
			      "'%s' has no trace: only waits and single long calls are drawn\n"
			      "  perseus record --trace PROGRAM records every call\n",
			      g->e->run->path);
	g->e->partial |= g->damaged;
	if (g->damaged)
		strbuf_printf(out, "the trace of '%s' is not whole: perseus report --trace says why\n",
			      g->e->run->path);
	if (g->accesses)
		strbuf_puts(out, "accesses to memory are in the trace and not in this format\n");
}

int slices_write(struct export *e, const struct slice_writer *w, struct err *err)
{
	struct slicing g = {.e = e, .w = w};
	int ret = ctf_open(&g.ctf, e->run->path, err);

	if (ret && (ret != -ENOENT || e->trace))
		return ret == -ENOENT ? err_advise(err, "perseus record --trace PROGRAM makes a run that has "
							"one")
				      : ret;
	g.traced = !ret;
	g.damaged = g.traced && (strcmp(g.ctf.state, "complete") || g.ctf.unreadable);
	g.chunk = mem_new(slices_chunk, sizeof(*g.chunk));
	g.up = mem_new(slices_chunk, sizeof(*g.up));
	g.first = mem_new(slices_chunk, sizeof(*g.first));
	g.chain = mem_new(slices_chunk, sizeof(*g.chain));
	if (g.traced)
		put_traced(&g);
	else
		put_recorded(&g);
	say_missing(&g);
	free(g.chunk);
	free(g.later);
	free(g.up);
	free(g.first);
	free(g.chain);
	if (g.traced)
		ctf_close(&g.ctf);
	return 0;
}

/* ---- names ---- */

void slice_name(const struct export *e, const struct run_process *p, uint32_t what, struct strbuf *out)
{
	const struct run_call_site *site = what < SLICE_LIFE ? run_call_site(p, what) : NULL;

	if (what == SLICE_LIFE)
		strbuf_puts(out, "thread");
	else if (what >= SLICE_WAITS)
		strbuf_printf(out, "wait: %s", report_wait_kind(what - SLICE_WAITS));
	else if (!site)
		strbuf_printf(out, "site %u", what);
	else if (!strcmp(site->callee, "indirect"))
		strbuf_printf(out, "indirect call in %s", site->pretty);
	else
		trace_put_name(e->run, site->callee, out);
}

bool slice_place(const struct export *e, const struct run_process *p, uint32_t what, struct run_place *place)
{
	const struct run_call_site *site = what < SLICE_LIFE ? run_call_site(p, what) : NULL;

	if (!site)
		return false;
	run_site_place(e->run, site, place);
	return place->file != NULL;
}

const struct run_function *slice_function(const struct export *e, const struct run_process *p, uint32_t what)
{
	const struct run_call_site *site = what < SLICE_LIFE ? run_call_site(p, what) : NULL;
	const struct run_function *f = site ? run_function(e->run, site->callee) : NULL;

	return f && strcmp(f->file, "-") ? f : NULL;
}

uint64_t slices_start(const struct run *run)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].header->mono_start_ns < first)
			first = run->processes[i].header->mono_start_ns;
	return first;
}
