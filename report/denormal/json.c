/* SPDX-License-Identifier: MIT */
/* The report as JSON. */
#include <stdio.h>

#include "lib/json.h"
#include "report/denormal/parts.h"

static void put_counts(struct json *j, const struct denormal_report *r, const struct denormal_counts *n)
{
	json_u64(j, "results", n->results);
	json_u64(j, "loads", n->loads);
	json_u64(j, "stores", n->stores);
	json_u64(j, "copies", n->copies);
	json_u64(j, "births", n->births);
	json_u64(j, "deaths", n->deaths);
	if (!r->priced)
		return;
	json_double(j, "cost_ns_low", n->low_ps / 1000);
	json_double(j, "cost_ns_high", n->high_ps / 1000);
}

static void put_line(struct json *j, const struct denormal_report *r, const struct denormal_line *l)
{
	json_object(j, NULL);
	json_string(j, "file", l->file);
	json_u64(j, "line", l->line);
	json_string(j, "function", l->function);
	put_counts(j, r, &l->n);
	json_bool(j, "at_least", l->wrapped);
	json_end(j);
}

static void put_site(struct json *j, const struct denormal_site *s)
{
	char id[32];

	snprintf(id, sizeof(id), "%016llx", (unsigned long long)s->id);
	json_object(j, NULL);
	json_string(j, "site", id);
	json_string(j, "operation", denormal_kind_name(s->kind));
	json_string(j, "type", denormal_type_name(s->type));
	json_string(j, "file", s->file);
	json_u64(j, "line", s->line);
	json_u64(j, "column", s->column);
	json_string(j, "function", s->function);
	json_string(j, "name", *s->name ? s->name : NULL);
	json_bool(j, "root", s->flags & PRS_DEN_SITE_ROOT);
	json_u64(j, "denormal", s->results);
	json_u64(j, "births", s->births);
	json_u64(j, "deaths", s->deaths);
	json_array(j, "operands");
	for (uint32_t i = 0; i < DENORMAL_OPERANDS && i < s->operands; i++)
		json_u64(j, NULL, s->operand[i]);
	json_end(j);
	json_bool(j, "at_least", s->wrapped);
	json_end(j);
}

