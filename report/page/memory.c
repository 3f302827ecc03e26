/* SPDX-License-Identifier: MIT */
/* The memory round the findings: the document `memory`, and its tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/heap.h"
#include "analyzer/time/threads.h"
#include "lib/html/columns.h"
#include "lib/html/html.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "perseus/abi.h"
#include "record/names/names.h"
#include "report/page/memory.h"
#include "report/page/parts.h"

#define BIN_ROWS   131072u
#define BLOCKS_MAX 4096u

/* Sites of the events, each once; by number of the process. */
struct site_names {
	uint32_t *index; /* 1 + its number in the page, 0: not used */
	struct VEC(uint32_t) used;
	uint32_t n;
};

/* ---- tables ------------------------------------------------------------------------------------- */

static int64_t site_index(struct site_names *s, uint32_t site)
{
	if (site >= s->n)
		return -1;
	if (!s->index[site]) {
		vec_push(&s->used, site);
		s->index[site] = (uint32_t)s->used.n;
	}
	return (int64_t)s->index[site] - 1;
}

static void put_events(const struct memory_story *s, struct site_names *sites, struct strbuf *out)
{
	/* What a thread does is alike, and what it meets of one other thread. */
	static const char *const names[] = {"seq",
					    "time",
					    "thread",
					    "line/thread",
					    "byte/thread",
					    "site/thread",
					    "kind/thread",
					    "bytes/thread",
					    "rival/line=thread",
					    "pair/thread+rival",
					    "rival_site/rival+pair",
					    "rival_byte/rival+pair",
					    NULL};
	struct columns c;

	columns_init(&c, names);
	columns_expect(&c, s->events.n);
	for (size_t i = 0; i < s->events.n; i++) {
		const struct memory_event *e = &s->events.at[i];
		const int64_t v[] = {(int64_t)e->seq,
				     (int64_t)e->ns,
				     e->thread,
				     e->at / 64,
				     e->at % 64,
				     site_index(sites, e->site),
				     e->kind,
				     e->bytes,
				     e->rival,
				     e->pair,
				     e->pair ? site_index(sites, e->rival_site) : 0,
				     e->pair ? e->rival_at % 64 : 0};

		columns_add(&c, v);
	}
	columns_write(&c, "memory_events", out);
	columns_release(&c);
}

/* How many bins become one, so that the table stays small. */
static uint32_t bins_in_one(const struct memory_story *s)
{
	uint32_t n = 1;

	while (n < MEMORY_BINS && s->uses.n * (MEMORY_BINS / n) > BIN_ROWS)
		n *= 2;
	return n;
}

static void put_bins(const struct memory_story *s, uint32_t in_one, struct strbuf *out)
{
	static const char *const names[] = {"line", "thread", "bin", "reads", "writes", "transfers", NULL};
	struct columns c;

	columns_init(&c, names);
	for (size_t i = 0; i < s->uses.n; i++)
		for (uint32_t b = 0; b < MEMORY_BINS; b += in_one) {
			const struct memory_use *u = &s->uses.at[i];
			int64_t v[] = {u->line, u->thread, b / in_one, 0, 0, 0};

			for (uint32_t k = b; k < b + in_one; k++) {
				v[3] += u->reads[k];
				v[4] += u->writes[k];
				v[5] += u->moves[k];
			}
			if (v[3] || v[4] || v[5])
				columns_add(&c, v);
		}
	columns_write(&c, "memory_bins", out);
	columns_release(&c);
}

static void put_lines(const struct memory_places *m, struct strbuf *out)
{
	static const char *const names[] = {"finding", "line", "transfers", NULL};
	struct columns c;

	columns_init(&c, names);
	for (size_t i = 0; i < m->lines.n; i++) {
		const struct memory_line *l = &m->lines.at[i];

		columns_add(&c, (const int64_t[]){l->finding, l->line, (int64_t)l->transfers});
	}
	columns_write(&c, "memory_lines", out);
	columns_release(&c);
}

