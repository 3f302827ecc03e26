/* SPDX-License-Identifier: MIT */
/* perseus conflicts --map: the memory map as JSON, for a player. */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/lines/map.h"
#include "analyzer/program.h"
#include "analyzer/time/threads.h"
#include "lib/json.h"
#include "report/conflicts/conflicts.h"

static void address(struct json *j, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(j, key, text);
}

static void print_cells(struct json *j, const struct map *m)
{
	json_array(j, "cells");
	for (size_t page = 0; page < m->n_pages; page++)
		for (size_t bin = 0; bin < m->n_bins; bin++) {
			const struct map_cell *c = &m->cells[page * m->n_bins + bin];

			if (c->reads + c->writes + c->transfers <= 0 && !c->allocations && !c->frees)
				continue;
			json_object(j, NULL);
			json_u64(j, "page", page);
			json_u64(j, "bin", bin);
			json_double(j, "reads", c->reads);
			json_double(j, "writes", c->writes);
			json_double(j, "transfers", c->transfers);
			json_u64(j, "allocations", c->allocations);
			json_u64(j, "frees", c->frees);
			json_end(j);
		}
	json_end(j);
}

static void print_line(struct json *j, const struct map_line *l)
{
	json_object(j, NULL);
	address(j, "address", l->line << 6);
	json_string(j, "object", l->object);
	json_u64(j, "reads", l->reads);
	json_u64(j, "writes", l->writes);
	json_u64(j, "transfers", l->transfers);
	json_array(j, "threads");
	for (size_t i = 0; i < l->n_uses; i++) {
		const struct map_use *u = &l->uses[i];

		json_object(j, NULL);
		json_u64(j, "thread", u->thread);
		json_u64(j, "first_ns", u->first_ns);
		json_u64(j, "last_ns", u->last_ns);
		json_u64(j, "reads", u->reads);
		json_u64(j, "writes", u->writes);
		json_u64(j, "transfers", u->transfers);
		address(j, "read_mask", u->read);
		address(j, "write_mask", u->written);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void print_block(struct json *j, const struct run *run, const struct map_block *b)
{
	struct run_place place = {.file = NULL};

	json_object(j, NULL);
	address(j, "address", b->start);
	json_u64(j, "bytes", b->bytes);
	json_u64(j, "born_ns", b->born_ns);
	if (b->freed_ns != UINT64_MAX)
		json_u64(j, "freed_ns", b->freed_ns);
	if (b->site)
		run_site_place(run, b->site, &place);
	json_string(j, "file", place.file);
	json_u64(j, "line", place.line);
	json_end(j);
}

/* By index, with the names that findings give them. */
static void print_threads(struct json *j, const struct run *run, const struct run_process *p)
{
	struct instances names;

	instances_match(&names, &run, &p, 1);
	json_array(j, "threads");
	for (uint32_t t = 0; t < p->n_threads; t++) {
		uint32_t at = instance_of(&names, 0, t);

		json_string(j, NULL, at == INSTANCE_NONE ? NULL : names.at[at].name);
	}
	json_end(j);
	instances_release(&names);
}

static void print_map(struct json *j, const struct run *run, const struct map *m)
{
	json_object(j, NULL);
	json_u64(j, "pid", m->process->header->pid);
	json_u64(j, "page_bytes", 1u << MAP_PAGE_SHIFT);
	json_u64(j, "bins", m->n_bins);
	json_u64(j, "span_ns", m->span_ns);
	print_threads(j, run, m->process);
	json_array(j, "pages");
	for (size_t i = 0; i < m->n_pages; i++)
		address(j, NULL, m->pages[i] << MAP_PAGE_SHIFT);
	json_end(j);
	print_cells(j, m);
	json_array(j, "lines");
	for (size_t i = 0; i < m->n_lines; i++)
		print_line(j, &m->lines[i]);
	json_end(j);
	json_array(j, "blocks");
	for (size_t i = 0; i < m->n_blocks; i++)
		print_block(j, run, &m->blocks[i]);
	json_end(j);
	json_object(j, "left_out");
	json_u64(j, "pages", m->pages_left_out);
	json_u64(j, "lines", m->lines_left_out);
	json_u64(j, "blocks", m->blocks_left_out);
	json_end(j);
	json_end(j);
}

void conflicts_map(const struct run *run, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "run", run_name(run));
	json_string(&j, "trial", run->manifest.trial);
	json_bool(&j, "complete", run->complete);
	json_array(&j, "processes");
	for (size_t i = 0; i < run->n_processes; i++) {
		struct map m;

		map_make(&m, run, &run->processes[i]);
		print_map(&j, run, &m);
		map_release(&m);
	}
	json_end(&j);
	json_end(&j);
	strbuf_puts(out, "\n");
}