static void put_array(struct json *j, const struct denormal_report *r, const struct denormal_array *a)
{
	static const char *const where[] = {"heap", "static", "stack", "mapped", "elsewhere"};
	const struct denormal_object *o = &r->run->counts.objects.at[a->object];

	json_object(j, NULL);
	json_string(j, "name", a->name);
	json_string(j, "where", where[o->raw.where]);
	json_string(j, "made_by", a->made);
	json_u64(j, "pid", r->run->counts.files.at[o->file].pid);
	json_u64(j, "bytes", o->raw.bytes);
	json_u64(j, "blocks", o->raw.blocks);
	json_u64(j, "loads", a->loads);
	json_u64(j, "stores", a->stores);
	json_u64(j, "copied_in", a->in);
	json_u64(j, "copied_out", a->out);
	json_string(j, "part", denormal_part_name(a->part));
	json_array(j, "by");
	for (size_t i = 0; i < r->run->counts.rows.n; i++) {
		const struct denormal_row *row = &r->run->counts.rows.at[i];
		const struct denormal_site *s = &r->run->counts.sites.at[row->site];

		if (row->object != a->object)
			continue;
		json_object(j, NULL);
		json_string(j, "operation", denormal_kind_name(s->kind));
		json_string(j, "file", s->file);
		json_u64(j, "line", s->line);
		json_string(j, "function", s->function);
		json_u64(j, "count", row->count);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void put_unplaced(struct json *j, const struct denormal_report *r)
{
	json_array(j, "in_no_array");
	for (size_t i = 0; i < r->unplaced.n; i++) {
		const struct denormal_line *l = &r->unplaced.at[i];

		json_object(j, NULL);
		json_string(j, "file", l->file);
		json_u64(j, "line", l->line);
		json_string(j, "function", l->function);
		json_u64(j, "loads", l->n.loads);
		json_u64(j, "stores", l->n.stores);
		json_end(j);
	}
	json_end(j);
}

static void put_threads(struct json *j, const struct denormal *d)
{
	json_array(j, "threads");
	for (size_t i = 0; i < d->threads.n; i++) {
		const struct denormal_thread *t = &d->threads.at[i];

		json_object(j, NULL);
		json_u64(j, "pid", t->pid);
		json_u64(j, "tid", t->raw.tid);
		json_string(j, "name", t->raw.name);
		json_u64(j, "threads", t->raw.threads);
		json_u64(j, "denormal", t->results);
		json_bool(j, "flushed", t->raw.mxcsr_seen & 0x8040);
		json_end(j);
	}
	json_end(j);
}

/* What the run would have cost elsewhere, by what others measured. */
static void put_elsewhere(struct json *j, const struct denormal_report *r)
{
	struct denormal_cited c;

	json_array(j, "elsewhere");
	for (size_t i = 0; denormal_cited(i, r->run, &c); i++) {
		json_object(j, NULL);
		json_string(j, "cpu", c.cpu);
		json_double(j, "cost_ns_low", c.low_ps / 1000);
		json_double(j, "cost_ns_high", c.high_ps / 1000);
		json_u64(j, "unpriced", c.unpriced);
		json_string(j, "cited", c.source);
		json_end(j);
	}
	json_end(j);
}

static void put_head(struct json *j, const struct denormal_report *r)
{
	static const char *const words[] = {"good", "limited", "flushed"};
	const struct denormal_run *run = r->run;

	json_u64(j, "schema", 1);
	json_string(j, "run", run->path);
	json_string(j, "program", run->manifest.program);
	json_bool(j, "complete", !run->incomplete);
	json_string(j, "incomplete_why", run->incomplete);
	json_string(j, "trust", words[r->trust]);
	json_array(j, "doubts");
	for (size_t i = 0; i < r->doubts.n; i++)
		json_string(j, NULL, r->doubts.at[i]);
	json_end(j);
	json_bool(j, "births_counted", run->counts.full);
	json_u64(j, "flushed_threads", run->counts.flushes.n);
	json_u64(j, "units", run->counts.n_units);
	json_bool(j, "gates", run->counts.gates);
	json_u64(j, "invalid_threads", run->counts.n_invalid);
	json_u64(j, "lost", run->counts.lost);
	json_u64(j, "wall_ns", run->manifest.wall_ns);
	json_string(j, "prices", r->priced ? r->prices->name : NULL);
	if (r->priced)
		json_u64(j, "unpriced", r->unpriced);
}

void denormal_report_json(const struct denormal_report *r, struct strbuf *out)
{
	const struct denormal *d = &r->run->counts;
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	put_head(&j, r);
	json_object(&j, "total");
	put_counts(&j, r, &r->all);
	json_end(&j);
	put_elsewhere(&j, r);
	json_array(&j, "births");
	for (size_t i = 0; i < r->births.n; i++)
		put_line(&j, r, &r->births.at[i]);
	json_end(&j);
	json_array(&j, "lines");
	for (size_t i = 0; i < r->lines.n; i++)
		put_line(&j, r, &r->lines.at[i]);
	json_end(&j);
	json_array(&j, "sites");
	for (size_t i = 0; i < d->sites.n; i++)
		put_site(&j, &d->sites.at[i]);
	json_end(&j);
	json_array(&j, "arrays");
	for (size_t i = 0; i < r->arrays.n; i++)
		put_array(&j, r, &r->arrays.at[i]);
	json_end(&j);
	put_unplaced(&j, r);
	denormal_origins_json(r, &j);
	put_threads(&j, d);
	if (r->run->traps.n_files)
		denormal_traps_json(r, &j);
	json_end(&j);
	strbuf_puts(out, "\n");
}
