/* SPDX-License-Identifier: MIT */
/* Where a plan wants each thread when, by the calls of this run that fire its triggers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/program.h"
#include "analyzer/time/threads.h"
#include "lib/html/columns.h"
#include "lib/inspect/demangle.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "report/page/tabs/tabs.h"
#include "report/time/order.h"
#include "report/trace/trace.h"

/* From here on a thread is wanted on a core. */
struct pin {
	uint64_t tick;
	uint32_t core;
};
struct pins VEC(struct pin);

struct plan_story {
	const struct report_summary *s;
	const struct plan *plan;
	const struct run_process *p; /* the first process */
	uint32_t *thread_of;         /* by thread of the plan, INSTANCE_NONE: not in this run */
	uint64_t *fired;             /* by trigger: how often, as far as the record tells */
	bool *told;                  /* by trigger: the record would tell */
	uint64_t first_ns;
};

/* ---- threads -------------------------------------------------------------------------------- */

static bool is_site(const struct plan_site *want, const struct run_call_site *site)
{
	return site && !strcmp(want->id, site->id) &&
	       (!strcmp(want->instance, "*") || !strcmp(want->instance, site->instance));
}

static const struct plan_site *site_of(const struct plan *plan, uint32_t site)
{
	return site == PLAN_NONE ? NULL : &plan->sites[site];
}

/* The instance of the run that plan thread @t is; creators come first in both. */
static uint32_t find_instance(const struct plan_story *f, const struct instances *ins, const uint32_t *known,
			      uint32_t t)
{
	const struct plan_thread *want = &f->plan->threads[t];
	const struct plan_site *site = site_of(f->plan, want->create_site);

	if (want->creator == PLAN_NONE)
		return t || !ins->n ? INSTANCE_NONE : 0;
	if (want->creator >= t)
		return INSTANCE_NONE;
	for (uint32_t i = 1; i < ins->n; i++) {
		const struct instance *in = &ins->at[i];

		if (in->ordinal == want->ordinal && in->creator == known[want->creator] &&
		    (site ? is_site(site, in->site) : !in->site))
			return i;
	}
	return INSTANCE_NONE;
}

static void find_threads(struct plan_story *f)
{
	size_t n = f->plan->n_threads;
	uint32_t *known = mem_new(n + 1, sizeof(*known)), *at;
	struct instances ins;

	instances_match(&ins, &f->s->run, &f->p, 1);
	at = instance_threads(&ins, 0, f->p->n_threads);
	for (uint32_t t = 0; t < n; t++) {
		known[t] = find_instance(f, &ins, known, t);
		f->thread_of[t] = known[t] == INSTANCE_NONE ? INSTANCE_NONE : at[known[t]];
	}
	free(at);
	free(known);
	instances_release(&ins);
}

/* ---- cores over time ------------------------------------------------------------------------ */

static bool fires(const struct plan_trigger *t, uint32_t visit)
{
	if (visit < t->first)
		return false;
	return visit == t->first || (t->every && !((visit - t->first) % t->every));
}

static void add_pins(struct pins *pins, const struct plan_trigger *t, uint64_t tick)
{
	for (size_t k = 0; k < t->n_actions; k++)
		if (t->actions[k].kind == PLAN_PIN)
			vec_push(pins, ((struct pin){tick, t->actions[k].core}));
}

/* The record has the visits of calls that synchronise threads, and no others. */
static void take_trigger(struct plan_story *f, size_t number, const struct run_thread *r, struct pins *pins)
{
	const struct plan_trigger *t = &f->plan->triggers[number];
	const struct plan_site *site = site_of(f->plan, t->site);

	if (t->at != PLAN_AT_CALL || !site) {
		f->told[number] = true;
		f->fired[number]++;
		add_pins(pins, t, r->raw->start_tsc);
		return;
	}
	for (size_t i = 0; i < r->n_events; i++) {
		const struct prs_event *e = &r->events[i];

		if (!e->visit || e->site == PRS_NO_SITE || !is_site(site, run_call_site(f->p, e->site)))
			continue;
		f->told[number] = true;
		if (!fires(t, e->visit))
			continue;
		f->fired[number]++;
		add_pins(pins, t, t->after ? e->end : e->begin);
	}
}

