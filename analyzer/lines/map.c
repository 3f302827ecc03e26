/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/map.h"

#include <stdlib.h>

#include "analyzer/lines/lines.h"
#include "analyzer/objects/heap.h"
#include "analyzer/objects/objects.h"
#include "lib/mem.h"
#include "lib/search.h"
#include "lib/vec.h"
#include "perseus/abi.h"

#define LINES_PER_PAGE_SHIFT (MAP_PAGE_SHIFT - PRS_LINE_SHIFT)

struct uses VEC(struct map_use);

/* A line or page while the most active ones are looked for. */
struct weight {
	uint64_t key, transfers, accesses;
	size_t first, n; /* uses */
};
struct weights VEC(struct weight);

static void map_gather(struct uses *out, const struct run_process *p)
{
	for (uint32_t t = 0; t < p->n_threads; t++)
		for (size_t i = 0; i < p->threads[t].n_lines; i++) {
			const struct prs_line *l = p->threads[t].lines[i];
			uint64_t seen = l->misses + l->watched + l->trips;

			vec_push(out, ((struct map_use){
					      .line = l->line,
					      .thread = t,
					      .first_ns = run_ns(p, l->first),
					      .last_ns = run_ns(p, l->last > l->first ? l->last : l->first),
					      .last = l->last,
					      .reads = l->kind == PRS_KIND_STORE ? 0 : seen,
					      .writes = l->kind == PRS_KIND_LOAD ? 0 : seen,
					      .transfers = prs_line_moves(l),
					      .read = l->read_mask,
					      .written = l->write_mask,
				      }));
		}
}