static void put_spans(const struct memory_places *m, struct strbuf *out)
{
	static const char *const names[] = {"line", "at", "bytes", "name", NULL};
	struct columns c;

	columns_init(&c, names);
	for (size_t i = 0; i < m->spans.n; i++) {
		const struct memory_span *s = &m->spans.at[i];

		columns_add(&c, (const int64_t[]){s->line, s->at, s->bytes, s->name});
	}
	columns_write(&c, "memory_fields", out);
	columns_release(&c);
}

/* Which bytes of which line a thread used in the whole run, as far as it was seen. */
static void put_masks(const struct memory_places *m, struct strbuf *out)
{
	static const char *const names[] = {"line",      "thread",    "site",       "read_low",
					    "read_high", "write_low", "write_high", NULL};
	struct columns c;

	columns_init(&c, names);
	for (uint32_t t = 0; t < m->p->n_threads; t++)
		for (size_t i = 0; i < m->p->threads[t].n_lines; i++) {
			const struct prs_line *l = m->p->threads[t].lines[i];
			uint32_t line = memory_line_at(m, l->line << PRS_LINE_SHIFT);

			if (line != UINT32_MAX && m->finding_of[line])
				columns_add(&c, (const int64_t[]){line, t, l->site, (uint32_t)l->read_mask,
								  (int64_t)(l->read_mask >> 32),
								  (uint32_t)l->write_mask,
								  (int64_t)(l->write_mask >> 32)});
		}
	columns_write(&c, "memory_bytes", out);
	columns_release(&c);
}

/* ---- the document ----------------------------------------------------------------------------------- */

static void put_address(struct json *j, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(j, key, text);
}

/* By index, as the findings name them. */
static void put_threads(struct json *j, const struct memory_places *m)
{
	struct instances ins;
	const char **names = mem_new(m->p->n_threads + 1, sizeof(*names));

	instances_match(&ins, &m->run, &m->p, 1);
	for (uint32_t t = 0; t < m->p->n_threads; t++) {
		uint32_t at = instance_of(&ins, 0, t);

		names[t] = at == INSTANCE_NONE ? NULL : ins.at[at].name;
	}
	for (size_t i = 0; i < m->n_findings; i++)
		for (size_t k = 0; k < m->findings[i]->n_pairs; k++) {
			const struct sharing_pair *p = &m->findings[i]->pairs[k];

			names[p->a.thread] = p->a.name;
			names[p->b.thread] = p->b.name;
		}
	json_array(j, "threads");
	for (uint32_t t = 0; t < m->p->n_threads; t++)
		json_string(j, NULL, names[t]);
	json_end(j);
	instances_release(&ins);
	free(names);
}

static void put_findings(struct json *j, const struct memory_places *m)
{
	json_array(j, "findings");
	for (size_t i = 0; i < m->n_findings; i++)
		json_string(j, NULL, m->findings[i]->evidence);
	json_end(j);
	json_array(j, "pages");
	for (size_t i = 0; i < m->n_pages; i++)
		put_address(j, NULL, m->pages[i] << 12);
	json_end(j);
	json_array(j, "names");
	for (size_t i = 0; i < m->names.n; i++)
		json_string(j, NULL, m->names.at[i]);
	json_end(j);
}

static void put_pairs(struct json *j, const struct memory_story *s)
{
	json_array(j, "pairs");
	for (size_t i = 0; i < s->pairs.n; i++) {
		json_object(j, NULL);
		json_u64(j, "finding", s->pairs.at[i].finding);
		json_u64(j, "a", s->pairs.at[i].a);
		json_u64(j, "b", s->pairs.at[i].b);
		json_u64(j, "conflicts", s->pairs.at[i].count);
		json_end(j);
	}
	json_end(j);
}

static void put_sites(struct json *j, const struct memory_places *m, const struct site_names *sites)
{
	json_array(j, "sites");
	for (size_t i = 0; i < sites->used.n; i++) {
		const struct run_mem_site *site = run_mem_site(m->p, sites->used.at[i]);
		struct run_place place = {.file = NULL};
		const struct run_function *f = NULL;

		json_object(j, NULL);
		if (site) {
			run_mem_place(m->run, site, &place);
			f = run_function(m->run, place.function);
		}
		json_string(j, "function", f ? f->pretty : site ? site->pretty : NULL);
		json_string(j, "file", place.file);
		json_u64(j, "line", place.line);
		json_end(j);
	}
	json_end(j);
}