static int plan_by_tick(const void *a, const void *b)
{
	const struct pin *x = a, *y = b;

	return (x->tick > y->tick) - (x->tick < y->tick);
}

static int64_t moment(const struct plan_story *f, uint64_t tick)
{
	return (int64_t)(f->p->header->mono_start_ns - f->first_ns) + (int64_t)run_ns(f->p, tick);
}

static void put_pins(const struct plan_story *f, uint32_t thread, const struct pins *pins, struct columns *c)
{
	const struct prs_thread *raw = f->p->threads[thread].raw;
	uint64_t end = raw->end_tsc ? raw->end_tsc : f->p->end;

	for (size_t i = 0; i < pins->n; i++) {
		int64_t from = moment(f, pins->at[i].tick),
			to = moment(f, i + 1 < pins->n ? pins->at[i + 1].tick : end);

		if (to > from)
			columns_add(c, (const int64_t[]){report_thread_at(f->s, f->p, thread), from,
							 to - from, pins->at[i].core});
	}
}

static void put_cores(struct plan_story *f, struct strbuf *out)
{
	static const char *const names[] = {"thread", "begin", "ns", "core", NULL};
	struct columns c;

	columns_init(&c, names);
	for (uint32_t t = 0; t < f->plan->n_threads; t++) {
		struct pins pins = VEC_INIT;
		uint32_t thread = f->thread_of[t];

		if (thread == INSTANCE_NONE)
			continue;
		if (f->plan->threads[t].core != PLAN_NONE)
			vec_push(&pins, ((struct pin){f->p->threads[thread].raw->start_tsc,
						      f->plan->threads[t].core}));
		for (size_t i = 0; i < f->plan->n_triggers; i++)
			if (f->plan->triggers[i].thread == t)
				take_trigger(f, i, &f->p->threads[thread], &pins);
		if (pins.n)
			qsort(pins.at, pins.n, sizeof(*pins.at), plan_by_tick);
		put_pins(f, thread, &pins, &c);
		vec_release(&pins);
	}
	columns_write(&c, "plan_cores", out);
	columns_release(&c);
}

/* ---- the document ------------------------------------------------------------------------------ */

static void plan_put_threads(struct json *j, const struct plan_story *f)
{
	json_array(j, "threads");
	for (size_t t = 0; t < f->plan->n_threads; t++) {
		const struct plan_thread *want = &f->plan->threads[t];

		json_object(j, NULL);
		json_string(j, "name", want->name);
		json_i64(j, "thread",
			 f->thread_of[t] == INSTANCE_NONE ? -1
							  : report_thread_at(f->s, f->p, f->thread_of[t]));
		json_string(j, "reason", want->reason);
		json_end(j);
	}
	json_end(j);
}

static void put_sets(struct json *j, const struct plan_trigger *t)
{
	char text[64];

	json_array(j, "sets");
	for (size_t k = 0; k < t->n_actions; k++) {
		if (t->actions[k].kind == PLAN_PIN)
			snprintf(text, sizeof(text), "core %u", t->actions[k].core);
		else
			snprintf(text, sizeof(text), "domain %u to %.3g GHz", t->actions[k].domain,
				 (double)t->actions[k].khz / 1e6);
		json_string(j, NULL, text);
	}
	json_end(j);
}