static int map_by_line(const void *a, const void *b)
{
	const struct map_use *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void map_add(struct map_use *to, const struct map_use *x)
{
	to->first_ns = x->first_ns < to->first_ns ? x->first_ns : to->first_ns;
	to->last_ns = x->last_ns > to->last_ns ? x->last_ns : to->last_ns;
	to->last = x->last > to->last ? x->last : to->last;
	to->reads += x->reads;
	to->writes += x->writes;
	to->transfers += x->transfers;
	to->read |= x->read;
	to->written |= x->written;
}

/* One use per line and thread. */
static void merge(struct uses *u)
{
	size_t n = 0;

	if (u->n)
		qsort(u->at, u->n, sizeof(*u->at), map_by_line);
	for (size_t i = 0; i < u->n; i++) {
		if (n && !map_by_line(&u->at[n - 1], &u->at[i]))
			map_add(&u->at[n - 1], &u->at[i]);
		else
			u->at[n++] = u->at[i];
	}
	u->n = n;
}

/* Sums over all uses whose line >> @shift is the same. */
static void map_weigh(struct weights *w, const struct uses *u, unsigned shift)
{
	for (size_t i = 0; i < u->n; i++) {
		const struct map_use *x = &u->at[i];

		if (!w->n || w->at[w->n - 1].key != x->line >> shift)
			vec_push(w, ((struct weight){.key = x->line >> shift, .first = i}));
		w->at[w->n - 1].transfers += x->transfers;
		w->at[w->n - 1].accesses += x->reads + x->writes;
		w->at[w->n - 1].n++;
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->transfers != y->transfers)
		return x->transfers > y->transfers ? -1 : 1;
	if (x->accesses != y->accesses)
		return x->accesses > y->accesses ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static int map_by_key(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Keep the @most heaviest, in the order of their addresses; returns how many went. */
static size_t map_keep(struct weights *w, size_t most)
{
	size_t gone = w->n > most ? w->n - most : 0;

	if (gone) {
		qsort(w->at, w->n, sizeof(*w->at), by_weight);
		w->n = most;
		qsort(w->at, w->n, sizeof(*w->at), map_by_key);
	}
	return gone;
}

/* Index of the first page shown that is not below @page. */
static size_t page_from(const struct map *m, uint64_t page)
{
	return search_first(m->n_pages, i, m->pages[i] < page);
}

static size_t bin_of(const struct map *m, uint64_t ns)
{
	size_t bin = m->span_ns ? (size_t)((double)ns / (double)m->span_ns * (double)m->n_bins) : 0;

	return bin < m->n_bins ? bin : m->n_bins - 1;
}

static void map_spread(struct map *m, const struct map_use *u)
{
	size_t page = page_from(m, u->line >> LINES_PER_PAGE_SHIFT);
	size_t from = bin_of(m, u->first_ns), to = bin_of(m, u->last_ns);

	if (page == m->n_pages || m->pages[page] != u->line >> LINES_PER_PAGE_SHIFT)
		return;
	for (size_t b = from; b <= to; b++) {
		struct map_cell *c = &m->cells[page * m->n_bins + b];
		double part = 1.0 / (double)(to - from + 1);

		c->reads += part * (double)u->reads;
		c->writes += part * (double)u->writes;
		c->transfers += part * (double)u->transfers;
	}
}

static void make_pages(struct map *m, const struct uses *u)
{
	struct weights w = VEC_INIT;

	map_weigh(&w, u, LINES_PER_PAGE_SHIFT);
	m->pages_left_out = map_keep(&w, MAP_CELLS);
	m->n_pages = w.n;
	m->pages = mem_new(w.n + 1, sizeof(*m->pages));
	for (size_t i = 0; i < w.n; i++)
		m->pages[i] = w.at[i].key;
	m->n_bins = w.n ? MAP_CELLS / w.n : 1;
	m->n_bins = m->n_bins > MAP_BINS ? MAP_BINS : m->n_bins;
	m->cells = mem_new(m->n_pages * m->n_bins + 1, sizeof(*m->cells));
	for (size_t i = 0; i < u->n; i++)
		map_spread(m, &u->at[i]);
	vec_release(&w);
}

static void make_line(struct map_line *l, const struct weight *w, struct map *m, struct objects *os)
{
	struct place place;

	*l = (struct map_line){.line = w->key, .uses = &m->uses[w->first], .n_uses = w->n};
	for (size_t k = 0; k < l->n_uses; k++) {
		l->reads += l->uses[k].reads;
		l->writes += l->uses[k].writes;
		l->transfers += l->uses[k].transfers;
	}
	place = objects_find_in_line(os, l->line, l->uses[0].last, NULL);
	l->object = mem_strdup(os->at[place.object].name);
}

static void make_lines(struct map *m, const struct uses *u, struct objects *os)
{
	struct weights w = VEC_INIT;

	map_weigh(&w, u, 0);
	m->lines_left_out = map_keep(&w, MAP_LINES);
	m->lines = mem_new(w.n + 1, sizeof(*m->lines));
	m->n_lines = w.n;
	for (size_t i = 0; i < w.n; i++)
		make_line(&m->lines[i], &w.at[i], m, os);
	vec_release(&w);
}

static int by_birth(const void *a, const void *b)
{
	const struct map_block *x = a, *y = b;

	if (x->born_ns != y->born_ns)
		return x->born_ns < y->born_ns ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void add_block(struct map *m, const struct heap_block *b)
{
	const struct run_process *p = m->process;
	uint64_t first = b->start >> MAP_PAGE_SHIFT, last = (b->start + b->bytes) >> MAP_PAGE_SHIFT;
	size_t page = page_from(m, first);
	struct map_block out = {b->start, b->bytes, run_ns(p, b->born),
				b->freed == UINT64_MAX ? UINT64_MAX : run_ns(p, b->freed),
				run_call_site(p, b->site)};

	if (page == m->n_pages || m->pages[page] > last)
		return;
	if (m->pages[page] == first) {
		m->cells[page * m->n_bins + bin_of(m, out.born_ns)].allocations++;
		if (out.freed_ns != UINT64_MAX)
			m->cells[page * m->n_bins + bin_of(m, out.freed_ns)].frees++;
	}
	if (m->n_blocks < MAP_BLOCKS)
		m->blocks[m->n_blocks++] = out;
	else
		m->blocks_left_out++;
}

void map_make(struct map *m, const struct run *run, const struct run_process *p)
{
	struct uses u = VEC_INIT;
	struct objects os;

	*m = (struct map){.process = p};
	m->span_ns = p->end > p->header->tsc_start ? run_span_ns(p, p->end - p->header->tsc_start) : 0;
	map_gather(&u, p);
	merge(&u);
	m->uses = u.at;
	objects_make(&os, run, p);
	make_pages(m, &u);
	make_lines(m, &u, &os);
	m->blocks = mem_new(MAP_BLOCKS, sizeof(*m->blocks));
	for (size_t i = 0; i < os.n_blocks; i++)
		add_block(m, &os.blocks[i]);
	qsort(m->blocks, m->n_blocks, sizeof(*m->blocks), by_birth);
	objects_release(&os);
}

void map_release(struct map *m)
{
	for (size_t i = 0; i < m->n_lines; i++)
		free(m->lines[i].object);
	free(m->lines);
	free(m->pages);
	free(m->cells);
	free(m->blocks);
	free(m->uses);
	*m = (struct map){0};
}