static void put_block(struct json *j, const struct memory_places *m, const struct heap_block *b)
{
	const struct run_call_site *site = run_call_site(m->p, b->site);
	struct run_place place = {.file = NULL};

	json_object(j, NULL);
	put_address(j, "address", b->start);
	json_u64(j, "bytes", b->bytes);
	json_u64(j, "thread", b->thread);
	json_u64(j, "born_ns", run_ns(m->p, b->born));
	if (b->freed != UINT64_MAX)
		json_u64(j, "freed_ns", run_ns(m->p, b->freed));
	if (site)
		run_site_place(m->run, site, &place);
	json_string(j, "file", place.file);
	json_u64(j, "line", place.line);
	json_end(j);
}

static bool in_pages(const struct memory_places *m, const struct heap_block *b)
{
	for (size_t i = 0; i < m->n_pages; i++)
		if (b->start < (m->pages[i] + 1) << 12 && b->start + b->bytes > m->pages[i] << 12)
			return true;
	return false;
}

/* Returns how many are not shown. */
static size_t put_blocks(struct json *j, const struct memory_places *m)
{
	size_t n, shown = 0, left_out = 0;
	struct heap_block *blocks = heap_blocks(m->p, &n);

	json_array(j, "blocks");
	for (size_t i = 0; i < n; i++) {
		if (!in_pages(m, &blocks[i]))
			continue;
		if (shown < BLOCKS_MAX)
			put_block(j, m, &blocks[i]);
		left_out += shown == BLOCKS_MAX;
		shown += shown < BLOCKS_MAX;
	}
	json_end(j);
	free(blocks);
	return left_out;
}

static void put_story(struct json *j, const struct memory_story *s, uint32_t in_one)
{
	json_bool(j, "traced", s->traced);
	json_u64(j, "span_ns", s->span_ns);
	json_u64(j, "bins", MEMORY_BINS / in_one);
	json_u64(j, "events", s->seen);
	json_u64(j, "events_kept", s->events.n);
	json_u64(j, "lost", s->lost);
	json_u64(j, "gaps", s->gaps);
	json_string(j, "damage", s->damage);
}

static void put_index(const struct memory_places *m, const struct memory_story *s,
		      const struct site_names *sites, uint32_t in_one, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	size_t blocks_left_out;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_u64(&j, "pid", m->p->header->pid);
	put_story(&j, s, in_one);
	put_threads(&j, m);
	put_findings(&j, m);
	put_pairs(&j, s);
	put_sites(&j, m, sites);
	blocks_left_out = put_blocks(&j, m);
	json_object(&j, "left_out");
	json_u64(&j, "findings", m->findings_left_out);
	json_u64(&j, "pages", m->pages_left_out);
	json_u64(&j, "blocks", blocks_left_out);
	json_u64(&j, "events", s->seen - s->events.n);
	json_end(&j);
	json_end(&j);
	strbuf_puts(out, "<script type=\"application/json\" id=\"memory\">");
	html_json(out, sb.s);
	strbuf_puts(out, "</script>\n");
	strbuf_release(&sb);
}

void page_memory_write(const struct memory_places *m, const struct memory_story *s, struct strbuf *out)
{
	struct site_names sites = {.n = m->p->header->n_mems};
	uint32_t in_one = bins_in_one(s);

	sites.index = mem_new(sites.n + 1, sizeof(*sites.index));
	if (s->traced)
		put_events(s, &sites, out);
	put_bins(s, in_one, out);
	put_lines(m, out);
	put_spans(m, out);
	put_masks(m, out);
	put_index(m, s, &sites, in_one, out);
	vec_release(&sites.used);
	free(sites.index);
}

void page_memory(const struct conflicts_case *c, struct strbuf *out)
{
	struct memory_places places;
	struct memory_story story;

	memory_places_make(&places, &c->rep, c->run);
	memory_story_make(&story, &places);
	if (places.p)
		page_memory_write(&places, &story, out);
	memory_story_release(&story);
	memory_places_release(&places);
}
