/* SPDX-License-Identifier: MIT */
/* `perseus analyze --json`, schema 1; the model itself is YAML. */
#include <math.h>

#include "cmd/analyze/print.h"
#include "cmd/base/print.h"
#include "lib/json.h"

#define ANALYZE_SCHEMA 1

static void json_threads(struct json *j, const struct model *m)
{
	json_array(j, "threads");
	for (size_t i = 0; i < m->n_threads; i++) {
		const struct model_thread *t = &m->threads[i];
		const struct model_site *s = t->create_site == MODEL_NONE ? NULL : &m->sites[t->create_site];

		json_object(j, NULL);
		json_string(j, "name", t->name);
		json_bool(j, "plannable", t->plannable);
		json_string(j, "why_not", t->reason);
		json_string(j, "creator", t->creator == MODEL_NONE ? NULL : m->threads[t->creator].name);
		json_string(j, "file", s ? s->file : NULL);
		if (s)
			json_u64(j, "line", s->line);
		json_u64(j, "number_there", t->ordinal);
		json_end(j);
	}
	json_end(j);
}

static void json_phases(struct json *j, const struct model *m)
{
	json_array(j, "phases");
	for (size_t i = 0; i < m->n_phases; i++) {
		const struct model_phase *p = &m->phases[i];
		double cycles = 0;

		for (size_t k = 0; k < p->n_work; k++)
			cycles += (double)p->work[k].cycles;
		json_object(j, NULL);
		json_string(j, "id", p->name);
		json_string(j, "opened_by", p->opened_by);
		json_u64(j, "repeats", p->repeats);
		json_u64(j, "wall_ns", p->wall_ns);
		json_double(j, "cycles", cycles);
		json_bool(j, "accepted", p->accepted);
		json_string(j, "why_not", p->reason);
		json_end(j);
	}
	json_end(j);
}

/* Where the two meet: none is wherever both run, if no reason says that it is not known. */
static void json_meetings(struct json *j, const struct model *m, const struct model_conflict *c)
{
	const struct model_meeting one = {c->phase, 0};
	const struct model_meeting *at = c->n_phases ? c->phases : &one;
	size_t n = c->n_phases ? c->n_phases : c->phase != MODEL_NONE;

	json_array(j, "phases");
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		json_string(j, "id", m->phases[at[i].phase].name);
		if (at[i].share > 0)
			json_double(j, "share", at[i].share);
		json_end(j);
	}
	json_end(j);
	json_string(j, "phases_why_not", c->phase_reason);
}

static void json_conflicts(struct json *j, const struct model *m, bool known)
{
	json_bool(j, "conflicts_known", known);
	json_array(j, "conflicts");
	for (size_t i = 0; i < m->n_conflicts; i++) {
		const struct model_conflict *c = &m->conflicts[i];

		json_object(j, NULL);
		json_string(j, "id", c->evidence);
		json_bool(j, "false_sharing", c->is_false);
		json_string(j, "object", c->object);
		json_string(j, "a", m->threads[c->a.thread].name);
		json_string(j, "a_field", c->a.field);
		json_string(j, "b", m->threads[c->b.thread].name);
		json_string(j, "b_field", c->b.field);
		json_meetings(j, m, c);
		json_end(j);
	}
	json_end(j);
}

static void json_texts(struct json *j, const char *key, char *const *texts, size_t n)
{
	json_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_string(j, NULL, texts[i]);
	json_end(j);
}

void analyze_print_json(const struct analysis *a, const char *out, const char *blocks)
{
	const struct model *m = &a->model;
	struct strbuf text = STRBUF_INIT;
	struct json j;

	json_init(&j, &text);
	json_object(&j, NULL);
	json_u64(&j, "schema", ANALYZE_SCHEMA);
	json_string(&j, "program", m->program);
	json_string(&j, "wrote", out);
	json_string(&j, "blocks", blocks);
	json_u64(&j, "timing_runs", a->n_timing);
	json_u64(&j, "sharing_runs", a->n_sharing);
	json_u64(&j, "timing_cores", a->timing_cores);
	json_texts(&j, "runs", m->runs, m->n_runs);
	json_u64(&j, "wall_ns", m->wall_ns);
	json_double(&j, "wall_sd_ns", a->n_timing > 1 ? (double)m->wall_sd_ns : NAN);
	json_double(&j, "in_libraries", m->outside);
	json_u64(&j, "hz", m->hz);
	json_string(&j, "clock", m->clock);
	json_threads(&j, m);
	json_phases(&j, m);
	json_conflicts(&j, m, a->n_sharing > 0);
	json_texts(&j, "left_out", a->rejected.at, a->rejected.n);
	json_texts(&j, "doubts", m->doubts, m->n_doubts);
	json_end(&j);
	cmd_put(stdout, text.s);
	strbuf_release(&text);
}