static void put_trigger(struct json *j, const struct plan_story *f, size_t i)
{
	static const char *const points[] = {"program start", "thread start", "call"};
	const struct plan_trigger *t = &f->plan->triggers[i];
	const struct plan_site *site = site_of(f->plan, t->site);

	json_object(j, NULL);
	json_u64(j, "number", t->number);
	json_u64(j, "thread", t->thread);
	json_string(j, "at", points[t->at]);
	json_string(j, "function", site ? site->function : NULL);
	json_string(j, "callee", site ? site->callee : NULL);
	json_string(j, "file", site ? site->file : NULL);
	json_u64(j, "line", site ? site->line : 0);
	json_bool(j, "after", t->after);
	json_bool(j, "told", f->told[i]);
	json_u64(j, "fired", f->fired[i]);
	put_sets(j, t);
	json_string(j, "reason", t->reason);
	json_end(j);
}

static const struct report_function *flushed_function(const struct report_summary *s, const char *name)
{
	for (size_t i = 0; i < s->n_functions; i++)
		if (!strcmp(s->functions[i].asm_name, name))
			return &s->functions[i];
	return NULL;
}

/* A function that shall flush denormals, and what this run knows of it. */
static void put_flush(struct json *j, const struct plan_story *f, const struct plan_flush *want)
{
	const struct report_function *seen = flushed_function(f->s, want->function);
	char *people = demangle_short(want->function);

	json_object(j, NULL);
	json_u64(j, "number", want->number);
	json_string(j, "function", seen ? seen->name : people ? people : want->function);
	json_string(j, "file", want->unit);
	json_u64(j, "line", want->line ? want->line : seen && !seen->at_call ? seen->line : 0);
	json_string(j, "set", plan_flush_words[want->set]);
	json_bool(j, "in_run", seen != NULL);
	json_bool(j, "starts", seen && seen->starts && !seen->timed);
	json_u64(j, "calls", seen ? seen->calls : 0);
	json_double(j, "self_ns", seen ? seen->self_ns : 0);
	json_u64(j, "births", want->births);
	json_u64(j, "cost_ns", want->cost_ns);
	json_string(j, "change", want->change);
	json_string(j, "reason", want->reason);
	json_end(j);
	free(people);
}

/* Of the build that the plan was made from nothing was set while this run was recorded. */
static bool is_plain(const struct plan_story *f)
{
	const struct manifest_module *m = program_module(f->s->run);

	return m && m->build_id && f->plan->build_id && !strcmp(m->build_id, f->plan->build_id);
}

static void plan_put_index(const struct plan_story *f, const char *path, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "path", path);
	json_string(&j, "program", f->plan->program);
	json_bool(&j, "without_triggers", is_plain(f));
	json_u64(&j, "base_time_ns", f->plan->base_time_ns);
	json_u64(&j, "time_ns", f->plan->time_ns);
	json_double(&j, "base_energy_j", (double)f->plan->base_energy_nj * 1e-9);
	json_double(&j, "energy_j", (double)f->plan->energy_nj * 1e-9);
	plan_put_threads(&j, f);
	json_array(&j, "triggers");
	for (size_t i = 0; i < f->plan->n_triggers; i++)
		put_trigger(&j, f, i);
	json_end(&j);
	json_array(&j, "flushes");
	for (size_t i = 0; i < f->plan->n_flushes; i++)
		put_flush(&j, f, &f->plan->flushes[i]);
	json_end(&j);
	json_end(&j);
	page_document(out, "plan", &sb);
}

void page_plan(const struct report_summary *s, const struct plan *plan, const char *path, struct strbuf *out)
{
	struct plan_story f = {.s = s, .plan = plan, .first_ns = trace_start(s->run)};

	if (!s->run->n_processes)
		return;
	f.p = &s->run->processes[0];
	f.thread_of = mem_new(plan->n_threads + 1, sizeof(*f.thread_of));
	f.fired = mem_new(plan->n_triggers + 1, sizeof(*f.fired));
	f.told = mem_new(plan->n_triggers + 1, sizeof(*f.told));
	find_threads(&f);
	put_cores(&f, out);
	plan_put_index(&f, path, out);
	free(f.thread_of);
	free(f.fired);
	free(f.told);
}
